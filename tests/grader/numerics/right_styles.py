"""Right implementations of masked attention in many styles: none may fail a check or be named a mistake.

All take q (..., Tq, d), k (..., Tk, d), v (..., Tk, dv), mask and causal, like the assignment `causal-mask`;
most compute in the dtype of q. Some stand in that assignment's own folder.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from bench.catalogue import styles

Array = np.ndarray
STYLES: dict[str, Callable[..., Array]] = styles("causal-mask")


def style(function: Callable[..., Array]) -> Callable[..., Array]:
    STYLES[function.__name__.replace("_", "-")] = function
    return function


def visible(q: Array, k: Array, mask: Array | None, causal: bool) -> Array:
    """Boolean, (..., Tq, Tk), spread over all leading axes."""
    queries, keys = q.shape[-2], k.shape[-2]
    seen = np.ones((*q.shape[:-1], keys), dtype=bool)
    if causal:
        seen &= np.arange(keys) <= np.arange(queries)[:, None] + keys - queries
    return seen if mask is None else seen & mask


def softmax(scores: Array, axis: int = -1) -> Array:
    """With rows of nothing but -inf giving zeros."""
    peak = scores.max(axis=axis, keepdims=True)
    weights = np.exp(scores - np.where(np.isneginf(peak), 0, peak))
    total = weights.sum(axis=axis, keepdims=True)
    return weights / np.where(total == 0, 1, total)


@style
def textbook(q: Array, k: Array, v: Array, mask: Any = None, causal: bool = False) -> Array:
    scores = np.matmul(q, np.swapaxes(k, -1, -2)) / math.sqrt(q.shape[-1])
    return softmax(np.where(visible(q, k, mask, causal), scores, -np.inf)) @ v


@style
def float64_inside(q: Array, k: Array, v: Array, mask: Any = None, causal: bool = False) -> Array:
    wide = [x.astype(np.float64) for x in (q, k, v)]
    return textbook(*wide, mask, causal).astype(q.dtype)


@style
def longdouble_inside(q: Array, k: Array, v: Array, mask: Any = None, causal: bool = False) -> Array:
    wide = [x.astype(np.longdouble) for x in (q, k, v)]
    return textbook(*wide, mask, causal).astype(q.dtype)


@style
def loops(q: Array, k: Array, v: Array, mask: Any = None, causal: bool = False) -> Array:
    """One score at a time, as it is written on paper."""
    seen = visible(q, k, mask, causal)
    result = np.zeros((*q.shape[:-1], v.shape[-1]), dtype=q.dtype)
    for head in np.ndindex(*q.shape[:-2]):
        for i, query in enumerate(q[head]):
            keys = [j for j in range(k.shape[-2]) if seen[(*head, i, j)]]
            scores = [float(query @ k[(*head, j)]) / math.sqrt(q.shape[-1]) for j in keys]
            raised = [math.exp(score - max(scores)) for score in scores]
            for j, weight in zip(keys, raised, strict=True):
                result[(*head, i)] += weight / sum(raised) * v[(*head, j)]
    return result


@style
def list_comprehension(q: Array, k: Array, v: Array, mask: Any = None, causal: bool = False) -> Array:
    seen = visible(q, k, mask, causal)
    flat = [x.reshape(-1, *x.shape[-2:]) for x in (q, k, v, seen)]
    heads = [
        [
            softmax(np.where(s, kh @ row / math.sqrt(row.size), -np.inf)) @ vh
            for row, s in zip(qh, sh, strict=True)
        ]
        for qh, kh, vh, sh in zip(*flat, strict=True)
    ]
    return np.array(heads, dtype=q.dtype).reshape(*q.shape[:-1], v.shape[-1])


@style
def one_key_at_a_time(q: Array, k: Array, v: Array, mask: Any = None, causal: bool = False) -> Array:
    """The online softmax kept normalised: after each key the result is right for the keys so far."""
    seen = visible(q, k, mask, causal)
    log_total = np.full(q.shape[:-1], -np.inf, dtype=q.dtype)
    result = np.zeros((*q.shape[:-1], v.shape[-1]), dtype=q.dtype)
    for j in range(k.shape[-2]):
        score = (q * k[..., j : j + 1, :]).sum(axis=-1) / math.sqrt(q.shape[-1])
        score = np.where(seen[..., j], score, -np.inf)
        new = np.logaddexp(log_total, score)
        base = np.where(np.isneginf(new), 0, new)
        kept, share = np.exp(log_total - base)[..., None], np.exp(score - base)[..., None]
        result = kept * result + share * v[..., j : j + 1, :]
        log_total = new
    return result


@style
def query_blocks(q: Array, k: Array, v: Array, mask: Any = None, causal: bool = False) -> Array:
    seen = visible(q, k, mask, causal)
    parts = [
        softmax(
            np.where(seen[..., i : i + 3, :], q[..., i : i + 3, :] @ k.mT / math.sqrt(q.shape[-1]), -np.inf)
        )
        @ v
        for i in range(0, q.shape[-2], 3)
    ]
    return np.concatenate(parts, axis=-2)


@style
def queries_scaled_first(q: Array, k: Array, v: Array, mask: Any = None, causal: bool = False) -> Array:
    scores = (q / math.sqrt(q.shape[-1])) @ k.mT
    return softmax(np.where(visible(q, k, mask, causal), scores, -np.inf)) @ v


@style
def scale_shared(q: Array, k: Array, v: Array, mask: Any = None, causal: bool = False) -> Array:
    """Half of the scale to the queries, half to the keys."""
    root = q.shape[-1] ** -0.25
    return softmax(np.where(visible(q, k, mask, causal), (q * root) @ (k * root).mT, -np.inf)) @ v


@style
def powers_of_two(q: Array, k: Array, v: Array, mask: Any = None, causal: bool = False) -> Array:
    scores = q @ k.mT * (math.log2(math.e) / math.sqrt(q.shape[-1]))
    scores = np.where(visible(q, k, mask, causal), scores, -np.inf)
    peak = scores.max(axis=-1, keepdims=True)
    weights = np.exp2(scores - np.where(np.isneginf(peak), 0, peak))
    total = weights.sum(axis=-1, keepdims=True)
    return (weights @ v) / np.where(total == 0, 1, total)


@style
def in_place_on_copies(q: Array, k: Array, v: Array, mask: Any = None, causal: bool = False) -> Array:
    q = q.copy()
    q /= math.sqrt(q.shape[-1])
    scores = q @ k.mT
    scores[~visible(q, k, mask, causal)] = -np.inf
    peak = scores.max(axis=-1, keepdims=True)
    peak[np.isneginf(peak)] = 0
    scores -= peak
    np.exp(scores, out=scores)
    total = scores.sum(axis=-1, keepdims=True)
    total[total == 0] = 1
    result = scores @ v
    result /= total
    return result


@style
def lowest_number_and_zeroed(q: Array, k: Array, v: Array, mask: Any = None, causal: bool = False) -> Array:
    """Hidden scores become the lowest finite number; what a row without keys makes of them is zeroed."""
    seen = visible(q, k, mask, causal)
    scores = np.where(seen, q @ k.mT / math.sqrt(q.shape[-1]), np.finfo(q.dtype).min)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True)) * seen
    total = weights.sum(axis=-1, keepdims=True)
    return weights @ v / np.maximum(total, np.finfo(q.dtype).tiny)


@style
def additive_mask_and_nan_to_num(
    q: Array, k: Array, v: Array, mask: Any = None, causal: bool = False
) -> Array:
    bias = np.where(visible(q, k, mask, causal), 0, -np.inf).astype(q.dtype)
    scores = q @ k.mT / math.sqrt(q.shape[-1]) + bias
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return np.nan_to_num(weights / weights.sum(axis=-1, keepdims=True), nan=0.0) @ v


@style
def keys_by_queries(q: Array, k: Array, v: Array, mask: Any = None, causal: bool = False) -> Array:
    """Everything transposed."""
    scores = np.where(visible(q, k, mask, causal).mT, k @ q.mT / math.sqrt(q.shape[-1]), -np.inf)
    return (v.mT @ softmax(scores, axis=-2)).mT


@style
def broadcast_and_sum(q: Array, k: Array, v: Array, mask: Any = None, causal: bool = False) -> Array:
    """No matmul at all."""
    scores = (q[..., :, None, :] * k[..., None, :, :]).sum(axis=-1) / math.sqrt(q.shape[-1])
    weights = softmax(np.where(visible(q, k, mask, causal), scores, -np.inf))
    return (weights[..., None] * v[..., None, :, :]).sum(axis=-2)


@style
def masked_array_inside(q: Array, k: Array, v: Array, mask: Any = None, causal: bool = False) -> Array:
    seen = visible(q, k, mask, causal)
    scores = np.ma.masked_array(q @ k.mT / math.sqrt(q.shape[-1]), mask=~seen)
    weights = np.ma.exp(scores - scores.max(axis=-1, keepdims=True)).filled(0)
    total = weights.sum(axis=-1, keepdims=True)
    return (weights / np.where(total == 0, 1, total)) @ v


@style
def only_the_keys_that_count(q: Array, k: Array, v: Array, mask: Any = None, causal: bool = False) -> Array:
    """Row by row, hidden keys left out before anything is computed."""
    seen = visible(q, k, mask, causal)
    result = np.zeros((*q.shape[:-1], v.shape[-1]), dtype=q.dtype)
    for row in np.ndindex(*q.shape[:-1]):
        if seen[row].any():
            scores = k[row[:-1]][seen[row]] @ q[row] / math.sqrt(q.shape[-1])
            result[row] = softmax(scores) @ v[row[:-1]][seen[row]]
    return result
