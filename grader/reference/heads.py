"""Several heads: cut out, attended to one by one, and joined again; query heads may share keys and values."""

from __future__ import annotations

from typing import Any

from array_api_compat import array_namespace

from .attention import attention
from .precision import widened


def split_heads(x: Any, heads: int) -> Any:
    """(..., T, D) -> (..., heads, T, D / heads): head h has the h-th run of D / heads neighbouring features.

    Raises ValueError if `heads` does not divide D.
    """
    xp = array_namespace(x)
    *leading, length, width = x.shape
    if width % heads:
        raise ValueError(f"{width} features cannot be split evenly among {heads} heads")
    return xp.moveaxis(xp.reshape(x, (*leading, length, heads, width // heads)), -2, -3)


def merge_heads(x: Any) -> Any:
    """(..., H, T, d) -> (..., T, H d): the heads side by side; undoes `split_heads`."""
    xp = array_namespace(x)
    *leading, heads, length, width = x.shape
    return xp.reshape(xp.moveaxis(x, -3, -2), (*leading, length, heads * width))


def grouped_query_attention(q: Any, k: Any, v: Any, mask: Any = None, causal: bool = False) -> Any:
    """Attention where H / Hkv neighbouring query heads share a head of keys and values: (..., H, Tq, dv).

    q (..., H, Tq, d), k (..., Hkv, Tk, d), v (..., Hkv, Tk, dv), mask broadcastable to (..., H, Tq, Tk). With
    Hkv = H every head has its own, with Hkv = 1 all share one. Raises ValueError if Hkv does not divide H.
    """
    xp = array_namespace(q, k, v)
    heads, shared = q.shape[-3], k.shape[-3]
    if heads % shared:
        raise ValueError(f"{heads} query heads cannot share {shared} heads of keys and values evenly")
    if heads != shared:
        k, v = (xp.repeat(each, heads // shared, axis=-3) for each in (k, v))
    return attention(q, k, v, mask, causal)


def multi_head_attention(
    x: Any,
    w_q: Any,
    w_k: Any,
    w_v: Any,
    w_o: Any,
    heads: int,
    *,
    context: Any = None,
    kv_heads: int | None = None,
    mask: Any = None,
    causal: bool = False,
) -> Any:
    """x w_q attends to context w_k and context w_v in `heads` heads, and w_o mixes them: (..., Tq, Do).

    x (..., Tq, D), context (..., Tk, Dc), or None for self-attention; w_q (D, H d), w_k (Dc, Hkv d), w_v
    (Dc, Hkv dv), w_o (H dv, Do), where Hkv is `kv_heads` or, when that is None, H; mask broadcastable to
    (..., H, Tq, Tk). Raises ValueError if the heads do not come out even.
    """
    xp = array_namespace(x, w_q, w_k, w_v, w_o)
    dtype = x.dtype
    context = x if context is None else context
    x, context, w_q, w_k, w_v, w_o = widened(xp, x, context, w_q, w_k, w_v, w_o)
    kv_heads = heads if kv_heads is None else kv_heads
    q = split_heads(xp.matmul(x, w_q), heads)
    k, v = (split_heads(xp.matmul(context, w), kv_heads) for w in (w_k, w_v))
    mixed = xp.matmul(merge_heads(grouped_query_attention(q, k, v, mask, causal)), w_o)
    return xp.astype(mixed, dtype, copy=False)
