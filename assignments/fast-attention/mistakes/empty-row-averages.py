"""Hidden scores are very low instead of minus infinity."""

import math

import numpy as np


def attention(q, k, v, causal=False):
    scores = q @ k.swapaxes(-1, -2) * (1 / math.sqrt(q.shape[-1]))
    queries, keys = scores.shape[-2:]
    if causal:
        scores[..., ~np.tri(queries, keys, keys - queries, dtype=bool)] = -1e30
    scores -= scores.max(axis=-1, keepdims=True)
    np.exp(scores, out=scores)
    return scores @ v / scores.sum(axis=-1, keepdims=True)
