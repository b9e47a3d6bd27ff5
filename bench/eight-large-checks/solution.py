import math

import numpy as np


def attention(q, k, v):
    """Scaled dot-product attention: (..., Tq, d), (..., Tk, d), (..., Tk, dv) -> (..., Tq, dv)."""
    # How well does each query match each key? One row per query, one column per key.
    scores = q @ k.swapaxes(-1, -2) / math.sqrt(q.shape[-1])

    # A softmax along the keys. Subtracting each row's largest score changes nothing in the ratio below,
    # but keeps exp from overflowing, and leaves at least one exp(0) = 1 in every sum.
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights /= weights.sum(axis=-1, keepdims=True)

    # Each result is the mean of the values, weighted by how well their keys match.
    return weights @ v
