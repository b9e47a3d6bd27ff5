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


def token_by_token(q: Array, k: Array, v: Array, k_cache: Array, v_cache: Array) -> Results:
    """As a model writes: the caches grow by one token, which then looks at all of them."""
    outputs = []
    for i in range(q.shape[-2]):
        one = np.s_[..., i : i + 1, :]
        k_cache, v_cache = appended(k[one], v[one], k_cache, v_cache)
        outputs.append(softmax(q[one] @ k_cache.mT / math.sqrt(q.shape[-1])) @ v_cache)
    return np.concatenate(outputs, axis=-2), k_cache, v_cache


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
    "token-by-token": token_by_token,
    "cached-and-new-apart": cached_and_new_apart,
    "lists": lists,
    "vectorised-over-heads": vectorised_over_heads,
    "all-queries-padded": all_queries_padded,
}
