import numpy as np


def attention(
    q: np.ndarray,
    k: np.ndarray,
    v: np.ndarray,
    mask: np.ndarray | None = None,
    causal: bool = False,
) -> np.ndarray:
    """Scaled dot-product attention in which not everything may be seen.

    q: (..., Tq, d)   queries
    k: (..., Tk, d)   keys
    v: (..., Tk, dv)  values
    mask: None, or booleans that broadcast to (..., Tq, Tk); True = this query may look at this key
    causal: if True, no query may look at a later position; the last query stands at the last key
    Returns (..., Tq, dv), in the dtype of q; a query that may look at nothing gives zeros.
    """
    raise NotImplementedError("write attention(q, k, v, mask, causal) here")
