"""Every key gets the same weight: the plain mean of the values."""

import numpy as np


def attention(q, k, v):
    mean = v.mean(axis=-2, keepdims=True)
    return np.repeat(mean, q.shape[-2], axis=-2)
