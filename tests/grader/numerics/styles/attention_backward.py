"""Right ways to write `attention_backward` of the assignment `attention-backward`: none may fail or be named."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

Array = np.ndarray
Gradients = tuple[Array, Array, Array]


def visible(q: Array, k: Array, causal: bool) -> Array:
    queries, keys = q.shape[-2], k.shape[-2]
    if not causal:
        return np.ones((queries, keys), dtype=bool)
    return np.arange(keys) <= np.arange(queries)[:, None] + keys - queries


def softmax(scores: Array, axis: int = -1) -> Array:
    """With rows of nothing but -inf giving zeros."""
    peak = scores.max(axis=axis, keepdims=True)
    weights = np.exp(scores - np.where(np.isneginf(peak), 0, peak))
    total = weights.sum(axis=axis, keepdims=True)
    return weights / np.where(total == 0, 1, total)


def weights_of(q: Array, k: Array, causal: bool) -> Array:
    return softmax(np.where(visible(q, k, causal), q @ k.mT / math.sqrt(q.shape[-1]), -np.inf))


def textbook(q: Array, k: Array, v: Array, d_out: Array, causal: bool = False) -> Gradients:
    weights = weights_of(q, k, causal)
    d_weights = d_out @ v.mT
    d_scores = weights * (d_weights - (weights * d_weights).sum(axis=-1, keepdims=True))
    d_products = d_scores / math.sqrt(q.shape[-1])
    return d_products @ k, d_products.mT @ q, weights.mT @ d_out


def float64_inside(q: Array, k: Array, v: Array, d_out: Array, causal: bool = False) -> Gradients:
    wide = (each.astype(np.float64) for each in (q, k, v, d_out))
    dq, dk, dv = textbook(*wide, causal)
    return dq.astype(q.dtype), dk.astype(q.dtype), dv.astype(q.dtype)


def longdouble_inside(q: Array, k: Array, v: Array, d_out: Array, causal: bool = False) -> Gradients:
    wide = (each.astype(np.longdouble) for each in (q, k, v, d_out))
    dq, dk, dv = textbook(*wide, causal)
    return dq.astype(q.dtype), dk.astype(q.dtype), dv.astype(q.dtype)


def mean_from_the_result(q: Array, k: Array, v: Array, d_out: Array, causal: bool = False) -> Gradients:
    """A row's weighted mean of d_out . v is d_out . (weighted mean of v), and that is the result."""
    weights = weights_of(q, k, causal)
    mean = (d_out * (weights @ v)).sum(axis=-1, keepdims=True)
    d_scores = weights * (d_out @ v.mT - mean) / math.sqrt(q.shape[-1])
    return d_scores @ k, d_scores.mT @ q, weights.mT @ d_out


def values_seen_from_the_result(
    q: Array, k: Array, v: Array, d_out: Array, causal: bool = False
) -> Gradients:
    """A score's gradient is its weight times d_out . (value - result)."""
    weights = weights_of(q, k, causal)
    away = v[..., None, :, :] - (weights @ v)[..., :, None, :]
    d_scores = weights * (away @ d_out[..., None])[..., 0] / math.sqrt(q.shape[-1])
    return d_scores @ k, d_scores.mT @ q, weights.mT @ d_out


def two_terms(q: Array, k: Array, v: Array, d_out: Array, causal: bool = False) -> Gradients:
    weights = weights_of(q, k, causal)
    product = weights * (d_out @ v.mT)
    d_scores = product - weights * product.sum(axis=-1, keepdims=True)
    scale = 1 / math.sqrt(q.shape[-1])
    return (d_scores @ k) * scale, (d_scores.mT @ q) * scale, weights.mT @ d_out


