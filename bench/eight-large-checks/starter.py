import numpy as np


def attention(q: np.ndarray, k: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Scaled dot-product attention.

    q: (..., Tq, d)   queries
    k: (..., Tk, d)   keys
    v: (..., Tk, dv)  values
    Returns (..., Tq, dv), in the dtype of q. "..." is any number of batch and head axes, or none.
    """
    raise NotImplementedError("write attention(q, k, v) here")
