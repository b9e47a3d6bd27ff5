"""Attention by the online softmax: key blocks, one after the other, with a running maximum and sum.

Another way to what `attention` does, down to the masks, so that each can be checked against the other.
"""

from __future__ import annotations

import math
from typing import Any

from array_api_compat import array_namespace, device

from .precision import widened


def online_attention(
    q: Any, k: Any, v: Any, mask: Any = None, causal: bool = False, *, block: int = 64
) -> Any:
    """softmax(q k^T / sqrt(d)) v, (..., Tq, dv) in the dtype of q; arguments as those of `attention`.

    Takes all heads and queries and `block` keys at a time.
    """
    xp = array_namespace(q, k, v)
    dtype, place, queries, keys = q.dtype, device(q), q.shape[-2], k.shape[-2]
    q, k, v = widened(xp, q, k, v)
    q = q * (1.0 / math.sqrt(q.shape[-1]))
    peak = xp.full((*q.shape[:-1], 1), -math.inf, dtype=q.dtype, device=place)
    total = xp.zeros((*q.shape[:-1], 1), dtype=q.dtype, device=place)
    summed = xp.zeros((*q.shape[:-1], v.shape[-1]), dtype=q.dtype, device=place)
    query = xp.arange(queries, device=place)[:, None]
    for start in range(0, keys, block):
        stop = min(start + block, keys)
        scores = xp.matmul(q, xp.matrix_transpose(k[..., start:stop, :]))
        if mask is not None:
            one_for_all_keys = mask.ndim == 0 or mask.shape[-1] == 1
            scores = xp.where(mask if one_for_all_keys else mask[..., start:stop], scores, -math.inf)
        if causal:
            future = xp.arange(start, stop, device=place)[None, :] - query > keys - queries
            scores = xp.where(future, -math.inf, scores)
        grown = xp.maximum(peak, xp.max(scores, axis=-1, keepdims=True))
        base = xp.where(
            grown == -math.inf, 0.0, grown
        )  # still nothing to see: exp(-inf) is 0, as it should be
        kept, weights = xp.exp(peak - base), xp.exp(scores - base)
        total = total * kept + xp.sum(weights, axis=-1, keepdims=True)
        summed = summed * kept + xp.matmul(weights, v[..., start:stop, :])
        peak = grown
    return xp.astype(summed / xp.where(total == 0.0, 1.0, total), dtype, copy=False)
