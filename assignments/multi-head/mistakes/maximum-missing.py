"""exp is taken of the scores as they are, and overflows."""

import math

import numpy as np


def multi_head(x, w_q, w_k, w_v, w_o, heads, causal=False):
    q, k, v = (split(x @ w, heads) for w in (w_q, w_k, w_v))
    return merge(attend(q, k, v, causal)) @ w_o


def split(x, heads):
    return x.reshape(*x.shape[:-1], heads, -1).swapaxes(-2, -3)


def merge(x):
    x = x.swapaxes(-2, -3)
    return x.reshape(*x.shape[:-2], -1)


def attend(q, k, v, causal):
    scores = q @ k.swapaxes(-1, -2) / math.sqrt(q.shape[-1])
    if causal:
        scores = np.where(np.tri(*scores.shape[-2:], dtype=bool), scores, -np.inf)
    weights = np.exp(scores)
    weights /= weights.sum(axis=-1, keepdims=True)
    return weights @ v
