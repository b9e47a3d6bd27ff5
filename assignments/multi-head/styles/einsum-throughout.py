import numpy as np


def multi_head(x, w_q, w_k, w_v, w_o, heads, causal=False):
    """The head is an axis of the matrices, and no array is ever transposed by hand."""
    q, k, v = (np.einsum("...td,dhw->...htw", x, w.reshape(len(w), heads, -1)) for w in (w_q, w_k, w_v))
    scores = np.einsum("...qw,...kw->...qk", q, k) * x.dtype.type(q.shape[-1] ** -0.5)
    if causal:
        tokens = np.arange(x.shape[-2])
        scores = np.where(tokens[:, None] >= tokens, scores, -np.inf)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights /= weights.sum(axis=-1, keepdims=True)
    found = np.einsum("...hqk,...hkw->...qhw", weights, v)
    return found.reshape(*x.shape[:-1], -1) @ w_o
