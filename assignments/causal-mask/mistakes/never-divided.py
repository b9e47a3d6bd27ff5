"""The weights are not divided by their sum."""

import math

import numpy as np


def attention(q, k, v, mask=None, causal=False):
    scores = q @ k.swapaxes(-1, -2) / math.sqrt(q.shape[-1])
    visible = visible_keys(*scores.shape[-2:], mask, causal)
    scores = np.where(visible, scores, -np.inf)
    peak = scores.max(axis=-1, keepdims=True)
    return np.exp(scores - np.where(peak == -np.inf, 0, peak)) @ v


def visible_keys(queries, keys, mask, causal):
    visible = np.ones((queries, keys), dtype=bool)
    if causal:
        visible = np.tri(queries, keys, keys - queries, dtype=bool)
    return visible if mask is None else visible & mask