def loops(q: Array, k: Array, v: Array, d_out: Array, causal: bool = False) -> Gradients:
    """Plain floats, one query after the other; keys and values gather as it goes."""
    seen = visible(q, k, causal)
    scale = 1 / math.sqrt(q.shape[-1])
    dq, dk, dv = (np.zeros(each.shape) for each in (q, k, v))
    for *head, i in np.ndindex(*q.shape[:-1]):
        at = tuple(head)
        keys = [j for j in range(k.shape[-2]) if seen[i, j]]
        scores = [scale * float(np.dot(q[(*at, i)], k[(*at, j)])) for j in keys]
        raised = [math.exp(score - max(scores)) for score in scores]
        weights = [each / math.fsum(raised) for each in raised]
        d_weights = [float(np.dot(d_out[(*at, i)], v[(*at, j)])) for j in keys]
        mean = math.fsum(p * d for p, d in zip(weights, d_weights, strict=True))
        for j, p, d in zip(keys, weights, d_weights, strict=True):
            dq[(*at, i)] += scale * p * (d - mean) * k[(*at, j)]
            dk[(*at, j)] += scale * p * (d - mean) * q[(*at, i)]
            dv[(*at, j)] += p * d_out[(*at, i)]
    return dq.astype(q.dtype), dk.astype(q.dtype), dv.astype(q.dtype)


def list_of_heads(q: Array, k: Array, v: Array, d_out: Array, causal: bool = False) -> Gradients:
    flat = [each.reshape(-1, *each.shape[-2:]) for each in (q, k, v, d_out)]
    heads = [textbook(*head, causal=causal) for head in zip(*flat, strict=True)]
    dq, dk, dv = (
        np.array(gradient, dtype=q.dtype).reshape(like.shape)
        for gradient, like in zip(zip(*heads, strict=True), (q, k, v), strict=True)
    )
    return dq, dk, dv


def backwards_through_each_step(
    q: Array, k: Array, v: Array, d_out: Array, causal: bool = False
) -> Gradients:
    """As a framework does it: exp, sum and division each have a gradient of their own."""
    root = math.sqrt(q.shape[-1])
    scores = np.where(visible(q, k, causal), q @ k.mT / root, -np.inf)
    peak = scores.max(axis=-1, keepdims=True)
    raised = np.exp(scores - np.where(np.isneginf(peak), 0, peak))
    total = raised.sum(axis=-1, keepdims=True)
    total[total == 0] = 1
    d_weights = d_out @ v.mT
    d_total = -(d_weights * raised / total**2).sum(axis=-1, keepdims=True)
    d_raised = d_weights / total + d_total
    d_scores = d_raised * raised / root
    return d_scores @ k, d_scores.mT @ q, (raised / total).mT @ d_out


def key_blocks(q: Array, k: Array, v: Array, d_out: Array, causal: bool = False) -> Gradients:
    """Four keys at a time, their weights from the logarithm of each row's sum, as fused kernels do it."""
    scale = 1 / math.sqrt(q.shape[-1])
    scores = np.where(visible(q, k, causal), scale * (q @ k.mT), -np.inf)
    log_total = np.logaddexp.reduce(scores, axis=-1, keepdims=True)
    log_total[np.isneginf(log_total)] = 0
    mean = np.vecdot(d_out, np.exp(scores - log_total) @ v)[..., None]
    dq, dk, dv = np.zeros_like(q), np.empty_like(k), np.empty_like(v)
    for start in range(0, k.shape[-2], 4):
        rows = np.s_[..., start : start + 4, :]
        weights = np.exp(scores[..., start : start + 4] - log_total)
        d_scores = weights * (d_out @ v[rows].mT - mean) * scale
        dq += d_scores @ k[rows]
        dk[rows] = d_scores.mT @ q
        dv[rows] = weights.mT @ d_out
    return dq, dk, dv


def in_place_on_copies(q: Array, k: Array, v: Array, d_out: Array, causal: bool = False) -> Gradients:
    scaled = q.copy()
    scaled *= q.shape[-1] ** -0.5
    p = scaled @ k.mT
    p[..., ~visible(q, k, causal)] = -np.inf
    p -= np.maximum(p.max(axis=-1, keepdims=True), np.finfo(p.dtype).min)
    np.exp(p, out=p)
    p /= np.maximum(p.sum(axis=-1, keepdims=True), np.finfo(p.dtype).tiny)
    dv = p.mT @ d_out
    d = d_out @ v.mT
    d -= (p * d).sum(axis=-1, keepdims=True)
    d *= p
    dk = d.mT @ scaled
    d *= q.shape[-1] ** -0.5
    return d @ k, dk, dv


