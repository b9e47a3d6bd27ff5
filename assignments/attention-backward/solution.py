import math

import numpy as np


def attention_backward(q, k, v, d_out, causal=False):
    """For d_out, the gradient of a loss by attention's result, the gradients by q, k and v: (dq, dk, dv)."""
    scale = 1 / math.sqrt(q.shape[-1])
    weights = softmax(scaled_scores(q, k, scale, causal))

    # out = weights @ v: the gradient of each factor is d_out times the other one, transposed.
    dv = weights.swapaxes(-1, -2) @ d_out
    d_weights = d_out @ v.swapaxes(-1, -2)

    # A score that grows takes weight from all others in its row, so what counts of a weight's gradient
    # is by how much it exceeds the mean of its row, taken with the weights. Hidden keys have weight 0.
    mean = (weights * d_weights).sum(axis=-1, keepdims=True)
    d_scores = weights * (d_weights - mean)

    # scores = scale * q @ k.T: again a product, and the scale is a factor of both gradients.
    dq = scale * d_scores @ k
    dk = scale * d_scores.swapaxes(-1, -2) @ q
    return dq, dk, dv


def scaled_scores(q, k, scale, causal):
    """How well each key matches each query; minus infinity where the query may not look."""
    scores = scale * q @ k.swapaxes(-1, -2)
    queries, keys = scores.shape[-2:]
    if causal:
        scores = np.where(np.tri(queries, keys, keys - queries, dtype=bool), scores, -np.inf)
    return scores


def softmax(scores):
    """Along the keys; a row that sees nothing gets weights of 0."""
    peak = scores.max(axis=-1, keepdims=True)
    weights = np.exp(scores - np.where(peak == -np.inf, 0, peak))
    total = weights.sum(axis=-1, keepdims=True)
    return weights / np.where(total == 0, 1, total)
