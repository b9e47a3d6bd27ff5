"""The output is all zeros."""

import numpy as np


def decode(q, k, v, k_cache, v_cache):
    k_cache = np.concatenate([k_cache, k], axis=-2)
    v_cache = np.concatenate([v_cache, v], axis=-2)
    return np.zeros_like(v), k_cache, v_cache
