"""The smallest number gets the largest weight."""

import numpy as np


def softmax(x, axis=-1):
    peak = -x.min(axis=axis, keepdims=True, where=x > -np.inf, initial=np.inf)
    weights = np.where(x == -np.inf, 0, np.exp(-x - peak))
    total = weights.sum(axis=axis, keepdims=True)
    return weights / np.where(total == 0, 1, total)
