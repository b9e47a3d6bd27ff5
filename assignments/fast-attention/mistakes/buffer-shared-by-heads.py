"""The results of all heads are one and the same buffer."""

import math

import numpy as np


def attention(q, k, v, causal=False):
    *leading, queries, _ = q.shape
    keys = k.shape[-2]
    buffer = np.empty((queries, v.shape[-1]), dtype=q.dtype)
    results = []
    for head in np.ndindex(*leading):
        scores = q[head] @ k[head].T * (1 / math.sqrt(q.shape[-1]))
        if causal:
            scores[~np.tri(queries, keys, keys - queries, dtype=bool)] = -np.inf
        peak = scores.max(axis=-1, keepdims=True)
        scores -= np.where(peak == -np.inf, 0, peak)
        np.exp(scores, out=scores)
        total = scores.sum(axis=-1, keepdims=True)
        np.matmul(scores, v[head], out=buffer)
        buffer /= np.where(total == 0, 1, total)
        results.append(buffer)
    return np.stack(results).reshape(*leading, queries, v.shape[-1])
