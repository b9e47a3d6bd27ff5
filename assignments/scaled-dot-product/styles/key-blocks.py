import numpy as np

BLOCK = 5


def attention(q, k, v):
    """The online softmax: blocks of keys, a running maximum, and sums that are rescaled when it grows."""
    q = q * q.dtype.type(q.shape[-1] ** -0.5)
    peak = np.full((*q.shape[:-1], 1), -np.inf, dtype=q.dtype)
    total = np.zeros_like(peak)
    summed = np.zeros((*q.shape[:-1], v.shape[-1]), dtype=q.dtype)
    for start in range(0, k.shape[-2], BLOCK):
        keys, values = k[..., start : start + BLOCK, :], v[..., start : start + BLOCK, :]
        scores = q @ keys.swapaxes(-1, -2)
        higher = np.maximum(peak, scores.max(axis=-1, keepdims=True))
        weights = np.exp(scores - higher)
        shrink = np.exp(peak - higher)
        total = total * shrink + weights.sum(axis=-1, keepdims=True)
        summed = summed * shrink + weights @ values
        peak = higher
    return summed / total
