import numpy as np


def multi_head(
    x: np.ndarray,
    w_q: np.ndarray,
    w_k: np.ndarray,
    w_v: np.ndarray,
    w_o: np.ndarray,
    heads: int,
    causal: bool = False,
) -> np.ndarray:
    """Self-attention in several heads.

    x: (..., T, D)              tokens
    w_q, w_k: (D, heads * d)    make queries and keys; head h has columns h * d to h * d + d - 1
    w_v: (D, heads * dv)        makes values, likewise
    w_o: (heads * dv, Do)       mixes what the heads have found, side by side
    heads: how many heads
    causal: if True, no token may look at a later one
    Returns (..., T, Do), in the dtype of x. "..." is any number of batch axes, or none.
    """
    raise NotImplementedError("write multi_head(x, w_q, w_k, w_v, w_o, heads, causal) here")
