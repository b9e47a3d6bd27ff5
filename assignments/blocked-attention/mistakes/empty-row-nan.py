"""A query that sees nothing gives NaN."""

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
        weights = np.exp(scores - grown)
        correction = np.exp(peak - grown)
        total = correction * total + weights.sum(axis=-1, keepdims=True)
        result = correction * result + weights @ v[..., block, :]
        peak = grown
    return result / total


def masked(scores, start, keys, causal):
    """The scores of the keys from `start` on, minus infinity where a query may not look."""
    if not causal:
        return scores
    queries, width = scores.shape[-2:]
    last_seen = np.arange(queries)[:, None] + keys - queries
    return np.where(start + np.arange(width) <= last_seen, scores, -np.inf)
