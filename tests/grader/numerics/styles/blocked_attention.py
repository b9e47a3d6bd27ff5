"""Right ways to write `attention` of the assignment `blocked-attention`: none may fail a check or be named."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np

Array = np.ndarray


def blocks(length: int, block: int) -> Iterator[slice]:
    return (slice(start, min(start + block, length)) for start in range(0, length, block))


def scores_of(q: Array, k: Array, rows: slice, columns: slice, causal: bool) -> Array:
    """The scaled scores of some queries with some keys, -inf where the future is."""
    scores = q[..., rows, :] @ k[..., columns, :].mT / math.sqrt(q.shape[-1])
    if causal:
        position = np.arange(q.shape[-2])[rows, None] + k.shape[-2] - q.shape[-2]
        scores = np.where(np.arange(k.shape[-2])[columns] <= position, scores, -np.inf)
    return scores


def finite(peak: Array) -> Array:
    return np.where(np.isneginf(peak), 0, peak)


def divided(result: Array, total: Array) -> Array:
    return result / np.where(total == 0, 1, total)


def online(q: Array, k: Array, v: Array, causal: bool, columns: Iterator[slice]) -> Array:
    """Running maximum, sum and result, for all queries at once, over blocks of keys in any order."""
    peak = np.full((*q.shape[:-1], 1), -np.inf, dtype=q.dtype)
    total = np.zeros_like(peak)
    result = np.zeros((*q.shape[:-1], v.shape[-1]), dtype=q.dtype)
    for block in columns:
        scores = scores_of(q, k, slice(None), block, causal)
        grown = np.maximum(peak, scores.max(axis=-1, keepdims=True))
        weights, kept = np.exp(scores - finite(grown)), np.exp(peak - finite(grown))
        total = total * kept + weights.sum(axis=-1, keepdims=True)
        result = result * kept + weights @ v[..., block, :]
        peak = grown
    return divided(result, total)


def key_blocks_of_64(q: Array, k: Array, v: Array, causal: bool = False) -> Array:
    return online(q, k, v, causal, blocks(k.shape[-2], 64))


def key_blocks_of_48(q: Array, k: Array, v: Array, causal: bool = False) -> Array:
    return online(q, k, v, causal, blocks(k.shape[-2], 48))


def key_blocks_from_the_last(q: Array, k: Array, v: Array, causal: bool = False) -> Array:
    """The first blocks are wholly hidden from most queries."""
    return online(q, k, v, causal, iter(list(blocks(k.shape[-2], 32))[::-1]))


def one_key_at_a_time(q: Array, k: Array, v: Array, causal: bool = False) -> Array:
    return online(q, k, v, causal, blocks(k.shape[-2], 1))


def float64_inside(q: Array, k: Array, v: Array, causal: bool = False) -> Array:
    wide = (each.astype(np.float64) for each in (q, k, v))
    return key_blocks_of_64(*wide, causal).astype(q.dtype)


def query_blocks(q: Array, k: Array, v: Array, causal: bool = False) -> Array:
    """Some queries and all keys: no running maximum is needed."""
    result = np.empty((*q.shape[:-1], v.shape[-1]), dtype=q.dtype)
    for rows in blocks(q.shape[-2], 100):
        weights = scores_of(q, k, rows, slice(None), causal)
        weights -= finite(weights.max(axis=-1, keepdims=True))
        np.exp(weights, out=weights)
        result[..., rows, :] = divided(weights @ v, weights.sum(axis=-1, keepdims=True))
    return result


def kept_divided(q: Array, k: Array, v: Array, causal: bool = False) -> Array:
    """After each block the result is right for the keys so far; the logarithm of the sum says how much it weighs."""
    log_total = np.full(q.shape[:-1], -np.inf, dtype=q.dtype)
    result = np.zeros((*q.shape[:-1], v.shape[-1]), dtype=q.dtype)
    for block in blocks(k.shape[-2], 50):
        scores = scores_of(q, k, slice(None), block, causal)
        grown = np.logaddexp(log_total, np.logaddexp.reduce(scores, axis=-1))
        base = finite(grown)
        result *= np.exp(log_total - base)[..., None]
        result += np.exp(scores - base[..., None]) @ v[..., block, :]
        log_total = grown
    return result


def maximum_first(q: Array, k: Array, v: Array, causal: bool = False) -> Array:
    """Two passes over the keys: the first finds the maximum, so nothing needs to be rescaled."""
    columns = list(blocks(k.shape[-2], 128))
    peak = np.full((*q.shape[:-1], 1), -np.inf, dtype=q.dtype)
    for block in columns:
        peak = np.fmax(peak, scores_of(q, k, slice(None), block, causal).max(axis=-1, keepdims=True))
    total, result = 0, 0
    for block in columns:
        weights = np.exp(scores_of(q, k, slice(None), block, causal) - finite(peak))
        total, result = total + weights.sum(axis=-1, keepdims=True), result + weights @ v[..., block, :]
    return divided(np.asarray(result), np.asarray(total))


def padded_and_hidden(q: Array, k: Array, v: Array, causal: bool = False) -> Array:
    """Whole blocks only: what fills the last one up gets the score -inf. Powers of two."""
    block, keys = 64, k.shape[-2]
    filling = [(0, 0)] * (k.ndim - 2) + [(0, -keys % block), (0, 0)]
    padded_k, padded_v = np.pad(k, filling), np.pad(v, filling)
    position = np.arange(q.shape[-2])[:, None] + keys - q.shape[-2] if causal else keys - 1
    peak = np.full((*q.shape[:-1], 1), np.finfo(q.dtype).min)
    total, result = np.zeros_like(peak), np.zeros((*q.shape[:-1], v.shape[-1]), q.dtype)
    for start in range(0, padded_k.shape[-2], block):
        part = np.s_[..., start : start + block, :]
        column = np.arange(start, start + block)
        scores = q @ padded_k[part].mT * (math.log2(math.e) / math.sqrt(q.shape[-1]))
        scores = np.where((column <= position) & (column < keys), scores, -np.inf)
        grown = np.maximum(peak, scores.max(axis=-1, keepdims=True))
        weights, kept = np.exp2(scores - grown), np.exp2(peak - grown)
        total = total * kept + np.sum(weights, axis=-1, keepdims=True)
        result = result * kept + weights @ padded_v[part]
        peak = grown
    return divided(result, total)


def ones_beside_the_values(q: Array, k: Array, v: Array, causal: bool = False) -> Array:
    """A column of ones among the values makes the sum of the weights the last column of the result."""
    wide = np.concatenate([v, np.ones((*v.shape[:-1], 1), dtype=v.dtype)], axis=-1)
    peak = np.full((*q.shape[:-1], 1), -np.inf, dtype=q.dtype)
    result = np.zeros((*q.shape[:-1], wide.shape[-1]), dtype=q.dtype)
    for block in blocks(k.shape[-2], 96):
        scores = scores_of(q, k, slice(None), block, causal)
        grown = np.maximum(peak, scores.max(axis=-1, keepdims=True))
        result *= np.exp(peak - finite(grown))
        result += np.exp(scores - finite(grown)) @ wide[..., block, :]
        peak = grown
    return divided(result[..., :-1], result[..., -1:])


def heads_in_turn(q: Array, k: Array, v: Array, causal: bool = False) -> Array:
    """Everything flat, one head after the other, its keys transposed once; buffers are used again."""
    queries, keys = q.shape[-2], k.shape[-2]
    heads = [each.reshape(-1, *each.shape[-2:]) for each in (q, k, v)]
    result = np.empty((len(heads[0]), queries, v.shape[-1]), dtype=q.dtype)
    buffer = np.empty(70 * keys, dtype=q.dtype)
    for head, (qh, kh, vh) in enumerate(zip(*heads, strict=True)):
        transposed = np.ascontiguousarray(kh.T)
        for rows in blocks(queries, 70):
            scores = buffer[: (rows.stop - rows.start) * keys].reshape(-1, keys)
            np.matmul(qh[rows] / math.sqrt(q.shape[-1]), transposed, out=scores)
            if causal:
                future = np.arange(keys) > np.arange(rows.start, rows.stop)[:, None] + keys - queries
                np.copyto(scores, -np.inf, where=future)
            scores -= finite(scores.max(axis=-1, keepdims=True))
            np.exp(scores, out=scores)
            result[head, rows] = divided(scores @ vh, scores.sum(axis=-1, keepdims=True))
    return result.reshape(*q.shape[:-1], v.shape[-1])


def plain_floats(q: Array, k: Array, v: Array, causal: bool = False) -> Array:
    """Query by query and key by key, in Python's own floats; where that would take seconds, in blocks."""
    if max(q.shape[-2], k.shape[-2]) > 64:
        return key_blocks_of_64(q, k, v, causal)
    result = np.zeros((*q.shape[:-1], v.shape[-1]), dtype=q.dtype)
    scale = 1 / math.sqrt(q.shape[-1])
    for *head, i in np.ndindex(*q.shape[:-1]):
        at = tuple(head)
        seen = min(k.shape[-2], max(0, i + 1 + k.shape[-2] - q.shape[-2])) if causal else k.shape[-2]
        peak, total, summed = -math.inf, 0.0, np.zeros(v.shape[-1])
        for score, value in zip((k[at][:seen] @ q[(*at, i)]).tolist(), v[at][:seen], strict=True):
            grown = max(peak, scale * score)
            kept, weight = math.exp(peak - grown), math.exp(scale * score - grown)
            peak, total, summed = grown, kept * total + weight, kept * summed + weight * value
        if seen:
            result[(*at, i)] = summed / total
    return result


STYLES: dict[str, Callable[..., Array]] = {
    function.__name__.replace("_", "-"): function
    for function in (
        key_blocks_of_64,
        key_blocks_of_48,
        key_blocks_from_the_last,
        one_key_at_a_time,
        float64_inside,
        query_blocks,
        kept_divided,
        maximum_first,
        padded_and_hidden,
        ones_beside_the_values,
        heads_in_turn,
        plain_floats,
    )
}
