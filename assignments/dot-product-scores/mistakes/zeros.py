"""The result is all zeros."""

import numpy as np


def scores(q, k):
    return np.zeros((*q.shape[:-1], k.shape[-2]), dtype=q.dtype)
