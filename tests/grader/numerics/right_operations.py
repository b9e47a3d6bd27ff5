"""Right scores, softmaxes, weights and rotations in many styles: none may fail the tolerance of its oracle.

They take the arguments of their operation in `grader.reference`; most compute in the dtype of the inputs. Those of
attention itself are in `right_styles.py`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.grader.numerics.right_styles import softmax, visible

Array = np.ndarray
Styles = dict[str, Callable[..., Any]]
SCORES: Styles = {}
SOFTMAX: Styles = {}
WEIGHTS: Styles = {}
ROPE: Styles = {}


def style_of(styles: Styles) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Adds a function under its own name, but for the word before the first underscore: that of its operation."""

    def add(function: Callable[..., Any]) -> Callable[..., Any]:
        styles[function.__name__.partition("_")[2].replace("_", "-")] = function
        return function

    return add


def one_by_one(a: Array, b: Array) -> Array:
    """a @ b with its terms added one after the other in the dtype of a: rounded as often as can be."""
    result = np.zeros((*np.broadcast_shapes(a.shape[:-2], b.shape[:-2]), a.shape[-2], b.shape[-1]), a.dtype)
    for i in range(a.shape[-1]):
        result += a[..., :, i : i + 1] * b[..., i : i + 1, :]
    return result


def einsum_product(a: Array, b: Array) -> Array:
    return np.einsum("...ij,...jk->...ik", a, b)


