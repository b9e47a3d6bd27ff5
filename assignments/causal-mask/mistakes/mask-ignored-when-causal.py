"""With causal=True the mask is forgotten."""

import math

import numpy as np


def attention(q, k, v, mask=None, causal=False):
    scores = q @ k.swapaxes(-1, -2) / math.sqrt(q.shape[-1])
    visible = visible_keys(*scores.shape[-2:], mask, causal)
    scores = np.where(visible, scores, -np.inf)
    return softmax(scores) @ v


def visible_keys(queries, keys, mask, causal):
    if causal:
        return np.tri(queries, keys, keys - queries, dtype=bool)
    visible = np.ones((queries, keys), dtype=bool)
    return visible if mask is None else visible & mask


def softmax(scores):
    peak = scores.max(axis=-1, keepdims=True)
    weights = np.exp(scores - np.where(peak == -np.inf, 0, peak))
    total = weights.sum(axis=-1, keepdims=True)
    return weights / np.where(total == 0, 1, total)
