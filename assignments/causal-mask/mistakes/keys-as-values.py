"""The weights are applied to the keys."""

import math

import numpy as np


def attention(q, k, v, mask=None, causal=False):
    scores = q @ k.swapaxes(-1, -2) / math.sqrt(q.shape[-1])
    visible = visible_keys(*scores.shape[-2:], mask, causal)
    scores = np.where(visible, scores, -np.inf)
    return softmax(scores) @ k


def visible_keys(queries, keys, mask, causal):
    visible = np.ones((queries, keys), dtype=bool)
    if causal:
        visible = np.tri(queries, keys, keys - queries, dtype=bool)
    return visible if mask is None else visible & mask


def softmax(scores):
    peak = scores.max(axis=-1, keepdims=True)
    weights = np.exp(scores - np.where(peak == -np.inf, 0, peak))
    total = weights.sum(axis=-1, keepdims=True)
    return weights / np.where(total == 0, 1, total)
