"""One maximum is subtracted everywhere: rows far below it vanish."""

import numpy as np


def softmax(x, axis=-1):
    peak = x.max()
    weights = np.exp(x - np.where(peak == -np.inf, 0, peak))
    total = weights.sum(axis=axis, keepdims=True)
    return weights / np.where(total == 0, 1, total)
