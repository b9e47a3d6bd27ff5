import math

import numpy as np


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
    """The keys are halved until they are few; two results are merged by their sums."""

    def attend(columns):
        if columns.stop - columns.start <= 40:
            scores = scores_of(q, k, slice(None), columns, causal)
            peak = scores.max(axis=-1, keepdims=True)
            weights = np.exp(scores - finite(peak))
            return (peak, weights.sum(axis=-1, keepdims=True), weights @ v[..., columns, :])
        middle = (columns.start + columns.stop) // 2
        peak, total, result = attend(slice(columns.start, middle))
        other_peak, other_total, other_result = attend(slice(middle, columns.stop))
        both = np.maximum(peak, other_peak)
        one, other = (np.exp(peak - finite(both)), np.exp(other_peak - finite(both)))
        return (both, one * total + other * other_total, one * result + other * other_result)

    _, total, result = attend(slice(0, k.shape[-2]))
    return divided(result, total)
