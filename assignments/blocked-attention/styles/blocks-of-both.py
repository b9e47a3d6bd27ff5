import math

import numpy as np


def blocks(length, block):
    return (slice(start, min(start + block, length)) for start in range(0, length, block))


def divided(result, total):
    return result / np.where(total == 0, 1, total)


def scores_of(q, k, rows, columns, causal):
    """The scaled scores of some queries with some keys, -inf where the future is."""
    scores = q[..., rows, :] @ k[..., columns, :].mT / math.sqrt(q.shape[-1])
    if causal:
        position = np.arange(q.shape[-2])[rows, None] + k.shape[-2] - q.shape[-2]
        scores = np.where(np.arange(k.shape[-2])[columns] <= position, scores, -np.inf)
    return scores


def finite(peak):
    return np.where(np.isneginf(peak), 0, peak)


def attention(q, k, v, causal=False):
    """Blocks of queries and of keys; keys wholly in the future are never met."""
    result = np.zeros((*q.shape[:-1], v.shape[-1]), dtype=q.dtype)
    for rows in blocks(q.shape[-2], 32):
        seen = max(0, rows.stop + k.shape[-2] - q.shape[-2]) if causal else k.shape[-2]
        peak = np.full((*q.shape[:-2], rows.stop - rows.start), -np.inf, dtype=q.dtype)
        total, summed = (np.zeros_like(peak), result[..., rows, :].copy())
        for columns in blocks(seen, 64):
            scores = scores_of(q, k, rows, columns, causal)
            own = scores.max(axis=-1)
            grown = np.maximum(peak, own)
            weights = np.exp(scores - finite(own)[..., None])
            old, new = (np.exp(peak - finite(grown)), np.exp(own - finite(grown)))
            total = old * total + new * weights.sum(axis=-1)
            summed = old[..., None] * summed + new[..., None] * (weights @ v[..., columns, :])
            peak = grown
        result[..., rows, :] = divided(summed, total[..., None])
    return result
