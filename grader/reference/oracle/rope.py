"""What is right of the rotary position embedding."""

from __future__ import annotations

import numpy as np

from ..expected import Expected
from .factors import ROPE
from .rounding import Array, Rounded


def expected_rope(x: Array, positions: Array, base: float = 10000.0, interleaved: bool = False) -> Expected:
    """x (..., T, d) with its pairs turned, as `rope` describes its arguments.

    Angles may be computed in the dtype of x, but for float16: it would not tell position 2049 from 2048, so they
    must be of float32 there. An angle that is a little off moves a pair along its circle, by more the further the
    position; and who turns pairs by their own angles errs relative to their length, not to each of the two numbers.
    """
    width = x.shape[-1]
    angles = np.asarray(positions, dtype=np.float64)[..., None] * base ** (np.arange(0, width, 2) / -width)
    single, own = (float(np.finfo(dtype).eps) for dtype in (np.float32, x.dtype))
    off = np.abs(angles) * min(1.0, single / own)
    cos = Rounded(np.cos(angles), off * np.abs(np.sin(angles)))
    sin = Rounded(np.sin(angles), off * np.abs(np.cos(angles)))
    exact = np.asarray(x, dtype=np.float64)
    if interleaved:
        first, second = Rounded.exact(exact[..., ::2]), Rounded.exact(exact[..., 1::2])
    else:
        first, second = (Rounded.exact(half) for half in np.split(exact, 2, axis=-1))

    def joined(first: Array, second: Array) -> Array:
        if interleaved:
            return np.stack([first, second], axis=-1).reshape(x.shape)
        return np.concatenate([first, second], axis=-1)

    turned = Rounded.moved(joined, first * cos - second * sin, first * sin + second * cos)
    length = np.hypot(first.value, second.value)
    circle = joined(length * (1.0 + off), length * (1.0 + off))
    return Rounded(turned.value, turned.error + circle).expected(x.dtype, ROPE[x.dtype])
