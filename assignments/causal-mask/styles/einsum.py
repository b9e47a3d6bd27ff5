import numpy as np


def softmax(scores, axis=-1):
    """With rows of nothing but -inf giving zeros."""
    peak = scores.max(axis=axis, keepdims=True)
    weights = np.exp(scores - np.where(np.isneginf(peak), 0, peak))
    total = weights.sum(axis=axis, keepdims=True)
    return weights / np.where(total == 0, 1, total)


def visible(q, k, mask, causal):
    """Boolean, (..., Tq, Tk), spread over all leading axes."""
    queries, keys = (q.shape[-2], k.shape[-2])
    seen = np.ones((*q.shape[:-1], keys), dtype=bool)
    if causal:
        seen &= np.arange(keys) <= np.arange(queries)[:, None] + keys - queries
    return seen if mask is None else seen & mask


def attention(q, k, v, mask=None, causal=False):
    scores = np.einsum("...qd,...kd->...qk", q, k) * q.dtype.type(q.shape[-1] ** (-0.5))
    weights = softmax(np.where(visible(q, k, mask, causal), scores, -np.inf))
    return np.einsum("...qk,...kv->...qv", weights, v)
