"""Right ways to write `rope(x, positions, base, interleaved)`: none may fail a check or be named."""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable
from typing import Any

import numpy as np

Array = np.ndarray


def angles_of(positions: Array, width: int, base: float) -> Array:
    """(T, d/2) in float64."""
    return np.asarray(positions, dtype=np.float64)[:, None] / base ** (np.arange(0, width, 2) / width)


def halves(x: Array, interleaved: bool) -> tuple[Array, Array]:
    half = x.shape[-1] // 2
    return (x[..., ::2], x[..., 1::2]) if interleaved else (x[..., :half], x[..., half:])


def joined(first: Array, second: Array, interleaved: bool) -> Array:
    if interleaved:
        return np.stack([first, second], axis=-1).reshape(*first.shape[:-1], -1)
    return np.concatenate([first, second], axis=-1)


def split_and_join(x: Array, positions: Array, base: float = 10000.0, interleaved: bool = False) -> Array:
    """Sine and cosine rounded to the dtype of x, and everything after them in it."""
    angles = angles_of(positions, x.shape[-1], base)
    cos, sin = np.cos(angles).astype(x.dtype), np.sin(angles).astype(x.dtype)
    a, b = halves(x, interleaved)
    return joined(a * cos - b * sin, b * cos + a * sin, interleaved)


def partner_beside(x: Array, positions: Array, base: float = 10000.0, interleaved: bool = False) -> Array:
    """x cos + partner(x) sin, with cosines and sines of full width."""
    angles = angles_of(positions, x.shape[-1], base)
    a, b = halves(x, interleaved)
    whole, partner = joined(angles, angles, interleaved), joined(-b, a, interleaved)
    return np.add(x * np.cos(whole), partner * np.sin(whole)).astype(x.dtype)


def seen_as_complex(x: Array, positions: Array, base: float = 10000.0, interleaved: bool = False) -> Array:
    """Neighbours are complex numbers in memory already; halves are woven into neighbours first."""
    wide = np.ascontiguousarray(joined(*halves(x, interleaved), True), dtype=np.float64)
    turned = wide.view(np.complex128) * np.exp(1j * angles_of(positions, x.shape[-1], base))
    return joined(*halves(turned.view(np.float64), True), interleaved).astype(x.dtype)


def one_number_at_a_time(
    x: Array, positions: Array, base: float = 10000.0, interleaved: bool = False
) -> Array:
    """Lists and Python's complex numbers."""
    width = x.shape[-1]
    pairs = [(2 * i, 2 * i + 1) if interleaved else (i, i + width // 2) for i in range(width // 2)]
    rows = []
    for number, row in enumerate(x.reshape(-1, width).tolist()):
        position, turned = float(positions[number % len(positions)]), [0.0] * width
        for i, (first, second) in enumerate(pairs):
            product = complex(row[first], row[second]) * cmath.exp(1j * position / base ** (2 * i / width))
            turned[first], turned[second] = product.real, product.imag
        rows.append(turned)
    return np.array(rows, dtype=x.dtype).reshape(x.shape)


def frequencies_by_exp(x: Array, positions: Array, base: float = 10000.0, interleaved: bool = False) -> Array:
    steps = np.arange(x.shape[-1] // 2)
    angles = positions[:, np.newaxis] * np.exp(steps * (-2.0 * math.log(base) / x.shape[-1]))
    result = np.empty(x.shape, x.dtype)
    (a, b), (to_a, to_b) = halves(x, interleaved), halves(result, interleaved)
    to_a[...] = np.cos(angles) * a - np.sin(angles) * b
    to_b[...] = np.sin(angles) * a + np.cos(angles) * b
    return result


def frequencies_one_from_another(
    x: Array, positions: Array, base: float = 10000.0, interleaved: bool = False
) -> Array:
    """Each pair turns slower than the one before by one and the same factor."""
    frequencies = np.cumprod([1.0] + [base ** (-2.0 / x.shape[-1])] * (x.shape[-1] // 2 - 1))
    angles = np.einsum("t,i->ti", positions, frequencies)
    a, b = halves(x, interleaved)
    return joined(
        a * np.cos(angles) - b * np.sin(angles), a * np.sin(angles) + b * np.cos(angles), interleaved
    ).astype(x.dtype)


def angles_no_wider_than_need_be(
    x: Array, positions: Array, base: float = 10000.0, interleaved: bool = False
) -> Array:
    """Angles in the dtype of x, but for float16, which needs them in float32."""
    dtype = np.promote_types(x.dtype, np.float32)
    exponents = np.arange(0, x.shape[-1], 2, dtype=dtype) / dtype.type(x.shape[-1])
    angles = positions.astype(dtype)[:, None] * (dtype.type(1) / dtype.type(base) ** exponents)
    a, b = (part.astype(dtype) for part in halves(x, interleaved))
    cos, sin = np.cos(angles), np.sin(angles)
    return joined(a * cos - b * sin, a * sin + b * cos, interleaved).astype(x.dtype)


def in_place_on_a_copy(x: Array, positions: Array, base: float = 10000.0, interleaved: bool = False) -> Array:
    angles = angles_of(positions, x.shape[-1], base)
    wide = np.array(x, dtype=np.float64)
    a, b = halves(wide, interleaved)
    old_a = a.copy()
    a *= np.cos(angles)
    a -= b * np.sin(angles)
    b *= np.cos(angles)
    b += old_a * np.sin(angles)
    return wide.astype(x.dtype)


def halves_from_neighbours(
    x: Array, positions: Array, base: float = 10000.0, interleaved: bool = False
) -> Array:
    """Calls itself: halves are neighbours in another order of the features, which is undone afterwards."""
    width = x.shape[-1]
    if not interleaved:
        order = np.arange(width).reshape(2, -1).T.ravel()
        return halves_from_neighbours(x[..., order], positions, base, True)[..., np.argsort(order)]
    pairs = x.reshape(*x.shape[:-1], width // 2, 2)
    angles = angles_of(positions, width, base)
    turns = np.stack([np.cos(angles), -np.sin(angles), np.sin(angles), np.cos(angles)], axis=-1)
    turned = turns.reshape(len(positions), width // 2, 2, 2) @ pairs[..., None]
    return turned.reshape(x.shape).astype(x.dtype)


def length_and_angle(x: Array, positions: Array, base: float = 10000.0, interleaved: bool = False) -> Array:
    """Each pair by its length and its own angle, to which that of the position is added."""
    a, b = (half.astype(np.float64) for half in halves(x, interleaved))
    length, angle = np.hypot(a, b), np.arctan2(b, a) + angles_of(positions, x.shape[-1], base)
    return joined(length * np.cos(angle), length * np.sin(angle), interleaved).astype(x.dtype)


STYLES: dict[str, Callable[..., Any]] = {
    "length-and-angle": length_and_angle,
    "split-and-join": split_and_join,
    "partner-beside": partner_beside,
    "seen-as-complex": seen_as_complex,
    "one-number-at-a-time": one_number_at_a_time,
    "frequencies-by-exp": frequencies_by_exp,
    "frequencies-one-from-another": frequencies_one_from_another,
    "angles-no-wider-than-need-be": angles_no_wider_than_need_be,
    "in-place-on-a-copy": in_place_on_a_copy,
    "halves-from-neighbours": halves_from_neighbours,
}