def scale_shared(q: Array, k: Array, v: Array, d_out: Array, causal: bool = False) -> Gradients:
    """Half of the scale to the queries, half to the keys, and so to their gradients."""
    root = q.shape[-1] ** -0.25
    a, b = q * root, k * root
    weights = softmax(np.where(visible(q, k, causal), a @ b.mT, -np.inf))
    d_weights = d_out @ v.mT
    d_scores = weights * (d_weights - (weights * d_weights).sum(axis=-1, keepdims=True))
    return d_scores @ b * root, d_scores.mT @ a * root, weights.mT @ d_out


def powers_of_two(q: Array, k: Array, v: Array, d_out: Array, causal: bool = False) -> Gradients:
    scores = q @ k.mT * (math.log2(math.e) / math.sqrt(q.shape[-1]))
    scores = np.where(visible(q, k, causal), scores, -np.inf)
    peak = scores.max(axis=-1, keepdims=True)
    raised = np.exp2(scores - np.where(np.isneginf(peak), 0, peak))
    weights = raised / np.maximum(raised.sum(axis=-1, keepdims=True), np.finfo(q.dtype).tiny)
    d_weights = d_out @ v.mT
    d_scores = weights * (d_weights - (weights * d_weights).sum(axis=-1, keepdims=True))
    d_scores *= 1 / math.sqrt(q.shape[-1])
    return d_scores @ k, d_scores.mT @ q, weights.mT @ d_out


def keys_by_queries(q: Array, k: Array, v: Array, d_out: Array, causal: bool = False) -> Gradients:
    """Everything transposed: a column for each query."""
    scores = np.where(visible(q, k, causal).T, k @ q.mT / math.sqrt(q.shape[-1]), -np.inf)
    weights = softmax(scores, axis=-2)
    d_weights = v @ d_out.mT
    d_scores = weights * (d_weights - (weights * d_weights).sum(axis=-2, keepdims=True))
    d_scores = d_scores / math.sqrt(q.shape[-1])
    return (k.mT @ d_scores).mT, d_scores @ q, weights @ d_out


def complex_steps(q: Array, k: Array, v: Array, d_out: Array, causal: bool = False) -> Gradients:
    """No formula of a gradient: one forward pass for each input element, with a tiny imaginary step in it."""
    inputs = [each.astype(np.complex128) for each in (q, k, v)]
    seen, root, step = visible(q, k, causal), math.sqrt(q.shape[-1]), 1e-30
    gradients = [np.empty(each.shape) for each in inputs]

    def loss(head: tuple[int, ...]) -> complex:
        q, k, v = (each[head] for each in inputs)
        scores = q @ k.T / root
        peak = np.where(seen, scores.real, -np.inf).max(axis=-1, keepdims=True)
        raised = np.where(seen, np.exp(np.where(seen, scores - peak, 0)), 0)
        total = raised.sum(axis=-1, keepdims=True)
        return complex((d_out[head] * (raised / np.where(total == 0, 1, total) @ v)).sum())

    for array, gradient in zip(inputs, gradients, strict=True):
        for place in np.ndindex(*array.shape):
            array[place] += step * 1j
            gradient[place] = loss(place[:-2]).imag / step
            array[place] = array[place].real
    dq, dk, dv = (each.astype(q.dtype) for each in gradients)
    return dq, dk, dv


STYLES: dict[str, Callable[..., Gradients]] = {
    function.__name__.replace("_", "-"): function
    for function in (
        textbook,
        float64_inside,
        longdouble_inside,
        mean_from_the_result,
        values_seen_from_the_result,
        two_terms,
        loops,
        list_of_heads,
        backwards_through_each_step,
        key_blocks,
        in_place_on_copies,
        scale_shared,
        powers_of_two,
        keys_by_queries,
        complex_steps,
    )
}
