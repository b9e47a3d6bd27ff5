"""The result is all zeros."""

import numpy as np


def grouped_attention(x, context, w_q, w_k, w_v, w_o, heads, kv_heads, mask=None):
    return np.zeros((*x.shape[:-1], w_o.shape[-1]), dtype=x.dtype)
