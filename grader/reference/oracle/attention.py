"""What is right of scaled dot-product attention and of its parts."""

from __future__ import annotations

import math

import numpy as np

from ..expected import Expected
from ..masks import visible_keys
from .factors import ATTENTION, SCORES, SOFTMAX, WEIGHTS
from .rounding import Array, Rounded


def expected_scores(q: Array, k: Array) -> Expected:
    """q k^T / sqrt(d), (..., Tq, Tk); q (..., Tq, d), k (..., Tk, d)."""
    return rounded_scores(Rounded.exact(q), Rounded.exact(k)).expected(q.dtype, SCORES[q.dtype])


def expected_softmax(x: Array, axis: int = -1) -> Expected:
    """exp(x) divided by its sum along `axis`; a row of only -inf gives 0."""
    exact = np.asarray(x, dtype=np.float64)
    weights = Rounded(exact, np.abs(exact)).softmax(exact != -np.inf, axis)
    return weights.expected(x.dtype, SOFTMAX[x.dtype])


def expected_weights(q: Array, k: Array, mask: Array | None = None, causal: bool = False) -> Expected:
    """softmax(q k^T / sqrt(d)), (..., Tq, Tk), 0 for keys that are not seen."""
    scores = rounded_scores(Rounded.exact(q), Rounded.exact(k))
    weights = scores.softmax(visible_keys(q.shape[-2], k.shape[-2], mask, causal))
    return weights.expected(q.dtype, WEIGHTS[q.dtype])


def expected_attention(
    q: Array, k: Array, v: Array, mask: Array | None = None, causal: bool = False
) -> Expected:
    """softmax(q k^T / sqrt(d)) v with its tolerance; a query that sees no key gives 0.

    q (..., Tq, d), k (..., Tk, d), v (..., Tk, dv), all of the dtype that the answer must have: float16, float32
    or float64, KeyError for any other; mask broadcastable to (..., Tq, Tk), True = may look.

    An element may miss by about C eps (1 + max_j sum_i |q_i k_ji| / sqrt(d)) (weights |v|): a score rounds relative to
    the sum of its absolute terms, whether or not they cancel, and changes its weight by as much, relatively.
    """
    scores = rounded_scores(Rounded.exact(q), Rounded.exact(k))
    weights = scores.softmax(visible_keys(q.shape[-2], k.shape[-2], mask, causal))
    return (weights @ Rounded.exact(v)).expected(q.dtype, ATTENTION[q.dtype])


def expected_attention_and_weights(
    q: Array, k: Array, v: Array, mask: Array | None = None, causal: bool = False
) -> dict[str, Expected]:
    """The attention and the weights it was made with, (..., Tq, dv) and (..., Tq, Tk)."""
    return {
        "output": expected_attention(q, k, v, mask, causal),
        "weights": expected_weights(q, k, mask, causal),
    }


def rounded_scores(q: Rounded, k: Rounded) -> Rounded:
    return (q @ k.mT) / math.sqrt(q.value.shape[-1])
