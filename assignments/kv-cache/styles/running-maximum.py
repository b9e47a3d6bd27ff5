import math

import numpy as np


def appended(k, v, k_cache, v_cache):
    return (np.concatenate([k_cache, k], axis=-2), np.concatenate([v_cache, v], axis=-2))


def decode(q, k, v, k_cache, v_cache):
    """Three keys at a time, from the newest to the oldest, rescaled whenever the maximum grows."""
    keys, values = appended(k, v, k_cache, v_cache)
    position = k_cache.shape[-2] + np.arange(q.shape[-2])[:, None]
    peak = np.full((*q.shape[:-1], 1), -np.inf, q.dtype)
    total, output = (np.zeros_like(peak), np.zeros((*q.shape[:-1], v.shape[-1]), q.dtype))
    for stop in range(keys.shape[-2], 0, -3):
        start = max(0, stop - 3)
        scores = q @ keys[..., start:stop, :].mT / math.sqrt(q.shape[-1])
        scores = np.where(np.arange(start, stop) <= position, scores, -np.inf)
        grown = np.maximum(peak, scores.max(axis=-1, keepdims=True))
        base = np.where(np.isneginf(grown), 0, grown)  # the oldest new token has seen nothing yet
        weights, kept = (np.exp(scores - base), np.exp(peak - base))
        total = total * kept + weights.sum(axis=-1, keepdims=True)
        output = output * kept + weights @ values[..., start:stop, :]
        peak = grown
    return (output / total, keys, values)
