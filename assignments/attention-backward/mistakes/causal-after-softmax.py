"""Weights are hidden after the softmax."""

import math

import numpy as np


def attention_backward(q, k, v, d_out, causal=False):
    scale = 1 / math.sqrt(q.shape[-1])
    weights = softmax(scale * q @ k.swapaxes(-1, -2))
    if causal:
        weights = np.tril(weights, k.shape[-2] - q.shape[-2])
    dv = weights.swapaxes(-1, -2) @ d_out
    d_weights = d_out @ v.swapaxes(-1, -2)
    mean = (weights * d_weights).sum(axis=-1, keepdims=True)
    d_scores = weights * (d_weights - mean)
    dq = scale * d_scores @ k
    dk = scale * d_scores.swapaxes(-1, -2) @ q
    return dq, dk, dv


def softmax(scores):
    peak = scores.max(axis=-1, keepdims=True)
    weights = np.exp(scores - np.where(peak == -np.inf, 0, peak))
    total = weights.sum(axis=-1, keepdims=True)
    return weights / np.where(total == 0, 1, total)
