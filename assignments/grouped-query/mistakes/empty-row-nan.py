"""A query that sees nothing gives NaN."""

import math

import numpy as np


def grouped_attention(x, context, w_q, w_k, w_v, w_o, heads, kv_heads, mask=None):
    q = split(x @ w_q, heads)
    k, v = split(context @ w_k, kv_heads), split(context @ w_v, kv_heads)
    k, v = (np.repeat(each, heads // kv_heads, axis=-3) for each in (k, v))
    scores = q @ k.swapaxes(-1, -2) / math.sqrt(q.shape[-1])
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    return merge(softmax(scores) @ v) @ w_o


def split(x, heads):
    return x.reshape(*x.shape[:-1], heads, -1).swapaxes(-2, -3)


def merge(x):
    x = x.swapaxes(-2, -3)
    return x.reshape(*x.shape[:-2], -1)


def softmax(scores):
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True)
