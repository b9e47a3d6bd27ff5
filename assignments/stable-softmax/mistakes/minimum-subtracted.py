"""The smallest number is subtracted, not the largest."""

import numpy as np


def softmax(x, axis=-1):
    lowest = x.min(axis=axis, keepdims=True, where=x > -np.inf, initial=np.inf)
    weights = np.exp(x - np.where(lowest == np.inf, 0, lowest))
    total = weights.sum(axis=axis, keepdims=True)
    return weights / np.where(total == 0, 1, total)
