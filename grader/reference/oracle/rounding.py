"""Numbers in float64 that know how far off an answer in a narrower dtype may be."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..expected import Expected

Array = NDArray[Any]
Float64 = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Rounded:
    """An intermediate result of a right computation; a formula of these reads as it is written.

    value:  in float64.
    error:  of the same shape: how far rounding may take it, in units of eps of the dtype that is computed in.

    Each step adds a rounding of its own, relative to the sum of its absolute terms, to what its operands bring
    along, each as far as it can move the result. These are first-order bounds; an oracle multiplies its result's by
    a factor that was measured.
    """

    value: Float64
    error: Float64

    @classmethod
    def exact(cls, array: Array) -> Rounded:
        """An input, which is rounded to its dtype already."""
        value = np.asarray(array, dtype=np.float64)
        return cls(value, np.zeros_like(value))

    @classmethod
    def moved(cls, move: Callable[..., Float64], *parts: Rounded) -> Rounded:
        """With elements moved, repeated or joined, by a function that looks at their places only."""
        return cls(move(*(part.value for part in parts)), move(*(part.error for part in parts)))

    @property
    def mT(self) -> Rounded:  # noqa: N802 - the array standard's name for it
        return Rounded.moved(np.matrix_transpose, self)

    def __matmul__(self, other: Rounded) -> Rounded:
        own, others = np.abs(self.value), np.abs(other.value)
        return Rounded(self.value @ other.value, (own + self.error) @ others + own @ other.error)

    def __mul__(self, other: Rounded) -> Rounded:
        own, others = np.abs(self.value), np.abs(other.value)
        return Rounded(self.value * other.value, (own + self.error) * others + own * other.error)

    def __add__(self, other: Rounded) -> Rounded:
        value = self.value + other.value
        return Rounded(value, np.abs(value) + self.error + other.error)

    def __sub__(self, other: Rounded) -> Rounded:
        value = self.value - other.value
        return Rounded(value, np.abs(value) + self.error + other.error)

    def __truediv__(self, number: float) -> Rounded:
        """By a positive number; its own rounding is small beside that of the product that is scaled."""
        return Rounded(self.value / number, self.error / number)

    def sum(self) -> Rounded:
        """Along the last axis, which stays, with length 1."""
        value, error = (each.sum(axis=-1, keepdims=True) for each in (self.value, self.error))
        return Rounded(value, np.abs(self.value).sum(axis=-1, keepdims=True) + error)

    def softmax(self, visible: Array | None = None, axis: int = -1) -> Rounded:
        """Over what is visible; 0 elsewhere.

        An error of a score changes its weight by as much, relatively. So does one of the logarithm of the sum, for
        those who subtract that: it may exceed all scores by log(number of keys).
        """
        weights = softmax(self.value, visible, axis)
        reach = largest(self.error, visible, axis)
        keys = np.sum(
            np.broadcast_to(True if visible is None else visible, weights.shape), axis, keepdims=True
        )
        return Rounded(weights, weights * (1.0 + reach + np.log(np.maximum(keys, 1))))

    def expected(self, dtype: np.dtype[Any], factor: float) -> Expected:
        """What an answer in `dtype` is judged by: it may miss by factor * eps * error, and the smallest number."""
        limits = np.finfo(dtype)
        tolerance: Float64 = factor * float(limits.eps) * self.error + float(limits.tiny)
        return Expected(self.value, tolerance, dtype)


def softmax(scores: Float64, visible: Array | None = None, axis: int = -1) -> Float64:
    """Over what is visible, which is broadcast; 0 elsewhere."""
    if visible is not None:
        scores = np.where(visible, scores, -np.inf)
    peak = scores.max(axis=axis, keepdims=True, initial=-np.inf)
    weights: Float64 = np.exp(scores - np.where(peak == -np.inf, 0.0, peak))
    total = weights.sum(axis=axis, keepdims=True)
    weights /= np.where(total == 0.0, 1.0, total)
    return weights


def largest(sizes: Float64, visible: Array | None = None, axis: int = -1) -> Float64:
    """Among what is visible, 0 where nothing is; the axis stays, with length 1."""
    seen = True if visible is None else np.broadcast_to(visible, sizes.shape)
    return np.asarray(sizes.max(axis=axis, keepdims=True, where=seen, initial=0.0))
