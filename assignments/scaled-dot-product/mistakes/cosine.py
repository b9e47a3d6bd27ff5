"""Queries and keys are brought to length 1, which takes the place of the scale."""

import numpy as np


def attention(q, k, v):
    scores = unit(q) @ unit(k).swapaxes(-1, -2)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights /= weights.sum(axis=-1, keepdims=True)
    return weights @ v


def unit(x):
    return x / np.linalg.norm(x, axis=-1, keepdims=True)
