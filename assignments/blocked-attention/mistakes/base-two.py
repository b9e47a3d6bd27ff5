"""Powers of two."""

import math

import numpy as np

BLOCK = 64


def attention(q, k, v, causal=False):
    keys = k.shape[-2]
    q = q / math.sqrt(q.shape[-1])
    peak = np.full((*q.shape[:-1], 1), -np.inf, dtype=q.dtype)
    total = np.zeros((*q.shape[:-1], 1), dtype=q.dtype)
    result = np.zeros((*q.shape[:-1], v.shape[-1]), dtype=q.dtype)
    for start in range(0, keys, BLOCK):
        block = slice(start, min(start + BLOCK, keys))
        scores = masked(q @ k[..., block, :].swapaxes(-1, -2), start, keys, causal)
        grown = np.maximum(peak, scores.max(axis=-1, keepdims=True))
        base = np.where(grown == -np.inf, 0, grown)
        weights = np.exp2(scores - base)
        correction = np.exp2(peak - base)
        total = correction * total + weights.sum(axis=-1, keepdims=True)
        result = correction * result + weights @ v[..., block, :]
        peak = grown
    return result / np.where(total == 0, 1, total)


def masked(scores, start, keys, causal):
    """The scores of the keys from `start` on, minus infinity where a query may not look."""
    if not causal:
        return scores
    queries, width = scores.shape[-2:]
    last_seen = np.arange(queries)[:, None] + keys - queries
    return np.where(start + np.arange(width) <= last_seen, scores, -np.inf)
