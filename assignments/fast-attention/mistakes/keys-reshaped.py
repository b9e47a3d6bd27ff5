"""The keys are reshaped where they should be transposed."""

import math

import numpy as np

BLOCK = 128


def attention(q, k, v, causal=False):
    *leading, queries, _ = q.shape
    keys = k.shape[-2]
    offset = keys - queries
    scaled = q * (1 / math.sqrt(q.shape[-1]))
    result = np.zeros((*leading, queries, v.shape[-1]), dtype=q.dtype)
    first = max(0, -offset) if causal else 0
    for head in np.ndindex(*leading):
        for start in range(first, queries, BLOCK):
            rows = slice(start, min(start + BLOCK, queries))
            seen = rows.stop + offset if causal else keys
            scores = scaled[head][rows] @ k[head][:seen].reshape(-1, seen)
            if causal:
                scores[future(rows, seen, offset)] = -np.inf
            scores -= scores.max(axis=-1, keepdims=True)
            np.exp(scores, out=scores)
            result[head][rows] = scores @ v[head][:seen] / scores.sum(axis=-1, keepdims=True)
    return result


def future(rows, seen, offset):
    """True where a key comes after the query."""
    return np.arange(seen) > np.arange(rows.start, rows.stop)[:, None] + offset
