import math

import numpy as np


def visible(q, k, mask, causal):
    """Boolean, (..., Tq, Tk), spread over all leading axes."""
    queries, keys = (q.shape[-2], k.shape[-2])
    seen = np.ones((*q.shape[:-1], keys), dtype=bool)
    if causal:
        seen &= np.arange(keys) <= np.arange(queries)[:, None] + keys - queries
    return seen if mask is None else seen & mask


def attention(q, k, v, mask=None, causal=False):
    """Blocks of 4 keys, one pass, the sum and the result rescaled whenever the maximum grows."""
    seen = visible(q, k, mask, causal)
    peak = np.full((*q.shape[:-1], 1), -np.inf, dtype=q.dtype)
    total = np.zeros_like(peak)
    result = np.zeros((*q.shape[:-1], v.shape[-1]), dtype=q.dtype)
    for start in range(0, k.shape[-2], 4):
        part = slice(start, start + 4)
        scores = q @ k[..., part, :].swapaxes(-1, -2) / math.sqrt(q.shape[-1])
        scores = np.where(seen[..., part], scores, -np.inf)
        new = np.maximum(peak, scores.max(axis=-1, keepdims=True))
        base = np.where(np.isneginf(new), 0, new)
        weights, correction = (np.exp(scores - base), np.exp(peak - base))
        total = total * correction + weights.sum(axis=-1, keepdims=True)
        result = result * correction + weights @ v[..., part, :]
        peak = new
    return result / np.where(total == 0, 1, total)
