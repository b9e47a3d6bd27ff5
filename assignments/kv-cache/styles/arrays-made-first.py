import numpy as np


def softmax(scores):
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=-1, keepdims=True))


def decode(q, k, v, k_cache, v_cache):
    """Room for all tokens is made, and filled; everything is computed in float64."""
    cached, new = (k_cache.shape[-2], k.shape[-2])
    keys = np.empty((*k.shape[:-2], cached + new, k.shape[-1]), k.dtype)
    values = np.empty((*v.shape[:-2], cached + new, v.shape[-1]), v.dtype)
    keys[..., :cached, :], keys[..., cached:, :] = (k_cache, k)
    values[..., :cached, :], values[..., cached:, :] = (v_cache, v)
    scores = q.astype(np.float64) @ keys.astype(np.float64).mT / np.sqrt(q.shape[-1])
    position = cached + np.arange(new)[:, None]
    scores[..., np.arange(cached + new) > position] = -np.inf
    return ((softmax(scores) @ values).astype(q.dtype), keys, values)
