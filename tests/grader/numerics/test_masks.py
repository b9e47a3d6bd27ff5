"""Masks by what they must hide, and their form in other array libraries."""

from __future__ import annotations

import math

import array_api_strict as strict
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.reference import additive, attention, causal_mask, padding_mask, sliding_window_mask, softmax

LENGTHS = st.integers(0, 9)
DEVICES = ("CPU_DEVICE", "device1")


def test_a_padding_mask_has_the_axes_of_the_lengths() -> None:
    lengths = np.array([2, 0, 3])
    shown = [[[True, True, False]], [[False] * 3], [[True] * 3]]
    assert padding_mask(lengths, 3).tolist() == shown
    assert padding_mask(lengths[:, None], 3)[:, 0].tolist() == shown
    assert padding_mask(np.array(1), 2).tolist() == [[True, False]]


@given(st.lists(LENGTHS, min_size=1, max_size=4), st.integers(1, 5))
def test_padding_equals_slicing(lengths: list[int], queries: int) -> None:
    random = np.random.default_rng(len(lengths))
    q, k, v = (random.standard_normal((len(lengths), 2, length, 4)) for length in (queries, 9, 9))
    padded = attention(q, k, v, padding_mask(np.array(lengths)[:, None], 9))
    for each, length in enumerate(lengths):
        sliced = attention(q[each], k[each, :, :length], v[each, :, :length])
        assert np.allclose(padded[each], sliced, rtol=1e-12, atol=1e-14)


def test_a_window_shows_the_newest_keys_up_to_each_query() -> None:
    assert sliding_window_mask(2, 4, 2).tolist() == [[False, True, True, False], [False, False, True, True]]
    assert sliding_window_mask(3, 2, 1).tolist() == [[False, False], [True, False], [False, True]]
    assert not sliding_window_mask(3, 3, 0).any()


@given(LENGTHS, LENGTHS, LENGTHS)
def test_a_window_is_a_part_of_what_is_past(queries: int, keys: int, window: int) -> None:
    mask, past = sliding_window_mask(queries, keys, window), causal_mask(queries, keys)
    assert mask.shape == past.shape
    assert not (mask & ~past).any()
    assert (mask.sum(axis=-1) == np.minimum(past.sum(axis=-1), window)).all()
    if queries <= keys <= window:
        assert np.array_equal(mask, past)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_an_added_mask_hides_what_the_mask_hides(dtype: type) -> None:
    mask = sliding_window_mask(4, 3, 2)
    added = additive(mask, dtype)
    assert added.dtype == dtype
    assert np.array_equal(added, np.where(mask, 0.0, -np.inf))
    scores = np.random.default_rng(0).standard_normal((4, 3)).astype(dtype)
    assert np.array_equal(softmax(scores + added), softmax(np.where(mask, scores, dtype(-np.inf))))


@pytest.mark.parametrize("name", DEVICES)
def test_masks_are_made_where_they_are_needed(name: str) -> None:
    place, home = strict.Device(name), strict.Device("CPU_DEVICE")

    def here(array: object) -> np.ndarray:
        return np.asarray(strict.asarray(array, device=home))

    lengths = strict.asarray([2, 0], device=place)
    padding = padding_mask(lengths, 3)
    window = sliding_window_mask(3, 4, 2, xp=strict, device=place)
    added = additive(window, strict.float32)
    assert {each.device for each in (padding, window, added)} == {place}
    assert np.array_equal(here(padding), padding_mask(np.array([2, 0]), 3))
    assert np.array_equal(here(window), sliding_window_mask(3, 4, 2))
    assert added.dtype == strict.float32
    assert set(here(added).ravel().tolist()) == {0.0, -math.inf}
