"""Right multi-head attention in many styles: none may fail the tolerance of its oracle.

All take x, w_q, w_k, w_v, w_o, heads, context, kv_heads, mask and causal, as `expected_multi_head` does.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.grader.numerics.right_operations import (
    Array,
    Styles,
    einsum_product,
    float64_inside,
    one_by_one,
    scores_one_by_one,
    softmax_summed_one_by_one,
    style_of,
)
from tests.grader.numerics.right_styles import STYLES as ATTENTION
from tests.grader.numerics.right_styles import (
    powers_of_two,
    softmax,
    textbook,
    visible,
)


def split(x: Array, heads: int, repeated: int = 1) -> Array:
    return x.reshape(*x.shape[:-1], heads, -1).swapaxes(-2, -3).repeat(repeated, axis=-3)


def multi_head_style(
    product: Callable[..., Array] = np.matmul, core: Callable[..., Array] = textbook
) -> Callable[..., Array]:
    """As on paper: project, split, attend, merge, project."""

    def multi_head(
        x: Array, w_q: Array, w_k: Array, w_v: Array, w_o: Array, heads: int, context: Any = None,
        kv_heads: Any = None, mask: Any = None, causal: bool = False,
    ) -> Array:  # fmt: skip
        context = x if context is None else context
        own = kv_heads or heads
        q = split(product(x, w_q), heads)
        k, v = (split(product(context, w), own, heads // own) for w in (w_k, w_v))
        summed = core(q, k, v, mask, causal).swapaxes(-2, -3)
        return product(summed.reshape(*summed.shape[:-2], -1), w_o)

    return multi_head


def attend_one_by_one(q: Array, k: Array, v: Array, mask: Any, causal: bool) -> Array:
    scores = scores_one_by_one(q, k)
    return one_by_one(softmax_summed_one_by_one(np.where(visible(q, k, mask, causal), scores, -np.inf)), v)


MULTI_HEAD: Styles = {
    "textbook": multi_head_style(),
    "einsum": multi_head_style(einsum_product),
    "one-by-one": multi_head_style(one_by_one, attend_one_by_one),
    "log-sum-exp": multi_head_style(core=ATTENTION["log-sum-exp"]),
    "divided-late": multi_head_style(core=powers_of_two),
    "online-softmax": multi_head_style(core=ATTENTION["online-softmax"]),
}
MULTI_HEAD["float64-inside"] = float64_inside(MULTI_HEAD["textbook"])


@style_of(MULTI_HEAD)
def heads_one_by_one(
    x: Array, w_q: Array, w_k: Array, w_v: Array, w_o: Array, heads: int, context: Any = None,
    kv_heads: Any = None, mask: Any = None, causal: bool = False,
) -> Array:  # fmt: skip
    """Columns of the weights cut out for each head, and each head's part of the result added to the others'."""
    context = x if context is None else context
    group = heads // (kv_heads or heads)
    result = np.zeros((*x.shape[:-1], w_o.shape[1]), x.dtype)
    if mask is not None:
        mask = np.broadcast_to(mask, (*x.shape[:-2], heads, x.shape[-2], context.shape[-2]))

    def cut(weights: Array, parts: int, part: int) -> Array:
        return np.split(weights, parts, axis=1)[part]

    for h in range(heads):
        q = x @ cut(w_q, heads, h)
        k, v = (context @ cut(w, heads // group, h // group) for w in (w_k, w_v))
        own = None if mask is None else mask[..., h, :, :]
        result += textbook(q, k, v, own, causal) @ np.split(w_o, heads)[h]
    return result


@style_of(MULTI_HEAD)
def heads_without_queries_keys_and_values(
    x: Array, w_q: Array, w_k: Array, w_v: Array, w_o: Array, heads: int, context: Any = None,
    kv_heads: Any = None, mask: Any = None, causal: bool = False,
) -> Array:  # fmt: skip
    """x (w_q w_k^T) context^T, and the weights on context (w_v w_o): no queries, keys or values at all."""
    context = x if context is None else context
    own = kv_heads or heads
    q = split(w_q, heads)  # (H, D, d)
    k, v = (split(w, own, heads // own) for w in (w_k, w_v))
    o = w_o.reshape(heads, -1, w_o.shape[1])
    scores = x[..., None, :, :] @ (q @ k.mT) @ context[..., None, :, :].mT / math.sqrt(q.shape[-1])
    heads_of_x = np.broadcast_to(x[..., None, :, :], (*x.shape[:-2], heads, *x.shape[-2:]))
    seen = visible(heads_of_x, context, mask, causal)
    mixed = softmax(np.where(seen, scores, -np.inf)) @ (context[..., None, :, :] @ (v @ o))
    return mixed.sum(axis=-3)
