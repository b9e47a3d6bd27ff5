import math

import numpy as np


def attention(q, k, v, mask=None, causal=False):
    """Masked attention: (..., Tq, d), (..., Tk, d), (..., Tk, dv) -> (..., Tq, dv)."""
    scores = q @ k.swapaxes(-1, -2) / math.sqrt(q.shape[-1])

    # A hidden key gets the score minus infinity, so that its weight, exp(-inf), is exactly 0.
    visible = visible_keys(*scores.shape[-2:], mask, causal)
    scores = np.where(visible, scores, -np.inf)

    # Subtract each row's largest score, for exp not to overflow. In a row that sees nothing the largest
    # is -inf, and -inf - (-inf) would be NaN: there, subtract 0.
    peak = scores.max(axis=-1, keepdims=True)
    weights = np.exp(scores - np.where(peak == -np.inf, 0, peak))

    # In such a row all weights are 0, and so is their sum. Divided by 1 they stay 0.
    total = weights.sum(axis=-1, keepdims=True)
    weights /= np.where(total == 0, 1, total)
    return weights @ v


def visible_keys(queries, keys, mask, causal):
    """True where a query may look at a key: both the mask and the order of time must allow it."""
    visible = np.ones((queries, keys), dtype=bool)
    if causal:
        # The last query stands at the last key, so query i stands at key i + keys - queries.
        visible = np.tri(queries, keys, keys - queries, dtype=bool)
    return visible if mask is None else visible & mask
