import math

import numpy as np

BLOCK = 128  # keys at a time


def attention(q, k, v, causal=False):
    """softmax(q k^T / sqrt(d)) v, (..., Tq, dv), without ever holding all scores."""
    queries, keys = q.shape[-2], k.shape[-2]
    q = q / math.sqrt(q.shape[-1])

    # For each query, over the keys so far: the largest score, and relative to it the sum of all weights
    # and the weighted sum of the values.
    peak = np.full((*q.shape[:-1], 1), -np.inf, dtype=q.dtype)
    total = np.zeros((*q.shape[:-1], 1), dtype=q.dtype)
    result = np.zeros((*q.shape[:-1], v.shape[-1]), dtype=q.dtype)

    for start in range(0, keys, BLOCK):
        block = slice(start, min(start + BLOCK, keys))
        scores = q @ k[..., block, :].swapaxes(-1, -2)
        if causal:
            last_seen = np.arange(queries)[:, None] + keys - queries
            scores = np.where(np.arange(block.start, block.stop) <= last_seen, scores, -np.inf)

        # While a query has seen nothing its largest score is -inf, and -inf - (-inf) would be NaN.
        grown = np.maximum(peak, scores.max(axis=-1, keepdims=True))
        base = np.where(grown == -np.inf, 0, grown)
        weights = np.exp(scores - base)

        # What was summed before is relative to the old peak: bring it to the new one, then add.
        correction = np.exp(peak - base)
        total = correction * total + weights.sum(axis=-1, keepdims=True)
        result = correction * result + weights @ v[..., block, :]
        peak = grown

    return result / np.where(total == 0, 1, total)
