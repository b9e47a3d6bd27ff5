"""The weights are divided by the root of the sum of their squares."""

import numpy as np


def softmax(x, axis=-1):
    peak = x.max(axis=axis, keepdims=True)
    weights = np.exp(x - np.where(peak == -np.inf, 0, peak))
    total = np.sqrt((weights**2).sum(axis=axis, keepdims=True))
    return weights / np.where(total == 0, 1, total)
