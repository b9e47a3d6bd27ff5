"""The rotary embedding: what it keeps, what it tells, and how exactly."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.reference import expected_rope, rope, scores

SEEDS = st.integers(0, 2**32)
STYLES = st.booleans()


def test_one_pair_is_turned_by_its_position() -> None:
    turned = rope(np.array([[1.0, 0.0]] * 3), np.arange(3))
    assert np.allclose(turned, [[math.cos(t), math.sin(t)] for t in range(3)], rtol=1e-15)


def test_later_pairs_turn_slower() -> None:
    half = rope(np.array([[1.0, 1.0, 0.0, 0.0]]), np.array([100]), base=100.0)
    slow = 100 * 100.0**-0.5
    right = [math.cos(100), math.cos(slow), math.sin(100), math.sin(slow)]
    assert np.allclose(half, [right], rtol=1e-14)
    interleaved = rope(np.array([[1.0, 0.0, 1.0, 0.0]]), np.array([100]), 100.0, interleaved=True)
    assert np.allclose(interleaved, [[right[i] for i in (0, 2, 1, 3)]], rtol=1e-14)


@given(SEEDS, st.integers(1, 4), STYLES)
def test_the_two_styles_differ_in_the_order_of_features(seed: int, pairs: int, causal: bool) -> None:
    x = np.random.default_rng(seed).standard_normal((2, 5, 2 * pairs))
    order = np.arange(2 * pairs).reshape(2, pairs).T.ravel()  # 0, d/2, 1, d/2 + 1, ...
    assert np.array_equal(
        rope(x, np.arange(5))[..., order], rope(x[..., order], np.arange(5), interleaved=True)
    )


@given(SEEDS, st.integers(1, 4), STYLES)
def test_lengths_are_kept_and_position_0_changes_nothing(seed: int, pairs: int, interleaved: bool) -> None:
    random = np.random.default_rng(seed)
    x = random.standard_normal((2, 5, 2 * pairs))
    positions = random.integers(0, 1000, (2, 5))
    norms = [np.linalg.norm(each, axis=-1) for each in (rope(x, positions, interleaved=interleaved), x)]
    assert np.allclose(*norms, rtol=1e-13)
    assert np.array_equal(rope(x, np.zeros(5), interleaved=interleaved), x)


@given(SEEDS, st.integers(1, 4), STYLES, st.integers(-1000, 1000))
def test_scores_know_only_distances(seed: int, pairs: int, interleaved: bool, shift: int) -> None:
    random = np.random.default_rng(seed)
    q, k = random.standard_normal((6, 2 * pairs)), random.standard_normal((8, 2 * pairs))

    def turned(shift: int) -> np.ndarray:
        at = [np.arange(length) + shift for length in (6, 8)]
        return scores(rope(q, at[0], interleaved=interleaved), rope(k, at[1], interleaved=interleaved))

    assert np.allclose(turned(shift), turned(0), rtol=0.0, atol=1e-11)


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_far_positions_are_told_apart(dtype: type) -> None:
    """Angles are of float64: at ten million, float32 has steps of 1, and float16 ends at 65504."""
    x = np.array([[1.0, 0.0]], dtype)
    for position in (10**7, 10**7 + 1):
        turned = rope(x, np.array([position]))
        assert turned.dtype == dtype
        assert np.allclose(
            turned, [[math.cos(position), math.sin(position)]], atol=float(np.finfo(dtype).eps)
        )


def test_half_precision_angles_are_rejected_and_single_ones_taken() -> None:
    random = np.random.default_rng(0)
    x, positions = random.standard_normal((200, 64)).astype(np.float16), np.arange(200)
    right = expected_rope(x, positions)
    for dtype, taken in ((np.float32, True), (np.float16, False)):
        frequencies = 10000.0 ** -(np.arange(0, 64, 2, dtype=dtype) / dtype(64))
        angles = positions.astype(dtype)[:, None] * frequencies.astype(dtype)
        cos, sin = np.cos(angles), np.sin(angles)
        a, b = x[:, :32], x[:, 32:]
        result = np.concatenate([a * cos - b * sin, a * sin + b * cos], axis=-1).astype(np.float16)
        assert (np.abs(result - right.value) <= right.tolerance).all() == taken


def test_positions_may_differ_between_rows() -> None:
    x = np.random.default_rng(0).standard_normal((2, 3, 4, 6))
    positions = np.array([[0, 1, 2, 3], [5, 6, 7, 8]])[:, None, :]
    for each in range(2):
        alone = rope(x[each], positions[each, 0])
        assert np.array_equal(rope(x, positions)[each], alone)
        assert np.allclose(expected_rope(x, positions).value[each], alone, rtol=0.0, atol=1e-14)


def test_features_without_a_partner_are_refused() -> None:
    with pytest.raises(ValueError, match="3 features do not make pairs"):
        rope(np.ones((2, 3)), np.arange(2))
