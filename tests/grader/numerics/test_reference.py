"""The fast attention and the oracle: against each other, closed forms, and another array library."""

from __future__ import annotations

import math
import tracemalloc
from collections.abc import Callable
from typing import Any

import array_api_strict as strict
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.reference import attention, expected_attention, online_attention
from grader.reference.masks import causal_mask, visible_keys
from tests.grader.numerics.right_styles import STYLES

DTYPES = (np.float16, np.float32, np.float64)


@st.composite
def problems(draw: st.DrawFn, dtypes: tuple[type, ...] = DTYPES) -> tuple[list[np.ndarray], dict[str, Any]]:
    """Arguments of one call; small scores where a mask may leave few keys, large ones where many stay."""
    leading = tuple(draw(st.lists(st.integers(1, 3), max_size=3)))
    queries, width, value_width = (draw(st.integers(1, 9)) for _ in range(3))
    dtype = draw(st.sampled_from(dtypes))
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    hiding = draw(st.booleans())
    keys = draw(st.integers(1, 9)) if hiding else draw(st.integers(9, 14))
    sd = draw(st.sampled_from([0.1, 1.0, 3.0] if hiding or dtype is np.float16 else [0.1, 2.0, 50.0]))
    shapes = [(*leading, queries, width), (*leading, keys, width), (*leading, keys, value_width)]
    arrays = [random.standard_normal(shape).astype(dtype) for shape in shapes]
    arrays[0] *= np.asarray(sd, dtype=dtype)
    mask = None
    if hiding and draw(st.booleans()):
        full = (*leading, queries, keys)
        kept = draw(st.integers(0, len(full)))  # a mask may have fewer axes than the scores
        shape = tuple(length if draw(st.booleans()) else 1 for length in full[len(full) - kept :])
        mask = np.asarray(random.random(shape) < 0.6)
    return arrays, {"mask": mask, "causal": hiding and draw(st.booleans())}


def worst(result: np.ndarray, arrays: list[np.ndarray], hidden: dict[str, Any]) -> float:
    """The largest error in tolerances; the form must be right."""
    right = expected_attention(*arrays, **hidden)
    assert result.dtype == right.dtype
    assert result.shape == right.value.shape
    return float((np.abs(result.astype(np.float64) - right.value) / right.tolerance).max())


@given(problems())
def test_fast_attention_is_right(problem: tuple[list[np.ndarray], dict[str, Any]]) -> None:
    arrays, hidden = problem
    assert worst(attention(*arrays, **hidden, block=3), arrays, hidden) <= 1.0


@given(problems(), st.sampled_from(sorted(STYLES)))
def test_the_tolerance_rejects_no_right_style(
    problem: tuple[list[np.ndarray], dict[str, Any]], name: str
) -> None:
    arrays, hidden = problem
    with np.errstate(all="ignore"):
        assert worst(STYLES[name](*arrays, **hidden), arrays, hidden) <= 1.0


@given(problems(), st.integers(1, 20), st.sampled_from([attention, online_attention]))
def test_blocks_of_queries_or_of_keys_change_nothing(
    problem: tuple[list[np.ndarray], dict[str, Any]], block: int, way: Callable[..., Any]
) -> None:
    arrays, hidden = problem
    tolerance = expected_attention(*arrays, **hidden).tolerance
    apart = way(*arrays, **hidden, block=block).astype(np.float64) - attention(*arrays, **hidden)
    assert (np.abs(apart) <= 2.0 * tolerance).all()


@given(problems(dtypes=(np.float32, np.float64)), st.sampled_from(["CPU_DEVICE", "device1"]))
def test_the_array_standard_suffices(problem: tuple[list[np.ndarray], dict[str, Any]], name: str) -> None:
    arrays, hidden = problem
    place, home = strict.Device(name), strict.Device("CPU_DEVICE")
    there = [strict.asarray(array, device=place) for array in arrays]
    mask = None if hidden["mask"] is None else strict.asarray(hidden["mask"], device=place)
    result = attention(*there, mask, hidden["causal"], block=4)
    assert result.device == place
    assert worst(np.asarray(strict.asarray(result, device=home)), arrays, hidden) <= 1.0


def test_memory_grows_with_the_block_not_with_t_squared() -> None:
    length, block = 2048, 64
    random = np.random.default_rng(0)
    q, k, v = (random.standard_normal((2, length, 4), dtype=np.float32) for _ in range(3))
    mask = np.ones((1, 1, length), dtype=bool)
    attention(q, k, v, mask, True, block=block)
    tracemalloc.start()
    attention(q, k, v, mask, True, block=block)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 6 * block * length * q.itemsize < length * length * q.itemsize