def float64_inside(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same, everything widened before, and the result narrowed after."""

    def wide(value: Any) -> Any:
        floating = isinstance(value, np.ndarray) and value.dtype.kind == "f"
        return value.astype(np.float64) if floating else value

    def widened(x: Array, *others: Any, **named: Any) -> Any:
        result = function(wide(x), *map(wide, others), **{name: wide(value) for name, value in named.items()})
        if isinstance(result, tuple):
            return tuple(each.astype(x.dtype) for each in result)
        return result.astype(x.dtype)

    return widened


# Scores: scores(q, k)


@style_of(SCORES)
def scores_textbook(q: Array, k: Array) -> Array:
    return q @ k.mT / math.sqrt(q.shape[-1])


@style_of(SCORES)
def scores_queries_scaled_first(q: Array, k: Array) -> Array:
    return (q / math.sqrt(q.shape[-1])) @ k.mT


@style_of(SCORES)
def scores_scale_shared(q: Array, k: Array) -> Array:
    root = q.shape[-1] ** -0.25
    return (q * root) @ (k * root).mT


@style_of(SCORES)
def scores_einsum(q: Array, k: Array) -> Array:
    return np.einsum("...qd,...kd->...qk", q, k) * q.dtype.type(q.shape[-1] ** -0.5)


@style_of(SCORES)
def scores_one_by_one(q: Array, k: Array) -> Array:
    return one_by_one(q, k.mT) / math.sqrt(q.shape[-1])


@style_of(SCORES)
def scores_one_by_one_scaled_first(q: Array, k: Array) -> Array:
    return one_by_one(q / math.sqrt(q.shape[-1]), k.mT)


@style_of(SCORES)
def scores_broadcast_and_sum(q: Array, k: Array) -> Array:
    return (q[..., :, None, :] * k[..., None, :, :]).sum(axis=-1) / math.sqrt(q.shape[-1])


@style_of(SCORES)
def scores_keys_by_queries(q: Array, k: Array) -> Array:
    return (k @ q.mT / math.sqrt(q.shape[-1])).mT


@style_of(SCORES)
def scores_one_query_at_a_time(q: Array, k: Array) -> Array:
    rows = [(k @ q[..., i, :, None])[..., 0] for i in range(q.shape[-2])]
    return np.stack(rows, axis=-2) / math.sqrt(q.shape[-1])


SCORES["float64-inside"] = float64_inside(scores_textbook)


# Softmax: softmax(x, axis=-1)


@style_of(SOFTMAX)
def softmax_textbook(x: Array, axis: int = -1) -> Array:
    return softmax(x, axis)


@style_of(SOFTMAX)
def softmax_in_place(x: Array, axis: int = -1) -> Array:
    result = x.copy()
    peak = result.max(axis=axis, keepdims=True)
    peak[np.isneginf(peak)] = 0
    result -= peak
    np.exp(result, out=result)
    total = result.sum(axis=axis, keepdims=True)
    total[total == 0] = 1
    result /= total
    return result


@style_of(SOFTMAX)
def softmax_summed_one_by_one(x: Array, axis: int = -1) -> Array:
    peak = x.max(axis=axis, keepdims=True)
    raised = np.exp(x - np.where(np.isneginf(peak), 0, peak))
    total = np.add.accumulate(raised, axis=axis).take([-1], axis=axis)
    return raised / np.where(total == 0, 1, total)


@style_of(SOFTMAX)
def softmax_by_the_reciprocal(x: Array, axis: int = -1) -> Array:
    peak = x.max(axis=axis, keepdims=True)
    raised = np.exp(x - np.where(np.isneginf(peak), 0, peak))
    total = raised.sum(axis=axis, keepdims=True)
    return raised * (1 / np.where(total == 0, 1, total))


@style_of(SOFTMAX)
def softmax_powers_of_two(x: Array, axis: int = -1) -> Array:
    x = x * math.log2(math.e)
    peak = x.max(axis=axis, keepdims=True)
    raised = np.exp2(x - np.where(np.isneginf(peak), 0, peak))
    total = raised.sum(axis=axis, keepdims=True)
    return raised / np.where(total == 0, 1, total)


@style_of(SOFTMAX)
def softmax_log_sum_exp(x: Array, axis: int = -1) -> Array:
    """The logarithm of the sum is subtracted; a sum of one by one, and of a size that x itself has."""
    log_total = np.logaddexp.reduce(x, axis=axis, keepdims=True)
    return np.exp(x - np.where(np.isneginf(log_total), 0, log_total))


@style_of(SOFTMAX)
def softmax_log_softmax(x: Array, axis: int = -1) -> Array:
    peak = x.max(axis=axis, keepdims=True)
    shifted = x - np.where(np.isneginf(peak), 0, peak)
    total = np.exp(shifted).sum(axis=axis, keepdims=True)
    return np.exp(shifted - np.log(np.where(total == 0, 1, total)))


@style_of(SOFTMAX)
def softmax_running_maximum(x: Array, axis: int = -1) -> Array:
    """One pass for the maximum and the sum, rescaled whenever the maximum grows."""
    x = np.moveaxis(x, axis, -1)
    peak = np.full((*x.shape[:-1], 1), -np.inf, x.dtype)
    total = np.zeros_like(peak)
    for j in range(x.shape[-1]):
        new = np.maximum(peak, x[..., j : j + 1])
        base = np.where(np.isneginf(new), 0, new)
        total = total * np.exp(peak - base) + np.exp(x[..., j : j + 1] - base)
        peak = new
    weights = np.exp(x - np.where(np.isneginf(peak), 0, peak)) / np.where(total == 0, 1, total)
    return np.moveaxis(weights, -1, axis)


SOFTMAX["float64-inside"] = float64_inside(softmax)


# Attention weights: weights(q, k, mask=None, causal=False). Every way to the scores, every way on from there.


def weights_style(score: Callable[..., Array], normalise: Callable[..., Array]) -> Callable[..., Array]:
    def weights(q: Array, k: Array, mask: Any = None, causal: bool = False) -> Array:
        return normalise(np.where(visible(q, k, mask, causal), score(q, k), -np.inf))

    return weights


for score_name, score in SCORES.items():
    for softmax_name, normalise in SOFTMAX.items():
        if "textbook" in (score_name, softmax_name):
            WEIGHTS[f"{score_name}, {softmax_name}"] = weights_style(score, normalise)
WEIGHTS["float64-inside"] = float64_inside(weights_style(scores_textbook, softmax))


# RoPE: rope(x, positions, base=10000.0, interleaved=False)


def halves(x: Array, interleaved: bool) -> tuple[Array, Array]:
    half = x.shape[-1] // 2
    return (x[..., ::2], x[..., 1::2]) if interleaved else (x[..., :half], x[..., half:])


def joined(first: Array, second: Array, interleaved: bool) -> Array:
    if interleaved:
        return np.stack([first, second], axis=-1).reshape(*first.shape[:-1], -1)
    return np.concatenate([first, second], axis=-1)


@style_of(ROPE)
def rope_textbook(x: Array, positions: Array, base: float = 10000.0, interleaved: bool = False) -> Array:
    angles = np.asarray(positions)[..., None] / base ** (np.arange(0, x.shape[-1], 2) / x.shape[-1])
    cos, sin = np.cos(angles).astype(x.dtype), np.sin(angles).astype(x.dtype)
    a, b = halves(x, interleaved)
    return joined(a * cos - b * sin, a * sin + b * cos, interleaved)


@style_of(ROPE)
def rope_angles_no_wider_than_need_be(
    x: Array, positions: Array, base: float = 10000.0, interleaved: bool = False
) -> Array:
    """In the dtype of x throughout; angles in float32 where that is float16."""
    dtype = np.promote_types(x.dtype, np.float32)
    exponents = np.arange(0, x.shape[-1], 2, dtype=dtype) / dtype.type(x.shape[-1])
    frequencies = dtype.type(1) / dtype.type(base) ** exponents
    angles = np.asarray(positions, dtype)[..., None] * frequencies
    cos, sin = np.cos(angles).astype(x.dtype), np.sin(angles).astype(x.dtype)
    a, b = halves(x, interleaved)
    return joined(a * cos - b * sin, a * sin + b * cos, interleaved)


@style_of(ROPE)
def rope_frequencies_by_exp(
    x: Array, positions: Array, base: float = 10000.0, interleaved: bool = False
) -> Array:
    dtype = np.promote_types(x.dtype, np.float32)
    steps = np.arange(x.shape[-1] // 2, dtype=dtype)
    frequencies = np.exp(steps * dtype.type(-2 * math.log(base) / x.shape[-1]))
    angles = np.asarray(positions, dtype)[..., None] * frequencies
    cos, sin = np.cos(angles).astype(x.dtype), np.sin(angles).astype(x.dtype)
    result = np.empty_like(x)
    (a, b), (to_a, to_b) = halves(x, interleaved), halves(result, interleaved)
    to_a[...] = cos * a - sin * b
    to_b[...] = sin * a + cos * b
    return result


@style_of(ROPE)
def rope_complex_numbers(
    x: Array, positions: Array, base: float = 10000.0, interleaved: bool = False
) -> Array:
    dtype = np.complex128 if x.dtype == np.float64 else np.complex64
    angles = np.asarray(positions)[..., None] * base ** (-np.arange(0, x.shape[-1], 2) / x.shape[-1])
    a, b = halves(x, interleaved)
    turned = (a + 1j * b).astype(dtype) * np.exp(1j * angles).astype(dtype)
    return joined(turned.real, turned.imag, interleaved).astype(x.dtype)


@style_of(ROPE)
def rope_rotate_half(x: Array, positions: Array, base: float = 10000.0, interleaved: bool = False) -> Array:
    """x cos + rotated(x) sin, each of full width."""
    angles = np.asarray(positions)[..., None] * base ** (-np.arange(0, x.shape[-1], 2) / x.shape[-1])
    whole = joined(angles, angles, interleaved)
    a, b = halves(x, interleaved)
    return x * np.cos(whole).astype(x.dtype) + joined(-b, a, interleaved) * np.sin(whole).astype(x.dtype)


@style_of(ROPE)
def rope_matrices(x: Array, positions: Array, base: float = 10000.0, interleaved: bool = False) -> Array:
    """A (d, d) matrix for each position."""
    width = x.shape[-1]
    angles = np.asarray(positions)[..., None] * base ** (-np.arange(0, width, 2) / width)
    first, second = halves(np.arange(width), interleaved)
    turns = np.zeros((*angles.shape[:-1], width, width), x.dtype)
    turns[..., first, first] = turns[..., second, second] = np.cos(angles)
    turns[..., first, second], turns[..., second, first] = -np.sin(angles), np.sin(angles)
    return (turns @ x[..., None])[..., 0]


ROPE["float64-inside"] = float64_inside(rope_textbook)
