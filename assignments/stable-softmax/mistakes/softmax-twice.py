"""The softmax is applied twice."""

import numpy as np


def softmax(x, axis=-1):
    weights = once(x, axis)
    return np.where(x == -np.inf, 0, once(weights, axis))


def once(x, axis):
    peak = x.max(axis=axis, keepdims=True)
    weights = np.exp(x - np.where(peak == -np.inf, 0, peak))
    total = weights.sum(axis=axis, keepdims=True)
    return weights / np.where(total == 0, 1, total)
