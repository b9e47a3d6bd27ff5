import numpy as np


def grouped_attention(
    x: np.ndarray,
    context: np.ndarray,
    w_q: np.ndarray,
    w_k: np.ndarray,
    w_v: np.ndarray,
    w_o: np.ndarray,
    heads: int,
    kv_heads: int,
    mask: np.ndarray | None = None,
) -> np.ndarray:
    """Cross attention in which several heads of queries share one head of keys and values.

    x: (..., Tq, D)                the tokens that ask
    context: (..., Tk, Dc)         the tokens that answer
    w_q: (D, heads * d)            from x to queries
    w_k: (Dc, kv_heads * d)        from context to keys
    w_v: (Dc, kv_heads * dv)       from context to values
    w_o: (heads * dv, Do)          from all heads to the result
    heads, kv_heads: how many; kv_heads divides heads
    mask: None, or booleans that broadcast to (..., heads, Tq, Tk); True = may look
    Returns (..., Tq, Do), in the dtype of x; a query that may look at nothing contributes zeros.
    """
    raise NotImplementedError("write grouped_attention(...) here")
