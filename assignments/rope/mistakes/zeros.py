"""The result is all zeros."""

import numpy as np


def rope(x, positions, base=10000.0, interleaved=False):
    return np.zeros_like(x)
