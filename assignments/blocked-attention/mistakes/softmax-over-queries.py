"""The softmax runs down the queries."""

import math

import numpy as np

BLOCK = 64


def attention(q, k, v, causal=False):
    keys = k.shape[-2]
    result = np.zeros((*q.shape[:-1], v.shape[-1]), dtype=q.dtype)
    for start in range(0, keys, BLOCK):
        scores = q @ k[..., start : start + BLOCK, :].swapaxes(-1, -2) / math.sqrt(q.shape[-1])
        weights = softmax(masked(scores, start, keys, causal))
        result += weights @ v[..., start : start + BLOCK, :]
    return result


def softmax(scores):
    peak = scores.max(axis=-2, keepdims=True)
    weights = np.exp(scores - np.where(peak == -np.inf, 0, peak))
    total = weights.sum(axis=-2, keepdims=True)
    return weights / np.where(total == 0, 1, total)


def masked(scores, start, keys, causal):
    """The scores of the keys from `start` on, minus infinity where a query may not look."""
    if not causal:
        return scores
    queries, width = scores.shape[-2:]
    last_seen = np.arange(queries)[:, None] + keys - queries
    return np.where(start + np.arange(width) <= last_seen, scores, -np.inf)
