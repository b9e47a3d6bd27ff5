"""The largest number gets all the weight."""

import numpy as np


def softmax(x, axis=-1):
    peak = x.max(axis=axis, keepdims=True)
    return ((x == peak) & (x > -np.inf)).astype(x.dtype)
