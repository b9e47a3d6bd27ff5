"""Right ways to write `softmax(x, axis=-1)` of the assignment `stable-softmax`: none may fail a check or be named."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tests.grader.numerics.right_operations import SOFTMAX
from tests.grader.numerics.right_styles import softmax

Array = np.ndarray


def of_a_list(row: Sequence[float]) -> list[float]:
    """Plain Python, added up exactly."""
    peak = max(row)
    if peak == -math.inf:
        return [0.0] * len(row)
    raised = [math.exp(number - peak) for number in row]
    return [weight / math.fsum(raised) for weight in raised]


def lists(x: Array, axis: int = -1) -> Array:
    rows = np.moveaxis(x, axis, -1)
    weights = [of_a_list(row.tolist()) for row in rows.reshape(-1, rows.shape[-1])]
    return np.moveaxis(np.array(weights, dtype=x.dtype).reshape(rows.shape), -1, axis)


def along_axis(x: Array, axis: int = -1) -> Array:
    return np.apply_along_axis(lambda row: np.array(of_a_list(row), dtype=x.dtype), axis, x)


def loop_in_the_dtype_of_x(x: Array, axis: int = -1) -> Array:
    """Row by row, summed from the last number to the first."""
    rows = np.moveaxis(x, axis, -1)
    result = np.zeros(rows.shape, dtype=x.dtype)
    for place in np.ndindex(*rows.shape[:-1]):
        row = rows[place]
        if np.isneginf(row).all():
            continue
        raised = np.exp(row - row.max())
        total = x.dtype.type(0)
        for weight in raised[::-1]:
            total += weight
        result[place] = raised / total
    return np.moveaxis(result, -1, axis)


def pairwise_differences(x: Array, axis: int = -1) -> Array:
    """1 / sum of exp(x_j - x_i): no maximum at all, since a sum that overflows divides to 0."""
    rows = np.moveaxis(x, axis, -1)
    apart = rows[..., None, :] - np.where(np.isneginf(rows), 0, rows)[..., :, None]
    with np.errstate(over="ignore"):
        total = np.exp(apart).sum(axis=-1)
    return np.moveaxis(np.where(np.isneginf(rows), 0, 1 / np.where(total == 0, 1, total)), -1, axis)


def only_what_counts(x: Array, axis: int = -1) -> Array:
    """Minus infinity is left out before anything is computed."""
    seen = x > -np.inf
    peak = x.max(axis=axis, keepdims=True, where=seen, initial=np.finfo(x.dtype).min)
    weights = np.zeros(x.shape, dtype=x.dtype)
    np.exp(np.subtract(x, peak, where=seen, out=weights), where=seen, out=weights)
    total = weights.sum(axis=axis, keepdims=True)
    np.divide(weights, total, where=seen, out=weights)
    return weights


def tiny_added(x: Array, axis: int = -1) -> Array:
    """The smallest normal number added to the sum is lost in any sum but that of an empty row."""
    peak = np.maximum(x.max(axis=axis, keepdims=True), np.finfo(x.dtype).min)
    weights = np.exp(x - peak)
    return weights / (weights.sum(axis=axis, keepdims=True) + np.finfo(x.dtype).tiny)


def longdouble_inside(x: Array, axis: int = -1) -> Array:
    return softmax(x.astype(np.longdouble), axis).astype(x.dtype)


STYLES: dict[str, Callable[..., Any]] = {
    "lists": lists,
    "along-axis": along_axis,
    "loop-in-the-dtype-of-x": loop_in_the_dtype_of_x,
    "pairwise-differences": pairwise_differences,
    "only-what-counts": only_what_counts,
    "tiny-added": tiny_added,
    "longdouble-inside": longdouble_inside,
} | SOFTMAX
