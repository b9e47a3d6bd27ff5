"""Rotary position embedding: pairs of features are turned by an angle that grows with the position.

Source: J. Su et al., RoFormer: Enhanced Transformer with Rotary Position Embedding, 2021, arXiv 2104.09864.
"""

from __future__ import annotations

from typing import Any

from array_api_compat import array_namespace, device

from .precision import widened


def rope(x: Any, positions: Any, base: float = 10000.0, interleaved: bool = False) -> Any:
    """x (..., T, d), d even, with pair i of each row turned by position * base ** (-2i / d); of x's dtype.

    positions (T,), or broadcastable to x.shape[:-1]. Pair i is (i, i + d/2), or (2i, 2i + 1) if interleaved. The
    angles are float64 whatever x is: at position 1000 float16 would not tell one position from the next. Raises
    ValueError if d is odd.
    """
    xp = array_namespace(x)
    (wide,) = widened(xp, x)
    width = x.shape[-1]
    if width % 2:
        raise ValueError(f"{width} features do not make pairs")
    positions = xp.asarray(positions, dtype=xp.float64, device=device(x))
    frequencies = base ** (xp.arange(0, width, 2, dtype=xp.float64, device=device(x)) / -width)
    angles = positions[..., None] * frequencies
    cos, sin = (xp.astype(turn(angles), wide.dtype) for turn in (xp.cos, xp.sin))
    if interleaved:
        first, second = wide[..., ::2], wide[..., 1::2]
    else:
        first, second = wide[..., : width // 2], wide[..., width // 2 :]
    turned = [first * cos - second * sin, first * sin + second * cos]
    whole = xp.reshape(xp.stack(turned, axis=-1), x.shape) if interleaved else xp.concat(turned, axis=-1)
    return xp.astype(whole, x.dtype, copy=False)
