"""Softmax, scores and the cache: closed forms, extreme inputs, and the full pass."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.reference import (
    attention,
    decode,
    expected_attention,
    expected_decode,
    expected_scores,
    expected_softmax,
    scores,
    softmax,
)

DTYPES = (np.float16, np.float32, np.float64)
SEEDS = st.integers(0, 2**32)


@pytest.mark.parametrize("dtype", DTYPES)
def test_no_number_is_too_large_for_the_softmax(dtype: type) -> None:
    large = float(np.finfo(dtype).max) / 2.0  # two of them apart is still a number
    x = np.array([[large, large, -large], [-large, -np.inf, -large], [-np.inf] * 3], dtype)
    right = [[0.5, 0.5, 0.0], [0.5, 0.0, 0.5], [0.0] * 3]
    assert softmax(x).tolist() == right
    assert expected_softmax(x).value.tolist() == right


@given(st.floats(-30, 30), st.floats(-30, 30))
def test_the_softmax_of_two_is_a_sigmoid(a: float, b: float) -> None:
    right = 1.0 / (1.0 + math.exp(b - a))
    for first in (softmax(np.array([a, b]))[0], expected_softmax(np.array([a, b])).value[0]):
        assert first == pytest.approx(right, rel=1e-13)


@given(SEEDS, st.integers(-3, 2))
def test_the_softmax_goes_along_any_axis(seed: int, axis: int) -> None:
    x = np.random.default_rng(seed).standard_normal((2, 3, 4))
    moved = np.moveaxis(softmax(np.moveaxis(x, axis, -1)), -1, axis)
    assert np.allclose(softmax(x, axis), moved, rtol=1e-14)
    assert np.allclose(softmax(x, axis).sum(axis=axis), 1.0, rtol=1e-14)
    assert np.allclose(expected_softmax(x, axis).value, moved, rtol=1e-14)


@pytest.mark.parametrize("shape", [(0, 3), (3, 0)])
def test_an_empty_softmax_is_empty(shape: tuple[int, ...]) -> None:
    assert softmax(np.ones(shape, np.float32)).shape == expected_softmax(np.ones(shape)).value.shape == shape


def test_scores_in_half_precision_round_once() -> None:
    """Sums in float16 itself would stop at 2048: 2048 + 1 is 2048 there."""
    q, k = np.ones((1, 4096), np.float16), np.ones((1, 4096), np.float16)
    assert scores(q, k).tolist() == [[64.0]]
    assert expected_scores(q, k).value.tolist() == [[64.0]]


@given(SEEDS, st.lists(st.integers(1, 3), min_size=1, max_size=5), st.sampled_from([(), (2,), (2, 3)]))
def test_decoding_step_by_step_is_the_full_pass(
    seed: int, steps: list[int], leading: tuple[int, ...]
) -> None:
    random = np.random.default_rng(seed)
    length = sum(steps)
    q, k = (random.standard_normal((*leading, length, 4)) for _ in range(2))
    v = random.standard_normal((*leading, length, 5))
    full = expected_attention(q, k, v, causal=True)
    k_cache, v_cache = k[..., :0, :], v[..., :0, :]
    parts, start = [], 0
    for step in steps:
        new = np.s_[..., start : start + step, :]
        right = expected_decode(q[new], k[new], v[new], k_cache, v_cache)
        part, k_cache, v_cache = decode(q[new], k[new], v[new], k_cache, v_cache)
        assert (np.abs(part - right["output"].value) <= right["output"].tolerance).all()
        assert np.array_equal(right["k_cache"].value, k_cache)
        assert np.array_equal(right["v_cache"].value, v_cache)
        parts.append(part)
        start += step
    assert (np.abs(np.concatenate(parts, axis=-2) - full.value) <= full.tolerance).all()
    assert np.array_equal(k_cache, k)
    assert np.array_equal(v_cache, v)


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_cache_must_be_copied_exactly(dtype: type) -> None:
    random = np.random.default_rng(0)
    q, k, v, k_cache, v_cache = (
        random.standard_normal((2, length, 4)).astype(dtype) for length in (1, 1, 1, 3, 3)
    )
    right = expected_decode(q, k, v, k_cache, v_cache)
    assert list(right) == ["output", "k_cache", "v_cache"]
    _, longer, _ = decode(q, k, v, k_cache, v_cache)
    for factor, exact in ((1.0, True), (1.0 + float(np.finfo(dtype).eps), False)):
        error = np.abs((longer * dtype(factor)).astype(np.float64) - right["k_cache"].value)
        assert (error <= right["k_cache"].tolerance).all() == exact


def test_a_new_token_sees_the_cache_itself_and_those_before_it() -> None:
    q, k = np.zeros((2, 4)), np.zeros((2, 4))
    out, _, _ = decode(q, k, np.array([[30.0], [60.0]]), np.zeros((2, 4)), np.array([[0.0], [6.0]]))
    assert np.allclose(out, [[12.0], [24.0]])
    assert np.allclose(attention(q, np.zeros((4, 4)), np.array([[0.0], [6.0], [30.0], [60.0]])), 24.0)