@pytest.mark.parametrize("causal", [False, True])
def test_no_keys_at_all_give_zeros(causal: bool) -> None:
    q, k, v = np.ones((2, 3, 4)), np.ones((2, 0, 4)), np.ones((2, 0, 5))
    for way in (attention, online_attention):
        result = way(q, k, v, causal=causal)
        assert result.shape == (2, 3, 5)
        assert not result.any()
    assert not expected_attention(q, k, v, causal=causal).value.any()


def test_an_outside_oracle_agrees() -> None:
    torch = pytest.importorskip("torch", reason="torch, the outside oracle, is not installed")
    random = np.random.default_rng(0)
    q, k, v = (random.standard_normal((2, 3, length, 8)) for length in (30, 41, 41))
    mask = random.random((2, 1, 30, 41)) < 0.7
    visible = np.broadcast_to(visible_keys(30, 41, mask, causal=True), (2, 3, 30, 41))
    tensors = [torch.from_numpy(array) for array in (q, k, v)]
    outside = torch.nn.functional.scaled_dot_product_attention(
        *tensors, attn_mask=torch.from_numpy(visible.copy())
    )
    right = expected_attention(q, k, v, mask, causal=True)
    assert (np.abs(outside.numpy() - right.value) <= right.tolerance).all()


def test_the_causal_mask_is_aligned_at_the_bottom_right() -> None:
    assert causal_mask(2, 4).tolist() == [[True, True, True, False], [True] * 4]
    assert causal_mask(4, 2).tolist() == [[False] * 2, [False] * 2, [True, False], [True, True]]
    assert causal_mask(5, 5, rows=range(1, 3)).tolist() == causal_mask(5, 5)[1:3].tolist()


def test_masks_combine_by_and() -> None:
    mask = np.array([False, True, True])
    assert visible_keys(3, 3) is None
    assert visible_keys(3, 3, mask) is mask
    both = [[False, False, False], [False, True, False], [False, True, True]]
    assert visible_keys(3, 3, mask, causal=True).tolist() == both


@given(st.floats(-20, 20), st.floats(-20, 20), st.integers(1, 40))
def test_two_keys_in_closed_form(a: float, b: float, width: int) -> None:
    q, k = np.zeros((1, width)), np.zeros((2, width))
    q[0, 0], k[0, 0] = a, b
    right = expected_attention(q, k, np.array([[1.0], [0.0]]))
    assert right.value[0, 0] == pytest.approx(1.0 / (1.0 + math.exp(-a * b / math.sqrt(width))), rel=1e-12)


def test_huge_scores_pick_the_best_value() -> None:
    random = np.random.default_rng(3)
    q, k, v = (random.standard_normal((5, length, 4)) for length in (6, 7, 7))
    best = (q @ k.swapaxes(-1, -2)).argmax(axis=-1)
    right = expected_attention(1e7 * q, k, v)
    assert np.allclose(right.value, np.take_along_axis(v, best[..., None], axis=-2), rtol=1e-9)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_the_tolerance_counts_the_terms_of_the_scores(dtype: type) -> None:
    """C eps (2 + max_j sum_i |q_i k_ji| / sqrt(d) + log n) sum P |V| + tiny, over the n keys that may be seen."""
    q, k = np.array([[2.0, 2.0, 0.0, 0.0]], dtype), np.zeros((3, 4), dtype)
    k[0, 0], k[1, :2], k[2, 0] = -3.0, (4.0, -4.0), 900.0  # scores -3, 0 of terms 8 in size, and, hidden, 900
    v = np.array([[-1.0], [2.0], [5.0]], dtype)
    right = expected_attention(q, k, v, np.array([True, True, False]))
    weight = 1.0 / (1.0 + math.exp(3.0))
    eps, tiny = float(np.finfo(dtype).eps), float(np.finfo(dtype).tiny)
    allowed = 16 * eps * (2.0 + 8.0 + math.log(2)) * (weight * 1.0 + (1.0 - weight) * 2.0) + tiny
    assert right.tolerance[0, 0] == pytest.approx(allowed, rel=1e-12)


def test_the_tolerance_of_a_query_that_sees_nothing_is_the_smallest_number() -> None:
    q, k, v = (np.ones((2, 3), dtype=np.float32) for _ in range(3))
    right = expected_attention(q, k, v, np.array([[False, False], [True, True]]))
    assert (right.value[0] == 0.0).all()
    assert (right.tolerance[0] == np.finfo(np.float32).tiny).all()


@given(st.integers(0, 2**32))
def test_half_precision_inside_single_is_caught(seed: int) -> None:
    random = np.random.default_rng(seed)
    q, k, v = (random.standard_normal((2, length, 16), dtype=np.float32) for length in (20, 30, 30))
    result = attention(*(each.astype(np.float16) for each in (q, k, v))).astype(np.float32)
    assert worst(result, [q, k, v], {}) > 1.0
