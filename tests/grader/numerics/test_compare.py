"""Right or wrong: the order of the comparison, and what its messages may say."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from grader.compare import Answer, Call, Mismatch, differences
from grader.reference import Expected
from grader.report import Verdict


def expect(value: object, tolerance: float = 0.5, dtype: type = np.float64) -> Expected:
    array = np.asarray(value, dtype=np.float64)
    return Expected(array, np.full(array.shape, tolerance), np.dtype(dtype))


def compared(result: object, expected: Expected) -> Mismatch | None:
    return differences(Answer.of(result, expected.value.shape), expected)


def mismatch(result: object, expected: Expected) -> Mismatch:
    found = compared(result, expected)
    assert found is not None
    return found


def test_right_within_the_tolerance() -> None:
    assert compared(np.array([1.5, 2.0]), expect([1.0, 2.0])) is None
    assert compared(np.array([1.75, 2.0]), expect([1.0, 2.0])) is not None


class Sub(np.ndarray):
    pass


@pytest.mark.parametrize(
    "result",
    [
        None,
        [1.0, 2.0],
        (np.ones(2), np.ones(2)),
        np.ones(2).view(Sub),
        np.ma.masked_array([1.0, 2.0]),
        np.float64(1.0),
        1.0,
        np.array([1.0, 2.0], dtype=object),
        np.array(["1", "2"]),
        np.array([1.0, 2.0], dtype=np.longdouble) if np.dtype(np.longdouble).itemsize > 8 else None,
    ],
    ids=lambda result: type(result).__name__,
)
def test_only_a_plain_array_of_numbers_will_do(result: object) -> None:
    found = mismatch(result, expect([1.0, 2.0]))
    assert found.verdict is Verdict.WRONG_TYPE
    assert found.worst == np.inf


@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")
def test_a_matrix_is_no_plain_array() -> None:
    found = mismatch(np.matrix([[1.0, 2.0]]), expect([[1.0, 2.0]]))
    assert found.verdict is Verdict.WRONG_TYPE
    assert "a matrix, a subclass of numpy.ndarray" in found.detail


def test_what_came_back_is_told_in_the_detail_alone() -> None:
    """The words about something that is no array are the student's: a class may be named after an input."""
    leak = type("q_is_0_123", (), {})()
    found = mismatch(leak, expect([1.0]))
    assert "0_123" not in found.message
    assert "q_is_0_123" in found.detail


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.int64, np.bool_, np.complex128])
def test_the_dtype_comes_before_the_shape(dtype: type) -> None:
    found = mismatch(np.ones((3, 1), dtype), expect([1.0, 2.0]))
    assert found.verdict is Verdict.WRONG_TYPE
    assert "(3, 1)" in found.message


def test_right_values_in_a_wrong_dtype_are_acknowledged() -> None:
    value = np.array([1.0, 1.0 / 3.0])
    narrow = expect(value, 1e-15)
    assert "values are right" in mismatch(value.astype(np.float32), narrow).message
    assert "values are right" in mismatch(value, expect(value, 1e-6, np.float32)).message
    assert "values are right" not in mismatch(value.astype(np.float32) + 1, narrow).message
    assert "values are right" not in mismatch(value.astype(np.complex128), narrow).message


@given(
    hnp.array_shapes(min_dims=0, max_dims=4, max_side=4),
    hnp.array_shapes(min_dims=0, max_dims=4, max_side=4),
)
def test_no_shape_but_the_right_one_will_do(got: tuple[int, ...], right: tuple[int, ...]) -> None:
    found = compared(np.zeros(got), expect(np.zeros(right)))
    if got == right:
        assert found is None
    else:  # shapes that would broadcast included
        assert found is not None
        assert found.verdict is Verdict.WRONG_SHAPE


@given(st.sampled_from([np.nan, np.inf, -np.inf]), st.integers(0, 5))
def test_not_finite_comes_before_values(bad: float, where: int) -> None:
    result = np.full((2, 3), 1e9)
    result.flat[where] = bad
    found = mismatch(result, expect(np.zeros((2, 3))))
    assert found.verdict is Verdict.NOT_FINITE
    assert f"[{where // 3}, {where % 3}]" in found.message
    assert "1 of 6 numbers of the result is NaN" in found.message


def test_the_worst_is_counted_in_tolerances() -> None:
    expected = Expected(np.zeros(3), np.array([1.0, 10.0, 0.1]), np.dtype(np.float64))
    found = mismatch(np.array([5.0, 20.0, 0.7]), expected)
    assert found.verdict is Verdict.WRONG_ANSWER
    assert found.worst == pytest.approx(7.0)
    assert "3 of 3 numbers of the result are too far off, the worst at index [2]" in found.message


@given(hnp.arrays(np.float64, (2, 3), elements=st.floats(1.0e3, 9.0e3)))
def test_messages_tell_no_values(result: np.ndarray) -> None:
    found = mismatch(result, expect(np.zeros((2, 3)), 0.25))
    assert set(filter(str.isdigit, found.message)) <= set("6012")  # counts and places
    assert "0.25" in found.detail


def test_nearly_right_values_are_said_to_be() -> None:
    value, tolerance = np.array([1.0, 2.0]), 1e-14
    assert "six digits" in mismatch(value + 1e-8, expect(value, tolerance)).message
    assert "six digits" not in mismatch(value + 0.1, expect(value, tolerance)).message


@given(hnp.arrays(np.float64, (2, 3), elements=st.floats(-1, 1)), st.floats(0.01, 1.0))
def test_the_rule_itself(error: np.ndarray, tolerance: float) -> None:
    value = np.arange(6.0).reshape(2, 3)
    right = bool((np.abs((value + error) - value) <= tolerance).all())
    assert (compared(value + error, expect(value, tolerance)) is None) == right


@pytest.mark.parametrize("writable", [True, False])
@pytest.mark.parametrize("layout", ["C", "F", "strided", "reversed"])
def test_a_copied_call_is_laid_out_like_the_first(layout: str, writable: bool) -> None:
    array = np.arange(24.0).reshape(2, 3, 4)
    views = {
        "C": array,
        "F": np.asfortranarray(array),
        "strided": np.repeat(array, 2, axis=-1)[..., ::2],
        "reversed": array[:, ::-1],
    }
    given_ = views[layout]
    given_.flags.writeable = writable
    copy = Call(given_, causal=True).copy()
    (copied,) = copy.arrays
    assert copy.kwargs == {"causal": True}
    assert np.array_equal(copied, given_)
    assert not np.shares_memory(copied, given_)
    assert copied.flags.writeable == writable
    for flag in ("C_CONTIGUOUS", "F_CONTIGUOUS"):
        assert copied.flags[flag] == given_.flags[flag]


def test_the_other_byte_order_is_the_same_dtype() -> None:
    """As in the sandbox, where numbers travel in one order whatever the student's was."""
    swapped = np.array([1.0, 2.0]).astype(">f8")
    assert compared(swapped, expect([1.0, 2.0])) is None
