"""What is right of attention in several heads."""

from __future__ import annotations

import numpy as np

from ..expected import Expected
from ..masks import visible_keys
from .attention import expected_attention, rounded_scores
from .factors import MULTI_HEAD
from .rounding import Array, Rounded


def expected_grouped_query(
    q: Array, k: Array, v: Array, mask: Array | None = None, causal: bool = False
) -> Expected:
    """Attention where H / Hkv neighbouring query heads share a head of keys and values.

    q (..., H, Tq, d), k (..., Hkv, Tk, d), v (..., Hkv, Tk, dv).
    """
    group = q.shape[-3] // k.shape[-3]
    return expected_attention(q, np.repeat(k, group, axis=-3), np.repeat(v, group, axis=-3), mask, causal)


def expected_multi_head(
    x: Array,
    w_q: Array,
    w_k: Array,
    w_v: Array,
    w_o: Array,
    heads: int,
    context: Array | None = None,
    kv_heads: int | None = None,
    mask: Array | None = None,
    causal: bool = False,
) -> Expected:
    """(..., Tq, Do), as `multi_head_attention` describes its arguments."""
    kv_heads = heads if kv_heads is None else kv_heads
    tokens, seen = Rounded.exact(x), Rounded.exact(x if context is None else context)

    def projected(tokens: Rounded, weights: Array, own: int) -> Rounded:
        """For each query head, (..., H, T, d)."""
        return Rounded.moved(
            lambda array: np.repeat(_split(array, own), heads // own, axis=-3),
            tokens @ Rounded.exact(weights),
        )

    q, k, v = projected(tokens, w_q, heads), projected(seen, w_k, kv_heads), projected(seen, w_v, kv_heads)
    visible = visible_keys(x.shape[-2], seen.value.shape[-2], mask, causal)
    summed = rounded_scores(q, k).softmax(visible) @ v
    return (Rounded.moved(_merge, summed) @ Rounded.exact(w_o)).expected(x.dtype, MULTI_HEAD[x.dtype])


def _split(array: Array, heads: int) -> Array:
    return array.reshape(*array.shape[:-1], heads, array.shape[-1] // heads).swapaxes(-2, -3)


def _merge(array: Array) -> Array:
    *leading, heads, length, width = array.shape
    return array.swapaxes(-2, -3).reshape(*leading, length, heads * width)
