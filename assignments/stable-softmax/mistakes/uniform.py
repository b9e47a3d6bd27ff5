"""All numbers of a row get the same weight."""

import numpy as np


def softmax(x, axis=-1):
    seen = x > -np.inf
    total = seen.sum(axis=axis, keepdims=True)
    return (seen / np.where(total == 0, 1, total)).astype(x.dtype)
