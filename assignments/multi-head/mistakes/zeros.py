"""The result is all zeros."""

import numpy as np


def multi_head(x, w_q, w_k, w_v, w_o, heads, causal=False):
    return np.zeros((*x.shape[:-1], w_o.shape[-1]), dtype=x.dtype)
