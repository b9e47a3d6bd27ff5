"""The caches are made by np.zeros, which are float64."""

import math

import numpy as np


def decode(q, k, v, k_cache, v_cache):
    kept, total = k_cache.shape[-2], k_cache.shape[-2] + k.shape[-2]
    keys = np.zeros((*k.shape[:-2], total, k.shape[-1]))
    values = np.zeros((*v.shape[:-2], total, v.shape[-1]))
    keys[..., :kept, :], keys[..., kept:, :] = k_cache, k
    values[..., :kept, :], values[..., kept:, :] = v_cache, v
    return attention(q, keys, values), keys, values


def attention(q, k, v):
    """Causal; the last query stands at the last key."""
    scores = q @ k.swapaxes(-1, -2) / math.sqrt(q.shape[-1])
    visible = np.tri(*scores.shape[-2:], k.shape[-2] - q.shape[-2], dtype=bool)
    return softmax(np.where(visible, scores, -np.inf)) @ v


def softmax(scores):
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True)
