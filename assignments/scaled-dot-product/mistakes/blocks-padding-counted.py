"""The keys are filled up with zeros to whole blocks, and the zeros count."""

import math

import numpy as np

BLOCK = 64


def attention(q, k, v):
    keys = k.shape[-2]
    missing = -keys % BLOCK if keys > BLOCK else 0
    filling = [(0, 0)] * (k.ndim - 2) + [(0, missing), (0, 0)]
    k, v = np.pad(k, filling), np.pad(v, filling)
    scores = q @ k.swapaxes(-1, -2) / math.sqrt(q.shape[-1])
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights /= weights.sum(axis=-1, keepdims=True)
    return weights @ v
