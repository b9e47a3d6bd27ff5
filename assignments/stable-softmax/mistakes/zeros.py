"""The result is all zeros."""

import numpy as np


def softmax(x, axis=-1):
    return np.zeros_like(x)
