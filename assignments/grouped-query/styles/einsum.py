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
    """Weights (D, Hkv, group, d), and no transposition anywhere."""
    group = heads // kv_heads
    q = np.einsum("...tD,Dgmd->...tgmd", x, w_q.reshape(len(w_q), kv_heads, group, -1))
    k, v = (np.einsum("...tD,Dgd->...tgd", context, w.reshape(len(w), kv_heads, -1)) for w in (w_k, w_v))
    scores = np.einsum("...qgmd,...kgd->...gmqk", q, k) / math.sqrt(q.shape[-1])
    by_head = scores.reshape(*scores.shape[:-4], heads, *scores.shape[-2:])
    weights = softmax(by_head, mask).reshape(scores.shape)
    return np.einsum("...gmqk,...kgv,gmvo->...qo", weights, v, w_o.reshape(kv_heads, group, -1, w_o.shape[1]))
