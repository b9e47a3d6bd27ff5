import math

import numpy as np


def grouped_attention(x, context, w_q, w_k, w_v, w_o, heads, kv_heads, mask=None):
    """One query of one head at a time, over the keys that it may see; the softmax by logarithms."""
    k, v = ((context @ w).reshape(*context.shape[:-1], kv_heads, -1) for w in (w_k, w_v))
    q = (x @ w_q).reshape(*x.shape[:-1], heads, -1)
    seen = np.broadcast_to(
        True if mask is None else mask, (*x.shape[:-2], heads, x.shape[-2], context.shape[-2])
    )
    mixed = np.zeros((*x.shape[:-1], heads, v.shape[-1]), x.dtype)
    for *batch, t, h in np.ndindex(*x.shape[:-1], heads):
        own, keys = (h * kv_heads // heads, seen[*batch, h, t])
        if not keys.any():
            continue
        scores = k[*batch, keys, own] @ q[*batch, t, h] / math.sqrt(q.shape[-1])
        mixed[*batch, t, h] = np.exp(scores - np.logaddexp.reduce(scores)) @ v[*batch, keys, own]
    return mixed.reshape(*x.shape[:-1], -1) @ w_o
