"""What overflows is set to 0."""

import numpy as np


def softmax(x, axis=-1):
    weights = np.exp(x)
    return np.nan_to_num(weights / weights.sum(axis=axis, keepdims=True))
