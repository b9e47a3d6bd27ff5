"""Right ways to write `scores(q, k)` of the assignment `dot-product-scores`: none may fail a check or be named."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.grader.numerics.right_operations import SCORES

Array = np.ndarray


def triple_loop(q: Array, k: Array) -> Array:
    """Each product by itself, added in the dtype of q."""
    result = np.zeros((*q.shape[:-1], k.shape[-2]), dtype=q.dtype)
    for *head, i, j in np.ndindex(*result.shape):
        for c in range(q.shape[-1]):
            result[(*head, i, j)] += q[(*head, i, c)] * k[(*head, j, c)]
    return (result / math.sqrt(q.shape[-1])).astype(q.dtype)


def vectorize(q: Array, k: Array) -> Array:
    pair = np.vectorize(
        lambda a, b: np.dot(a, b) / math.sqrt(a.size), signature="(d),(d)->()", otypes=[q.dtype]
    )
    return np.asarray(pair(q[..., :, None, :], k[..., None, :, :]))


def column_by_column(q: Array, k: Array) -> Array:
    """One key at a time, from the last to the first."""
    columns = [np.vecdot(q, k[..., j, None, :]) for j in reversed(range(k.shape[-2]))]
    result: Array = np.stack(columns[::-1], axis=-1)
    result *= 1 / math.sqrt(q.shape[-1])
    return result


def flat_batches(q: Array, k: Array) -> Array:
    """Batch and heads in one axis, a matrix product for each."""
    parts = [
        np.dot(a, b.T)
        for a, b in zip(q.reshape(-1, *q.shape[-2:]), k.reshape(-1, *k.shape[-2:]), strict=True)
    ]
    result = np.array(parts).reshape(*q.shape[:-1], k.shape[-2])
    return (result / np.sqrt(q.shape[-1])).astype(q.dtype)


def longdouble_inside(q: Array, k: Array) -> Array:
    wide = np.einsum("...qd,...kd->...qk", q.astype(np.longdouble), k.astype(np.longdouble))
    return (wide / np.sqrt(np.longdouble(q.shape[-1]))).astype(q.dtype)


STYLES: dict[str, Callable[..., Any]] = {
    "triple-loop": triple_loop,
    "vectorize": vectorize,
    "column-by-column": column_by_column,
    "flat-batches": flat_batches,
    "longdouble-inside": longdouble_inside,
} | SCORES
