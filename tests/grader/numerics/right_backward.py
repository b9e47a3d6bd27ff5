"""Right gradients of attention in many styles: none may fail the tolerance of its oracle.

All take q, k, v, d_out, mask and causal, and return (dq, dk, dv).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.grader.numerics.right_operations import (
    Array,
    Styles,
    einsum_product,
    float64_inside,
    one_by_one,
    softmax_log_sum_exp,
    softmax_summed_one_by_one,
    style_of,
)
from tests.grader.numerics.right_styles import softmax, visible

Gradients = tuple[Array, Array, Array]


def backward_style(
    product: Callable[..., Array] = np.matmul, normalise: Callable[..., Array] = softmax
) -> Callable[..., Gradients]:
    def backward(
        q: Array, k: Array, v: Array, d_out: Array, mask: Any = None, causal: bool = False
    ) -> Gradients:
        scale = 1 / math.sqrt(q.shape[-1])
        scores = product(q, k.mT) * scale
        weights = normalise(np.where(visible(q, k, mask, causal), scores, -np.inf))
        d_weights = product(d_out, v.mT)
        d_scores = weights * (d_weights - (weights * d_weights).sum(axis=-1, keepdims=True)) * scale
        return product(d_scores, k), product(d_scores.mT, q), product(weights.mT, d_out)

    return backward


BACKWARD: Styles = {
    "textbook": backward_style(),
    "einsum": backward_style(einsum_product),
    "one-by-one": backward_style(one_by_one, softmax_summed_one_by_one),
    "log-sum-exp": backward_style(normalise=softmax_log_sum_exp),
}
BACKWARD["float64-inside"] = float64_inside(BACKWARD["textbook"])


@style_of(BACKWARD)
def backward_common_part_from_the_output(
    q: Array, k: Array, v: Array, d_out: Array, mask: Any = None, causal: bool = False
) -> Gradients:
    """What the gradients of a row's scores have in common is d_out times the output; the scale comes last."""
    scale = 1 / math.sqrt(q.shape[-1])
    weights = softmax(np.where(visible(q, k, mask, causal), (q * scale) @ k.mT, -np.inf))
    common = (d_out * (weights @ v)).sum(axis=-1, keepdims=True)
    d_scores = weights * (d_out @ v.mT - common)
    return d_scores @ k * scale, d_scores.mT @ q * scale, weights.mT @ d_out


@style_of(BACKWARD)
def backward_products_apart(
    q: Array, k: Array, v: Array, d_out: Array, mask: Any = None, causal: bool = False
) -> Gradients:
    """weights * d_weights minus weights * its sum: two numbers that may nearly cancel."""
    scale = 1 / math.sqrt(q.shape[-1])
    weights = softmax(np.where(visible(q, k, mask, causal), q @ k.mT * scale, -np.inf))
    product = weights * (d_out @ v.mT)
    d_scores = product - weights * product.sum(axis=-1, keepdims=True)
    return d_scores @ (k * scale), d_scores.mT @ (q * scale), weights.mT @ d_out


@style_of(BACKWARD)
def backward_jacobian(
    q: Array, k: Array, v: Array, d_out: Array, mask: Any = None, causal: bool = False
) -> Gradients:
    """One query at a time, with the whole matrix of derivatives of its softmax."""
    scale = q.dtype.type(1 / math.sqrt(q.shape[-1]))
    weights = softmax(np.where(visible(q, k, mask, causal), q @ k.mT * scale, -np.inf))
    dq, dk, dv = np.zeros_like(q), np.zeros_like(k), np.zeros_like(v)
    for i in range(q.shape[-2]):
        p, gradient = weights[..., i, :], d_out[..., i, :]
        jacobian = p[..., :, None] * np.eye(p.shape[-1], dtype=q.dtype) - p[..., :, None] * p[..., None, :]
        d_scores = jacobian @ (v @ gradient[..., None])
        dq[..., i, :] = (d_scores * k).sum(axis=-2) * scale
        dk += d_scores * q[..., i : i + 1, :] * scale
        dv += p[..., :, None] * gradient[..., None, :]
    return dq, dk, dv


@style_of(BACKWARD)
def backward_blocks_of_keys(
    q: Array, k: Array, v: Array, d_out: Array, mask: Any = None, causal: bool = False
) -> Gradients:
    """Weights made again from the logarithm of their sum, five keys at a time."""
    scale = 1 / math.sqrt(q.shape[-1])
    seen = visible(q, k, mask, causal)
    scores = np.where(seen, q @ k.mT * scale, -np.inf)
    log_total = np.logaddexp.reduce(scores, axis=-1, keepdims=True)
    log_total = np.where(np.isneginf(log_total), 0, log_total)
    common = (d_out * (np.exp(scores - log_total) @ v)).sum(axis=-1, keepdims=True)
    dq, dk, dv = np.zeros_like(q), np.zeros_like(k), np.zeros_like(v)
    for start in range(0, k.shape[-2], 5):
        part = np.s_[..., start : start + 5, :]
        again = np.where(seen[..., start : start + 5], q @ k[part].mT * scale, -np.inf)
        weights = np.exp(again - log_total)
        d_scores = weights * (d_out @ v[part].mT - common) * scale
        dq += d_scores @ k[part]
        dk[part] = d_scores.mT @ q
        dv[part] = weights.mT @ d_out
    return dq, dk, dv
