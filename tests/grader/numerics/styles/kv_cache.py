"""Right ways to write `decode(q, k, v, k_cache, v_cache)`: none may fail a check or be named."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

Array = np.ndarray
Results = tuple[Array, Array, Array]


def appended(k: Array, v: Array, k_cache: Array, v_cache: Array) -> tuple[Array, Array]:
    return np.concatenate([k_cache, k], axis=-2), np.concatenate([v_cache, v], axis=-2)


def softmax(scores: Array) -> Array:
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=-1, keepdims=True))


def scores_added_to(q: Array, k: Array, v: Array, k_cache: Array, v_cache: Array) -> Results:
    """Minus infinity is added where a token comes later; einsum for both products."""
    keys, values = appended(k, v, k_cache, v_cache)
    new, total = q.shape[-2], keys.shape[-2]
    later = np.triu(np.full((new, total), -np.inf, q.dtype), total - new + 1)
    scores = np.einsum("...qd,...kd->...qk", q * q.dtype.type(q.shape[-1] ** -0.5), keys) + later
    return np.einsum("...qk,...kv->...qv", softmax(scores), values), keys, values


def query_by_query(q: Array, k: Array, v: Array, k_cache: Array, v_cache: Array) -> Results:
    """Each new token with just the keys that it sees, so that there is nothing to mask."""
    keys, values = appended(k, v, k_cache, v_cache)
    output = np.empty((*q.shape[:-1], v.shape[-1]), q.dtype)
    for i in range(q.shape[-2]):
        seen = k_cache.shape[-2] + i + 1
        scores = keys[..., :seen, :] @ q[..., i, :, None] / math.sqrt(q.shape[-1])
        weights = softmax(scores[..., 0])
        output[..., i, :] = (weights[..., None] * values[..., :seen, :]).sum(axis=-2)
    return output, keys, values


def token_by_token(q: Array, k: Array, v: Array, k_cache: Array, v_cache: Array) -> Results:
    """As a model writes: the caches grow by one token, which then looks at all of them."""
    outputs = []
    for i in range(q.shape[-2]):
        one = np.s_[..., i : i + 1, :]
        k_cache, v_cache = appended(k[one], v[one], k_cache, v_cache)
        outputs.append(softmax(q[one] @ k_cache.mT / math.sqrt(q.shape[-1])) @ v_cache)
    return np.concatenate(outputs, axis=-2), k_cache, v_cache


def arrays_made_first(q: Array, k: Array, v: Array, k_cache: Array, v_cache: Array) -> Results:
    """Room for all tokens is made, and filled; everything is computed in float64."""
    cached, new = k_cache.shape[-2], k.shape[-2]
    keys = np.empty((*k.shape[:-2], cached + new, k.shape[-1]), k.dtype)
    values = np.empty((*v.shape[:-2], cached + new, v.shape[-1]), v.dtype)
    keys[..., :cached, :], keys[..., cached:, :] = k_cache, k
    values[..., :cached, :], values[..., cached:, :] = v_cache, v
    scores = q.astype(np.float64) @ keys.astype(np.float64).mT / np.sqrt(q.shape[-1])
    position = cached + np.arange(new)[:, None]
    scores[..., np.arange(cached + new) > position] = -np.inf
    return (softmax(scores) @ values).astype(q.dtype), keys, values


def cached_and_new_apart(q: Array, k: Array, v: Array, k_cache: Array, v_cache: Array) -> Results:
    """Two attentions, over the cached tokens and over the new ones, joined by their sums of weights."""
    new = q.shape[-2]
    scale = 1 / math.sqrt(q.shape[-1])
    old_scores = q @ k_cache.mT * scale
    new_scores = np.where(np.tri(new, dtype=bool), q @ k.mT * scale, -np.inf)
    peak = np.maximum(
        old_scores.max(axis=-1, keepdims=True, initial=-np.inf), new_scores.max(axis=-1, keepdims=True)
    )
    old_weights, new_weights = np.exp(old_scores - peak), np.exp(new_scores - peak)
    total = old_weights.sum(axis=-1, keepdims=True) + new_weights.sum(axis=-1, keepdims=True)
    return (old_weights @ v_cache + new_weights @ v) / total, *appended(k, v, k_cache, v_cache)


def running_maximum(q: Array, k: Array, v: Array, k_cache: Array, v_cache: Array) -> Results:
    """Three keys at a time, from the newest to the oldest, rescaled whenever the maximum grows."""
    keys, values = appended(k, v, k_cache, v_cache)
    position = k_cache.shape[-2] + np.arange(q.shape[-2])[:, None]
    peak = np.full((*q.shape[:-1], 1), -np.inf, q.dtype)
    total, output = np.zeros_like(peak), np.zeros((*q.shape[:-1], v.shape[-1]), q.dtype)
    for stop in range(keys.shape[-2], 0, -3):
        start = max(0, stop - 3)
        scores = q @ keys[..., start:stop, :].mT / math.sqrt(q.shape[-1])
        scores = np.where(np.arange(start, stop) <= position, scores, -np.inf)
        grown = np.maximum(peak, scores.max(axis=-1, keepdims=True))
        base = np.where(np.isneginf(grown), 0, grown)  # the oldest new token has seen nothing yet
        weights, kept = np.exp(scores - base), np.exp(peak - base)
        total = total * kept + weights.sum(axis=-1, keepdims=True)
        output = output * kept + weights @ values[..., start:stop, :]
        peak = grown
    return output / total, keys, values


def lists(q: Array, k: Array, v: Array, k_cache: Array, v_cache: Array) -> list[Array]:
    """One head after another as lists of Python floats; a list comes back instead of a tuple."""
    leading, scale = q.shape[:-2], 1 / math.sqrt(q.shape[-1])
    outputs, all_keys, all_values = [], [], []
    for head in np.ndindex(*leading):
        keys = k_cache[head].tolist() + k[head].tolist()
        values = v_cache[head].tolist() + v[head].tolist()
        for i, query in enumerate(q[head].tolist()):
            seen = len(k_cache[head]) + i + 1
            scores = [scale * sum(map(float.__mul__, query, key)) for key in keys[:seen]]
            raised = [math.exp(score - max(scores)) for score in scores]
            mixed = [
                math.fsum(map(float.__mul__, raised, column)) for column in zip(*values[:seen], strict=True)
            ]
            outputs.append([number / math.fsum(raised) for number in mixed])
        all_keys += keys
        all_values += values
    return [
        np.array(rows, q.dtype).reshape(*leading, -1, width)
        for rows, width in [
            (outputs, v.shape[-1]), (all_keys, k.shape[-1]), (all_values, v.shape[-1])
        ]
    ]  # fmt: skip


def vectorised_over_heads(q: Array, k: Array, v: Array, k_cache: Array, v_cache: Array) -> Results:
    """A function of one head, lifted by numpy."""

    def of_one_head(q: Array, keys: Array, values: Array) -> Array:
        scores = np.dot(q, keys.T) / math.sqrt(q.shape[-1])
        scores = np.where(np.tri(*scores.shape, len(keys) - len(q)), scores, np.finfo(q.dtype).min)
        return np.dot(softmax(scores), values).astype(q.dtype)

    keys, values = np.append(k_cache, k, axis=-2), np.append(v_cache, v, axis=-2)
    lifted = np.vectorize(of_one_head, signature="(q,d),(k,d),(k,v)->(q,v)", otypes=[q.dtype])
    return lifted(q, keys, values), keys, values


def all_queries_padded(q: Array, k: Array, v: Array, k_cache: Array, v_cache: Array) -> Results:
    """The full square pass, in which zeros stand for the old queries, and its last rows."""
    keys, values = appended(k, v, k_cache, v_cache)
    queries = np.concatenate([np.zeros_like(k_cache), q], axis=-2)
    scores = queries @ keys.mT * (1 / math.sqrt(q.shape[-1]))
    scores[..., ~np.tri(keys.shape[-2], dtype=bool)] = -np.inf
    return (softmax(scores) @ values)[..., k_cache.shape[-2] :, :], keys, values


STYLES: dict[str, Callable[..., Any]] = {
    "scores-added-to": scores_added_to,
    "query-by-query": query_by_query,
    "token-by-token": token_by_token,
    "arrays-made-first": arrays_made_first,
    "cached-and-new-apart": cached_and_new_apart,
    "running-maximum": running_maximum,
    "lists": lists,
    "vectorised-over-heads": vectorised_over_heads,
    "all-queries-padded": all_queries_padded,
}
