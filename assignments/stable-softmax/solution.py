import numpy as np


def softmax(x, axis=-1):
    """Weights of the shape of x that sum to 1 along `axis`; a row of nothing but -inf gives zeros."""
    # With each row's largest number subtracted exp gives at most 1, and 1 at least once. In a row of nothing
    # but -inf the largest is -inf, and -inf - (-inf) would be NaN: there, subtract 0.
    peak = x.max(axis=axis, keepdims=True)
    weights = np.exp(x - np.where(peak == -np.inf, 0, peak))

    # In such a row all weights are 0, and so is their sum. Divided by 1 they stay 0.
    total = weights.sum(axis=axis, keepdims=True)
    return weights / np.where(total == 0, 1, total)
