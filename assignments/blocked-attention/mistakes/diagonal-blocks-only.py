"""Each block of queries meets the block of keys at the same place."""

import math

import numpy as np

BLOCK = 64


def attention(q, k, v, causal=False):
    queries, keys = q.shape[-2], k.shape[-2]
    result = np.zeros((*q.shape[:-1], v.shape[-1]), dtype=q.dtype)
    for start in range(0, min(queries, keys), BLOCK):
        block = slice(start, start + BLOCK)
        scores = q[..., block, :] @ k[..., block, :].swapaxes(-1, -2) / math.sqrt(q.shape[-1])
        if causal:
            last_seen = np.arange(queries)[block, None] + keys - queries
            scores = np.where(np.arange(keys)[block] <= last_seen, scores, -np.inf)
        result[..., block, :] = softmax(scores) @ v[..., block, :]
    return result


def softmax(scores):
    peak = scores.max(axis=-1, keepdims=True)
    weights = np.exp(scores - np.where(peak == -np.inf, 0, peak))
    total = weights.sum(axis=-1, keepdims=True)
    return weights / np.where(total == 0, 1, total)
