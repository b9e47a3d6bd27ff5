import math

import numpy as np


def softmax(scores, mask=None):
    """Along the last axis; what the mask hides has weight 0."""
    scores = scores if mask is None else np.where(mask, scores, -np.inf)
    peak = scores.max(axis=-1, keepdims=True)
    weights = np.exp(scores - np.where(np.isneginf(peak), 0, peak))
    total = weights.sum(axis=-1, keepdims=True)
    return np.asarray(weights / np.where(total == 0, 1, total))


def grouped_attention(x, context, w_q, w_k, w_v, w_o, heads, kv_heads, mask=None):
    """Queries (..., Hkv, group, Tq, d) broadcast against keys (..., Hkv, 1, Tk, d): nothing is repeated."""
    *leading, length, _ = x.shape
    q = (x @ w_q).reshape(*leading, length, kv_heads, heads // kv_heads, -1)
    k, v = ((context @ w).reshape(*context.shape[:-1], kv_heads, 1, -1) for w in (w_k, w_v))
    q, k, v = (np.moveaxis(each, -4, -2) for each in (q, k, v))
    scores = q @ k.mT * (1 / math.sqrt(q.shape[-1]))
    if mask is not None:
        mask = np.broadcast_to(mask, (*leading, heads, *scores.shape[-2:])).reshape(scores.shape)
    mixed = np.moveaxis(softmax(scores, mask) @ v, -2, -4)
    return mixed.reshape(*leading, length, -1) @ w_o
