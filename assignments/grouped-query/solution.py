import math

import numpy as np


def grouped_attention(x, context, w_q, w_k, w_v, w_o, heads, kv_heads, mask=None):
    """Cross attention in which several heads of queries share one of keys and values: (..., Tq, Do)."""
    q = split(x @ w_q, heads)
    k, v = split(context @ w_k, kv_heads), split(context @ w_v, kv_heads)

    # Each head of keys and values serves a run of neighbouring query heads: 0 0 0 1 1 1, not 0 1 0 1 0 1.
    k, v = (np.repeat(each, heads // kv_heads, axis=-3) for each in (k, v))

    scores = q @ k.swapaxes(-1, -2) / math.sqrt(q.shape[-1])
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    return merge(softmax(scores) @ v) @ w_o


def split(x, heads):
    """(..., T, heads * d) -> (..., heads, T, d): each head is a run of d neighbouring features."""
    return x.reshape(*x.shape[:-1], heads, -1).swapaxes(-2, -3)


def merge(x):
    """(..., heads, T, d) -> (..., T, heads * d): the heads side by side."""
    x = x.swapaxes(-2, -3)
    return x.reshape(*x.shape[:-2], -1)


def softmax(scores):
    """Along the keys. Where all scores are minus infinity, the weights are 0."""
    peak = scores.max(axis=-1, keepdims=True)
    weights = np.exp(scores - np.where(peak == -np.inf, 0, peak))
    total = weights.sum(axis=-1, keepdims=True)
    return weights / np.where(total == 0, 1, total)
