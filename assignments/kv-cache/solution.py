import math

import numpy as np


def decode(q, k, v, k_cache, v_cache):
    """n new tokens (..., n, d or dv) after T cached ones: their attention, and both caches with T + n tokens."""
    k_cache = np.concatenate([k_cache, k], axis=-2)
    v_cache = np.concatenate([v_cache, v], axis=-2)

    # The last query stands at the last key, so query i sees the keys 0 to T + i: all the cached ones and itself.
    new, total = q.shape[-2], k_cache.shape[-2]
    visible = np.tri(new, total, total - new, dtype=bool)

    scores = q @ k_cache.swapaxes(-1, -2) / math.sqrt(q.shape[-1])
    scores = np.where(visible, scores, -np.inf)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights /= weights.sum(axis=-1, keepdims=True)
    return weights @ v_cache, k_cache, v_cache
