"""The largest absolute value is subtracted."""

import numpy as np


def softmax(x, axis=-1):
    peak = abs(x).max(axis=axis, keepdims=True, where=x > -np.inf, initial=0)
    weights = np.exp(x - peak)
    total = weights.sum(axis=axis, keepdims=True)
    return weights / np.where(total == 0, 1, total)
