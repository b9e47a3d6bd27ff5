"""Keys that do not fill a block are left out."""

import math

import numpy as np

BLOCK = 64


def attention(q, k, v, causal=False):
    whole = max(k.shape[-2] // BLOCK * BLOCK, min(k.shape[-2], BLOCK))
    queries, keys = q.shape[-2], k.shape[-2]
    k, v = k[..., :whole, :], v[..., :whole, :]
    scores = q @ k.swapaxes(-1, -2) * (1 / math.sqrt(q.shape[-1]))
    if causal:
        scores[..., ~np.tri(queries, whole, keys - queries, dtype=bool)] = -np.inf
    peak = scores.max(axis=-1, keepdims=True)
    scores -= np.where(peak == -np.inf, 0, peak)
    np.exp(scores, out=scores)
    total = scores.sum(axis=-1, keepdims=True)
    return scores @ v / np.where(total == 0, 1, total)
