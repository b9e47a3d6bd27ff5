"""In blocks; the result keeps the scale of old maxima."""

import math

import numpy as np

BLOCK = 64


def attention(q, k, v):
    keys = k.shape[-2]
    shape = (*q.shape[:-1], 1)
    peak = np.full(shape, -np.inf, dtype=q.dtype)
    total = np.zeros(shape, dtype=q.dtype)
    result = np.zeros((*q.shape[:-1], v.shape[-1]), dtype=q.dtype)
    for start in range(0, keys, BLOCK):
        values = v[..., start : start + BLOCK, :]
        scores = q @ k[..., start : start + BLOCK, :].swapaxes(-1, -2) / math.sqrt(q.shape[-1])
        new_peak = np.maximum(peak, scores.max(axis=-1, keepdims=True))
        weights = np.exp(scores - new_peak)
        correction = np.exp(peak - new_peak)
        total = total * correction + weights.sum(axis=-1, keepdims=True)
        result = result + weights @ values
        peak = new_peak
    return result / total
