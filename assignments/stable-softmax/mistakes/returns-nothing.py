"""Forgets to return the result."""

import numpy as np


def softmax(x, axis=-1):
    peak = x.max(axis=axis, keepdims=True)
    weights = np.exp(x - np.where(peak == -np.inf, 0, peak))
    total = weights.sum(axis=axis, keepdims=True)
    weights / np.where(total == 0, 1, total)
