"""Right ways to write `grouped_attention(x, context, ...)`: none may fail a check or be named."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

Array = np.ndarray


def softmax(scores: Array, mask: Any = None) -> Array:
    """Along the last axis; what the mask hides has weight 0."""
    scores = scores if mask is None else np.where(mask, scores, -np.inf)
    peak = scores.max(axis=-1, keepdims=True)
    weights = np.exp(scores - np.where(np.isneginf(peak), 0, peak))
    total = weights.sum(axis=-1, keepdims=True)
    return np.asarray(weights / np.where(total == 0, 1, total))


def of_head(mask: Any, scores_shape: tuple[int, ...], head: int) -> Any:
    """The mask of one head, (..., Tq, Tk), where `scores_shape` is (..., H, Tq, Tk)."""
    return None if mask is None else np.broadcast_to(mask, scores_shape)[..., head, :, :]


def head_by_head(
    x: Array, context: Array, w_q: Array, w_k: Array, w_v: Array, w_o: Array, heads: int, kv_heads: int,
    mask: Any = None,
) -> Array:  # fmt: skip
    """Columns of the weights cut out for each head, and each head's part of the result added to the others'."""
    d, dv = w_q.shape[1] // heads, w_o.shape[0] // heads
    result = np.zeros((*x.shape[:-1], w_o.shape[1]), x.dtype)
    for h in range(heads):
        g = h * kv_heads // heads
        q, k = x @ w_q[:, h * d : (h + 1) * d], context @ w_k[:, g * d : (g + 1) * d]
        v = context @ w_v[:, g * dv : (g + 1) * dv]
        scores = q @ k.mT / math.sqrt(d)
        own = of_head(mask, (*scores.shape[:-2], heads, *scores.shape[-2:]), h)
        result += softmax(scores, own) @ v @ w_o[h * dv : (h + 1) * dv]
    return result


def weights_copied(
    x: Array, context: Array, w_q: Array, w_k: Array, w_v: Array, w_o: Array, heads: int, kv_heads: int,
    mask: Any = None,
) -> Array:  # fmt: skip
    """Every head gets weights of its own first; then it is plain multi-head attention, in float64."""
    dtype = x.dtype
    x, context, w_q, w_k, w_v, w_o = (each.astype(np.float64) for each in (x, context, w_q, w_k, w_v, w_o))
    w_k, w_v = (
        np.repeat(w.reshape(len(w), kv_heads, -1), heads // kv_heads, axis=1).reshape(len(w), -1)
        for w in (w_k, w_v)
    )
    q, k, v = (
        np.stack(np.split(tokens @ w, heads, axis=-1), axis=-3)
        for tokens, w in [(x, w_q), (context, w_k), (context, w_v)]
    )
    mixed = softmax(q @ k.mT / np.sqrt(q.shape[-1]), mask) @ v
    return (np.concatenate(list(np.moveaxis(mixed, -3, 0)), axis=-1) @ w_o).astype(dtype)


def groups_as_longer_sequences(
    x: Array, context: Array, w_q: Array, w_k: Array, w_v: Array, w_o: Array, heads: int, kv_heads: int,
    mask: Any = None,
) -> Array:  # fmt: skip
    """The queries of a group one after another, (..., Hkv, group * Tq, d): one product for each group."""
    *leading, length, _ = x.shape
    q = (x @ w_q).reshape(*leading, length, heads, -1).swapaxes(-2, -3)
    q = q.reshape(*leading, kv_heads, -1, q.shape[-1]) / math.sqrt(q.shape[-1])
    k, v = ((context @ w).reshape(*context.shape[:-1], kv_heads, -1).swapaxes(-2, -3) for w in (w_k, w_v))
    scores = q.astype(x.dtype) @ k.mT
    if mask is not None:
        mask = np.broadcast_to(mask, (*leading, heads, length, k.shape[-2])).reshape(scores.shape)
    mixed = (softmax(scores, mask) @ v).reshape(*leading, heads, length, -1).swapaxes(-2, -3)
    return mixed.reshape(*leading, length, -1) @ w_o


def keys_one_after_another(
    x: Array, context: Array, w_q: Array, w_k: Array, w_v: Array, w_o: Array, heads: int, kv_heads: int,
    mask: Any = None,
) -> Array:  # fmt: skip
    """A running maximum and sum, from the last key to the first."""
    own = np.arange(heads) * kv_heads // heads
    q = (x @ w_q).reshape(*x.shape[:-1], heads, -1)  # (..., Tq, H, d)
    k, v = ((context @ w).reshape(*context.shape[:-1], kv_heads, -1)[..., own, :] for w in (w_k, w_v))
    scale = q.dtype.type(1 / math.sqrt(q.shape[-1]))
    seen = np.broadcast_to(
        True if mask is None else mask, (*x.shape[:-2], heads, x.shape[-2], context.shape[-2])
    )
    peak = np.full((*q.shape[:-1], 1), -np.inf, x.dtype)
    total, mixed = np.zeros_like(peak), np.zeros((*q.shape[:-1], v.shape[-1]), x.dtype)
    for j in reversed(range(context.shape[-2])):
        score = (q * k[..., j, None, :, :]).sum(axis=-1, keepdims=True) * scale
        score = np.where(seen[..., j].mT[..., None], score, -np.inf)
        grown = np.maximum(peak, score)
        base = np.where(np.isneginf(grown), 0, grown)
        weight, kept = np.exp(score - base), np.exp(peak - base)
        total, mixed, peak = total * kept + weight, mixed * kept + weight * v[..., j, None, :, :], grown
    mixed /= np.where(total == 0, 1, total)
    return mixed.reshape(*x.shape[:-1], -1) @ w_o


def no_keys_at_all(
    x: Array, context: Array, w_q: Array, w_k: Array, w_v: Array, w_o: Array, heads: int, kv_heads: int,
    mask: Any = None,
) -> Array:  # fmt: skip
    """x (w_q w_k^T) context^T, and the weights on context (w_v w_o): no queries, keys or values."""
    of_q = w_q.reshape(len(w_q), kv_heads, heads // kv_heads, -1)
    of_k, of_v = (w.reshape(len(w), kv_heads, -1) for w in (w_k, w_v))
    of_o = w_o.reshape(kv_heads, heads // kv_heads, -1, w_o.shape[1])
    compare = np.einsum("Dgmd,Cgd->gmDC", of_q, of_k).reshape(heads, len(w_q), len(w_k))
    carry = np.einsum("Cgv,gmvo->gmCo", of_v, of_o).reshape(heads, len(w_v), -1)
    scores = x[..., None, :, :] @ compare @ context[..., None, :, :].mT / math.sqrt(of_q.shape[-1])
    return (softmax(scores, mask) @ (context[..., None, :, :] @ carry)).sum(axis=-3)


class _Layer:
    """Written as a layer: made with its weights, and called with tokens."""

    def __init__(self, w_q: Array, w_k: Array, w_v: Array, w_o: Array, heads: int, kv_heads: int) -> None:
        self.w_q, self.w_k, self.w_v, self.w_o = w_q, w_k, w_v, w_o
        self.heads, self.kv_heads = heads, kv_heads

    def split(self, x: Array, heads: int) -> Array:
        """(H, ..., T, d), each of the H query heads with its own copy."""
        parts = np.split(x, heads, axis=-1)
        return np.stack([parts[h * heads // self.heads] for h in range(self.heads)])

    def __call__(self, x: Array, context: Array, mask: Any) -> Array:
        q = self.split(x @ self.w_q, self.heads)
        k, v = (self.split(context @ w, self.kv_heads) for w in (self.w_k, self.w_v))
        scores = np.moveaxis(np.vecdot(q[..., :, None, :], k[..., None, :, :]), 0, -3)
        weights = np.moveaxis(softmax(scores / math.sqrt(q.shape[-1]), mask), -3, 0)
        return np.concatenate([*(weights @ v)], axis=-1) @ self.w_o


def layer(
    x: Array, context: Array, w_q: Array, w_k: Array, w_v: Array, w_o: Array, heads: int, kv_heads: int,
    mask: Any = None,
) -> Array:  # fmt: skip
    return _Layer(w_q, w_k, w_v, w_o, heads, kv_heads)(x, context, mask)


STYLES: dict[str, Callable[..., Any]] = {
    "head-by-head": head_by_head,
    "weights-copied": weights_copied,
    "groups-as-longer-sequences": groups_as_longer_sequences,
    "keys-one-after-another": keys_one_after_another,
    "no-keys-at-all": no_keys_at_all,
    "layer": layer,
}
