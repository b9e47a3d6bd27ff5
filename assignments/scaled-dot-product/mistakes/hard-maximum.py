"""The best key gets all the weight."""

import math


def attention(q, k, v):
    scores = q @ k.swapaxes(-1, -2) / math.sqrt(q.shape[-1])
    weights = (scores == scores.max(axis=-1, keepdims=True)).astype(q.dtype)
    return weights @ v
