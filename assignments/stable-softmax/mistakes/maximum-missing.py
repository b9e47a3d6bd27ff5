"""exp is taken of the numbers as they are, and overflows."""

import numpy as np


def softmax(x, axis=-1):
    weights = np.exp(x)
    return weights / weights.sum(axis=axis, keepdims=True)
