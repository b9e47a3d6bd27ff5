"""Right ways to write `attention` of the assignment `fast-attention`: none may fail a check of values or be named.

How fast they are is another matter: from about 1.1 times the two bare matmuls to hundreds of times.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np

Array = np.ndarray


def blocks(length: int, block: int) -> Iterator[slice]:
    return (slice(start, min(start + block, length)) for start in range(0, length, block))


def future(q: Array, k: Array, rows: slice = slice(None)) -> Array:
    """True where a key comes after the query, (rows, Tk)."""
    queries, keys = q.shape[-2], k.shape[-2]
    return np.arange(keys) > np.arange(queries)[rows, None] + keys - queries


def flat(*arrays: Array) -> list[Array]:
    """With one axis for all heads."""
    return [each.reshape(-1, *each.shape[-2:]) for each in arrays]


def textbook(q: Array, k: Array, v: Array, causal: bool = False) -> Array:
    """A new array in every step."""
    scores = q @ k.mT / math.sqrt(q.shape[-1])
    if causal:
        scores = np.where(future(q, k), -np.inf, scores)
    peak = scores.max(axis=-1, keepdims=True)
    weights = np.exp(scores - np.where(np.isneginf(peak), 0, peak))
    total = weights.sum(axis=-1, keepdims=True)
    return (weights / np.where(total == 0, 1, total)) @ v


def float64_inside(q: Array, k: Array, v: Array, causal: bool = False) -> Array:
    return textbook(*(each.astype(np.float64) for each in (q, k, v)), causal).astype(q.dtype)


def in_place(q: Array, k: Array, v: Array, causal: bool = False) -> Array:
    scores = (q * (1 / math.sqrt(q.shape[-1]))) @ k.mT
    if causal:
        scores[..., future(q, k)] = -np.inf
    scores -= np.maximum(scores.max(axis=-1, keepdims=True), np.finfo(q.dtype).min)
    np.exp(scores, out=scores)
    total = scores.sum(axis=-1, keepdims=True)
    result = scores @ v
    result /= np.where(total == 0, 1, total)
    return result


def head_by_head(q: Array, k: Array, v: Array, causal: bool = False) -> Array:
    heads = [textbook(*head, causal) for head in zip(*flat(q, k, v), strict=True)]
    return np.stack(heads).reshape(*q.shape[:-1], v.shape[-1])


def query_blocks_of_all_heads(q: Array, k: Array, v: Array, causal: bool = False) -> Array:
    parts = []
    for rows in blocks(q.shape[-2], 64):
        scores = (q[..., rows, :] / math.sqrt(q.shape[-1])) @ k.mT
        if causal:
            np.copyto(scores, -np.inf, where=future(q, k, rows))
        peak = scores.max(axis=-1, keepdims=True)
        scores -= np.where(np.isneginf(peak), 0, peak)
        np.exp(scores, out=scores)
        total = scores.sum(axis=-1, keepdims=True)
        parts.append(scores @ v / np.where(total == 0, 1, total))
    return np.concatenate(parts, axis=-2)


def query_blocks_of_each_head(q: Array, k: Array, v: Array, causal: bool = False) -> Array:
    """Hidden keys are left out; a module could keep the buffer from call to call, and hand out copies."""
    queries, keys = q.shape[-2], k.shape[-2]
    result = np.zeros((*q.shape[:-1], v.shape[-1]), dtype=q.dtype)
    room = np.empty(100 * keys, dtype=q.dtype)
    for qh, kh, vh, out in zip(*flat(q, k, v, result), strict=True):
        for rows in blocks(queries, 100):
            seen = rows.stop + keys - queries if causal else keys
            if seen <= 0:
                continue
            scores = room[: (rows.stop - rows.start) * seen].reshape(-1, seen)
            np.matmul(qh[rows] * q.dtype.type(q.shape[-1] ** -0.5), kh[:seen].T, out=scores)
            if causal:
                scores += np.where(future(q, k, rows)[:, :seen], -np.inf, 0).astype(q.dtype)
            peak = scores.max(axis=-1, keepdims=True)
            peak[np.isneginf(peak)] = 0
            np.subtract(scores, peak, out=scores)
            np.exp(scores, out=scores)
            total = np.add.reduce(scores, axis=-1, keepdims=True)
            np.divide(scores @ vh[:seen], total, out=out[rows], where=total > 0)
    return result


def ones_beside_the_values(q: Array, k: Array, v: Array, causal: bool = False) -> Array:
    """The second matmul sums the weights as well, by a column of ones."""
    wide = np.concatenate([v, np.ones((*v.shape[:-1], 1), dtype=v.dtype)], axis=-1)
    scores = q @ (k * (1 / math.sqrt(k.shape[-1]))).mT
    if causal:
        scores = np.where(future(q, k), -np.inf, scores)
    scores -= np.nan_to_num(scores.max(axis=-1, keepdims=True), neginf=0)
    summed = np.exp(scores, out=scores) @ wide
    return summed[..., :-1] / np.where(summed[..., -1:] == 0, 1, summed[..., -1:])


def powers_of_two(q: Array, k: Array, v: Array, causal: bool = False) -> Array:
    """The scale carries the base-two logarithm of e."""
    scores = (q * (math.log2(math.e) / math.sqrt(q.shape[-1]))) @ k.mT
    if causal:
        scores[..., future(q, k)] = -np.inf
    peak = scores.max(axis=-1, keepdims=True)
    np.exp2(scores - np.where(np.isneginf(peak), 0, peak), out=scores)
    total = scores.sum(axis=-1, keepdims=True)
    return scores @ v / np.where(total == 0, 1, total)


def online_softmax(q: Array, k: Array, v: Array, causal: bool = False) -> Array:
    """Blocks of 96 keys, with a running maximum."""
    peak = np.full((*q.shape[:-1], 1), -np.inf, dtype=q.dtype)
    total, result = np.zeros_like(peak), np.zeros((*q.shape[:-1], v.shape[-1]), dtype=q.dtype)
    for block in blocks(k.shape[-2], 96):
        scores = q @ k[..., block, :].mT / math.sqrt(q.shape[-1])
        if causal:
            scores[..., future(q, k)[:, block]] = -np.inf
        grown = np.maximum(peak, scores.max(axis=-1, keepdims=True))
        base = np.where(np.isneginf(grown), 0, grown)
        kept = np.exp(peak - base)
        scores -= base
        np.exp(scores, out=scores)
        total *= kept
        total += scores.sum(axis=-1, keepdims=True)
        result *= kept
        result += scores @ v[..., block, :]
        peak = grown
    return result / np.where(total == 0, 1, total)


def einsum(q: Array, k: Array, v: Array, causal: bool = False) -> Array:
    scores = np.einsum("...qd,...kd->...qk", q, k) * q.dtype.type(q.shape[-1] ** -0.5)
    if causal:
        scores[..., future(q, k)] = -np.inf
    log_total = np.logaddexp.reduce(scores, axis=-1, keepdims=True)
    return np.einsum("...qk,...kv->...qv", np.exp(scores - np.where(np.isneginf(log_total), 0, log_total)), v)


def keys_by_queries(q: Array, k: Array, v: Array, causal: bool = False) -> Array:
    """Everything transposed, so that maximum and sum run down the columns."""
    scores = k @ (q.mT / math.sqrt(q.shape[-1]))
    if causal:
        scores[..., future(q, k).T] = -np.inf
    peak = scores.max(axis=-2, keepdims=True)
    scores -= np.where(np.isneginf(peak), 0, peak)
    np.exp(scores, out=scores)
    total = scores.sum(axis=-2, keepdims=True)
    scores /= np.where(total == 0, 1, total)
    return scores.mT @ v


def query_by_query(q: Array, k: Array, v: Array, causal: bool = False) -> Array:
    """One row of scores at a time, over the keys that it sees."""
    queries, keys = q.shape[-2], k.shape[-2]
    result = np.zeros((*q.shape[:-1], v.shape[-1]), dtype=q.dtype)
    for *head, i in np.ndindex(*q.shape[:-1]):
        seen = max(0, i + 1 + keys - queries) if causal else keys
        if seen:
            at = tuple(head)
            scores = k[at][:seen] @ q[(*at, i)] / math.sqrt(q.shape[-1])
            weights = np.exp(scores - scores.max())
            result[(*at, i)] = weights @ v[at][:seen] / weights.sum()
    return result


STYLES: dict[str, Callable[..., Array]] = {
    function.__name__.replace("_", "-"): function
    for function in (
        textbook,
        float64_inside,
        in_place,
        head_by_head,
        query_blocks_of_all_heads,
        query_blocks_of_each_head,
        ones_beside_the_values,
        powers_of_two,
        online_softmax,
        einsum,
        keys_by_queries,
        query_by_query,
    )
}
