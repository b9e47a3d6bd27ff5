import numpy as np


def attention_backward(
    q: np.ndarray,
    k: np.ndarray,
    v: np.ndarray,
    d_out: np.ndarray,
    causal: bool = False,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The gradients of scaled dot-product attention.

    q: (..., Tq, d)       queries
    k: (..., Tk, d)       keys
    v: (..., Tk, dv)      values
    d_out: (..., Tq, dv)  the gradient of the loss by attention's result
    causal: if True, no query may look at a later position; the last query stands at the last key
    Returns (dq, dk, dv), the gradients of the loss by q, k and v, each of the shape and dtype of its input;
    a query that may look at nothing has gradient 0, and adds nothing to those of keys and values.
    """
    raise NotImplementedError("write attention_backward(q, k, v, d_out, causal) here")
