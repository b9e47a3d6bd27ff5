"""The result is all zeros."""

import numpy as np


def attention(q, k, v):
    return np.zeros((*q.shape[:-1], v.shape[-1]), dtype=q.dtype)
