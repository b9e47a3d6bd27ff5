"""Right ways to write `multi_head` of the assignment `multi-head`: none may fail a check or be named.

Two of them are classes, called as the sandbox calls one.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.grader.numerics.right_multi_head import MULTI_HEAD
from tests.grader.numerics.right_styles import STYLES as ATTENTION
from tests.grader.numerics.right_styles import softmax, visible

Array = np.ndarray


def cut(x: Array, heads: int) -> list[Array]:
    """(..., T, heads * d), a view (..., T, d) for each head."""
    return np.split(x, heads, axis=-1)


def list_of_heads(
    x: Array, w_q: Array, w_k: Array, w_v: Array, w_o: Array, heads: int, causal: bool = False
) -> Array:
    """Views, a list, and all of them put side by side."""
    parts = zip(*(cut(x @ w, heads) for w in (w_q, w_k, w_v)), strict=True)
    return np.concatenate([ATTENTION["textbook"](*part, causal=causal) for part in parts], axis=-1) @ w_o


def added_up_backwards(
    x: Array, w_q: Array, w_k: Array, w_v: Array, w_o: Array, heads: int, causal: bool = False
) -> Array:
    """Each head through its own rows of w_o, the last one first."""
    q, k, v = (cut(x @ w, heads) for w in (w_q, w_k, w_v))
    rows = np.split(w_o, heads)
    result = np.zeros((*x.shape[:-1], w_o.shape[1]), dtype=x.dtype)
    for h in reversed(range(heads)):
        result += ATTENTION["powers-of-two"](q[h], k[h], v[h], causal=causal) @ rows[h]
    return result


def token_by_token(
    x: Array, w_q: Array, w_k: Array, w_v: Array, w_o: Array, heads: int, causal: bool = False
) -> Array:
    """As in decoding: under causality a token is given nothing but the tokens so far."""
    q, k, v = (x @ w for w in (w_q, w_k, w_v))
    result = np.empty((*x.shape[:-1], w_o.shape[1]), dtype=x.dtype)
    for place in np.ndindex(*x.shape[:-1]):
        *batch, i = place
        seen = (*batch, slice(i + 1 if causal else None))
        found = []
        for h in range(heads):
            query, keys, values = cut(q[place], heads)[h], cut(k[seen], heads)[h], cut(v[seen], heads)[h]
            found.append(softmax(keys @ query / math.sqrt(query.size)) @ values)
        result[place] = np.hstack(found) @ w_o
    return result


def one_einsum_after_the_other(
    x: Array, w_q: Array, w_k: Array, w_v: Array, w_o: Array, heads: int, causal: bool = False
) -> Array:
    """Weights with an axis of heads, so that nothing is ever split or joined."""
    q, k, v = (
        np.einsum("...td,dhe->...hte", x, w.reshape(w.shape[0], heads, -1), optimize=True)
        for w in (w_q, w_k, w_v)
    )
    scores = np.einsum("...hqe,...hke->...hqk", q, k) / math.sqrt(q.shape[-1])
    scores = np.where(visible(q, k, None, causal), scores, -np.inf)
    found = np.einsum("...hqk,...hke->...hqe", softmax(scores), v)
    return np.einsum("...hqe,heo->...qo", found, w_o.reshape(heads, -1, w_o.shape[1]))


def heads_into_the_batch(
    x: Array, w_q: Array, w_k: Array, w_v: Array, w_o: Array, heads: int, causal: bool = False
) -> Array:
    """One leading axis for batch and heads together."""
    tokens = x.reshape(-1, *x.shape[-2:])
    batch, length, _ = tokens.shape
    q, k, v = (
        (tokens @ w)
        .reshape(batch, length, heads, -1)
        .transpose(0, 2, 1, 3)
        .reshape(batch * heads, length, -1)
        for w in (w_q, w_k, w_v)
    )
    found = ATTENTION["in-place-on-copies"](q, k, v, causal=causal)
    joined = found.reshape(batch, heads, length, -1).transpose(0, 2, 1, 3).reshape(batch * length, -1)
    return (joined @ w_o).reshape(*x.shape[:-1], -1)


def one_projection_for_all(
    x: Array, w_q: Array, w_k: Array, w_v: Array, w_o: Array, heads: int, causal: bool = False
) -> Array:
    """The three weight matrices side by side, the scale in w_q, tokens on the last axis."""
    d = w_q.shape[1] // heads
    together = np.hstack([w_q / math.sqrt(d), w_k, w_v])
    q, k, v = (
        part.mT.reshape(*x.shape[:-2], heads, -1, x.shape[-2])
        for part in np.split(x @ together, [heads * d, 2 * heads * d], axis=-1)
    )
    scores = k.mT @ q
    if causal:
        scores[..., np.tril_indices(x.shape[-2], -1)[0], np.tril_indices(x.shape[-2], -1)[1]] = -np.inf
    found = v @ softmax(scores, axis=-2)
    return found.reshape(*x.shape[:-2], -1, x.shape[-2]).mT @ w_o


def lists(
    x: Array, w_q: Array, w_k: Array, w_v: Array, w_o: Array, heads: int, causal: bool = False
) -> Array:
    """Plain Python but for the axes in front."""

    def product(a: list[Any], b: list[Any]) -> list[Any]:
        return [[math.fsum(map(float.__mul__, row, column)) for column in zip(*b, strict=True)] for row in a]

    def of_sequence(tokens: list[Any]) -> list[Any]:
        q, k, v = (product(tokens, w.tolist()) for w in (w_q, w_k, w_v))
        joined: list[list[float]] = [[] for _ in tokens]
        d, dv = len(q[0]) // heads, len(v[0]) // heads
        for h in range(heads):
            for i, query in enumerate(q):
                seen = range(i + 1 if causal else len(k))
                own = slice(h * d, h * d + d)
                scores = [sum(map(float.__mul__, query[own], k[j][own])) / d**0.5 for j in seen]
                raised = [math.exp(score - max(scores)) for score in scores]
                for c in range(h * dv, h * dv + dv):
                    column = (raised[j] * v[j][c] for j in seen)
                    joined[i].append(math.fsum(column) / math.fsum(raised))
        return product(joined, w_o.tolist())

    flat = [of_sequence(tokens.tolist()) for tokens in x.reshape(-1, *x.shape[-2:])]
    return np.array(flat, dtype=x.dtype).reshape(*x.shape[:-1], -1)


class MultiHeadAttention:
    """Weights kept on the object, and one product for queries, keys and values each."""

    def __init__(self, w_q: Array, w_k: Array, w_v: Array, w_o: Array, heads: int) -> None:
        self.heads = heads
        self.weights = [w_q, w_k, w_v]
        self.w_o = w_o

    def split(self, x: Array) -> Array:
        return np.stack(cut(x, self.heads), axis=-3)

    def attend(self, q: Array, k: Array, v: Array, causal: bool) -> Array:
        return ATTENTION["log-sum-exp"](q, k, v, causal=causal)

    def forward(self, x: Array, causal: bool = False) -> Array:
        found = self.attend(*(self.split(x @ w) for w in self.weights), causal)
        return np.concatenate([found[..., h, :, :] for h in range(self.heads)], axis=-1) @ self.w_o


class HeadsOfTheirOwn(MultiHeadAttention):
    """Attention by blocks of keys; the heads moved by np.moveaxis."""

    def split(self, x: Array) -> Array:
        return np.moveaxis(x.reshape(*x.shape[:-1], self.heads, -1), -2, -3)

    def attend(self, q: Array, k: Array, v: Array, causal: bool) -> Array:
        return ATTENTION["online-softmax"](q, k, v, causal=causal)


def longdouble_inside(
    x: Array, w_q: Array, w_k: Array, w_v: Array, w_o: Array, heads: int, causal: bool = False
) -> Array:
    wide = [each.astype(np.longdouble) for each in (x, w_q, w_k, w_v, w_o)]
    return list_of_heads(*wide, heads, causal).astype(x.dtype)


STYLES: dict[str, Callable[..., Any]] = {
    "list-of-heads": list_of_heads,
    "added-up-backwards": added_up_backwards,
    "token-by-token": token_by_token,
    "one-einsum-after-the-other": one_einsum_after_the_other,
    "heads-into-the-batch": heads_into_the_batch,
    "one-projection-for-all": one_projection_for_all,
    "lists": lists,
    "class": lambda x, *made, causal=False: MultiHeadAttention(*made).forward(x, causal),
    "class-with-blocks": lambda x, *made, causal=False: HeadsOfTheirOwn(*made).forward(x, causal),
    "longdouble-inside": longdouble_inside,
} | MULTI_HEAD
