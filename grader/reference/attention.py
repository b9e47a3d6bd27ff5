"""Attention, fast, in memory that grows with T rather than T squared.

Written to the array standard: numpy, CuPy and whatever else `array_api_compat` knows, on the inputs' device.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from array_api_compat import array_namespace, device

from .masks import visible_keys
from .precision import widened


def attention(q: Any, k: Any, v: Any, mask: Any = None, causal: bool = False, *, block: int = 128) -> Any:
    """softmax(q k^T / sqrt(d)) v, (..., Tq, dv) in the dtype of q; a query that sees no key gives 0.

    q (..., Tq, d), k (..., Tk, d), v (..., Tk, dv) share their leading axes and their dtype; mask is boolean
    and broadcastable to (..., Tq, Tk), True = may look; causal is aligned at the bottom right. Takes one head
    and `block` queries at a time, so beside the result it needs memory for block * Tk scores.
    """
    xp = array_namespace(q, k, v)
    *leading, queries, _ = q.shape
    result = xp.empty((*leading, queries, v.shape[-1]), dtype=q.dtype, device=device(q))
    for head in itertools.product(*(range(length) for length in leading)):
        own_mask = None if mask is None else _mask_of_head(xp, mask, head)
        for rows, summed in _blocks(
            xp, q[(*head, ...)], k[(*head, ...)], v[(*head, ...)], own_mask, causal, block
        ):
            result[(*head, slice(rows.start, rows.stop), ...)] = summed
    return result


def _blocks(
    xp: ModuleType, q: Any, k: Any, v: Any, mask: Any, causal: bool, block: int
) -> Iterator[tuple[range, Any]]:
    """The result of one head, block by block: q (Tq, d), k (Tk, d), v (Tk, dv), mask (Tq or 1, Tk or 1)."""
    dtype, queries, keys = q.dtype, q.shape[0], k.shape[0]
    q, k, v = widened(xp, q, k, v)
    q = q * (1.0 / math.sqrt(q.shape[1]))
    k = xp.matrix_transpose(k)
    for start in range(0, queries, block):
        rows = range(start, min(start + block, queries))
        # No query of a causal block sees more keys than its last one.
        seen = max(0, rows.stop + keys - queries) if causal else keys
        if seen == 0:
            yield rows, xp.zeros((len(rows), v.shape[1]), dtype=dtype, device=device(q))
            continue
        scores = xp.matmul(q[rows.start : rows.stop, :], k[:, :seen])
        of_rows = None if mask is None else _part_of_mask(mask, rows, seen)
        visible = visible_keys(rows.stop, seen, of_rows, causal, rows=rows, xp=xp, device=device(q))
        if visible is not None:
            scores = xp.where(visible, scores, -math.inf)
        peak = xp.max(scores, axis=-1, keepdims=True)
        scores -= xp.where(peak == -math.inf, 0.0, peak)
        weights = xp.exp(scores)
        total = xp.sum(weights, axis=-1, keepdims=True)
        summed = xp.matmul(weights, v[:seen, :]) / xp.where(total == 0.0, 1.0, total)
        yield rows, xp.astype(summed, dtype, copy=False)


def _mask_of_head(xp: ModuleType, mask: Any, head: tuple[int, ...]) -> Any:
    """The mask of one head, (Tq or 1, Tk or 1), without spreading the mask over all of them first."""
    while mask.ndim < 2:
        mask = xp.expand_dims(mask, axis=0)
    leading = mask.shape[:-2]
    own = head[len(head) - len(leading) :]
    return mask[(*(0 if length == 1 else i for length, i in zip(leading, own, strict=True)), ...)]


def _part_of_mask(mask: Any, rows: range, keys: int) -> Any:
    """These rows of one head's mask and its first keys; an axis of length 1 stays as it is."""
    if mask.shape[0] > 1:
        mask = mask[rows.start : rows.stop, :]
    return mask if mask.shape[1] == 1 else mask[:, :keys]
