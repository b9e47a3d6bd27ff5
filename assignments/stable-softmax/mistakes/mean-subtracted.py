"""The mean is subtracted, not the maximum."""

import numpy as np


def softmax(x, axis=-1):
    seen = x > -np.inf
    count = seen.sum(axis=axis, keepdims=True, dtype=x.dtype)
    mean = np.where(seen, x, 0).sum(axis=axis, keepdims=True) / np.where(count == 0, 1, count)
    weights = np.exp(x - mean)
    total = weights.sum(axis=axis, keepdims=True)
    return weights / np.where(total == 0, 1, total)
