import math

import numpy as np


def multi_head(x, w_q, w_k, w_v, w_o, heads, causal=False):
    """Self-attention in several heads: (..., T, D) -> (..., T, Do)."""
    q, k, v = (split(x @ w, heads) for w in (w_q, w_k, w_v))
    return merge(attention(q, k, v, causal)) @ w_o


def split(x, heads):
    """(..., T, heads * d) -> (..., heads, T, d): head h gets the h-th run of neighbouring columns."""
    # A reshape cuts the last axis in two; the axis of heads then joins the leading ones, and tokens stay whole.
    return x.reshape(*x.shape[:-1], heads, -1).swapaxes(-2, -3)


def merge(x):
    """(..., heads, T, d) -> (..., T, heads * d): undoes the split."""
    x = x.swapaxes(-2, -3)
    return x.reshape(*x.shape[:-2], -1)


def attention(q, k, v, causal):
    """All heads at once: to the products the axis of heads is one more leading axis."""
    scores = q @ k.swapaxes(-1, -2) / math.sqrt(q.shape[-1])
    if causal:
        scores = np.where(np.tri(*scores.shape[-2:], dtype=bool), scores, -np.inf)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights /= weights.sum(axis=-1, keepdims=True)
    return weights @ v
