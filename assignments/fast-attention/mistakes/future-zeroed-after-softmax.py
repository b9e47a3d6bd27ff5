"""The weights of the future are zeroed, and the rest is not brought to 1 again."""

import math

import numpy as np


def attention(q, k, v, causal=False):
    scores = q @ k.swapaxes(-1, -2) * (1 / math.sqrt(q.shape[-1]))
    scores -= scores.max(axis=-1, keepdims=True)
    np.exp(scores, out=scores)
    scores /= scores.sum(axis=-1, keepdims=True)
    if causal:
        scores = np.tril(scores, k.shape[-2] - q.shape[-2])
    return scores @ v
