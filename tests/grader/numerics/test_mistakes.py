"""Naming a known mistake: never on a right answer, never a wrong one, none where several fit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.checks import Call
from grader.compare import Answer, Observation
from grader.interface import Returns
from grader.mistakes import KnownMistakes
from grader.reference import Expected, expected_attention
from tests.grader.numerics.harness import Loaded
from tests.grader.numerics.right_styles import STYLES

TOLERANCE = 1e-12


def observe(
    student: Callable[..., Any], *inputs: float, dtype: type = np.float64, tolerance: float = TOLERANCE
) -> list[Observation]:
    """What a student who is to square numbers answers to arrays of 4."""
    found = []
    for x in inputs:
        array = x + np.arange(4, dtype=dtype)
        value = array.astype(np.float64) ** 2
        expected = Expected(value, np.full(4, tolerance), array.dtype)
        with np.errstate(all="ignore"):
            answer = Answer.of(student(array.copy()), value.shape)
        found.append(Observation(Call(array), answer, expected))
    return found


def square(x: np.ndarray) -> np.ndarray:
    return x**2


def double(x: np.ndarray) -> np.ndarray:
    return 2 * x


def tenfold(x: np.ndarray) -> np.ndarray:
    return 10 * x


def raises(x: np.ndarray) -> np.ndarray:
    raise ValueError


def spoils(x: np.ndarray) -> np.ndarray:
    x *= 5
    return x


def pair(x: np.ndarray) -> object:
    return x, x


def infinite(x: np.ndarray) -> np.ndarray:
    return np.where(x > 6, np.inf, np.where(x > 5, np.nan, x))


KNOWN = KnownMistakes(
    {
        "spoils": spoils, "double": double, "tenfold": tenfold, "raises": raises, "pair": pair,
        "infinite": infinite, "narrow": lambda x: square(x).astype(np.float32),
    }
)  # fmt: skip


@pytest.mark.parametrize(
    ("student", "name"),
    [
        (double, "double"),
        (lambda x: x + x, "double"),
        (tenfold, "tenfold"),
        (spoils, "spoils"),
        (pair, "pair"),
        (infinite, "infinite"),
        (lambda x: np.float32(1) * square(x).astype(np.float32), "narrow"),
        (square, None),
        (lambda x: square(x) + 50 * TOLERANCE, None),
        (lambda x: double(x) + 7 * TOLERANCE, "double"),
        (lambda x: double(x) + 9 * TOLERANCE, None),
        (lambda x: double(x).astype(np.float32), None),
        (lambda x: double(x)[:2], None),
        (lambda x: (x, x, x), None),
        (lambda x: [x, x], None),
        (lambda x: np.where(x > 6, -np.inf, infinite(x)), None),
        (lambda x: np.full(4, np.nan), None),
    ],
)
def test_who_is_named(student: Callable[..., Any], name: str | None) -> None:
    assert KNOWN.name(observe(student, 4.0, 4.5)) == name


def test_every_observation_must_be_explained() -> None:
    """Once double, once tenfold: neither explains both."""
    first, second = observe(double, 4.0)[0], observe(tenfold, 5.0)[0]
    assert KNOWN.agreeing([first, second]) == []


def test_one_clearly_wrong_answer_of_two_is_not_enough() -> None:
    """At 0, 1 and 2 doubling and squaring nearly agree; one draw alone may be chance."""
    small = Observation(
        Call(np.array([0.0, 2.0])),
        Answer.of(np.array([0.0, 4.0]), (2,)),
        Expected(np.array([0.0, 4.0]), np.full(2, TOLERANCE), np.dtype(np.float64)),
    )
    assert KNOWN.name([small, *observe(double, 4.0)]) is None
    assert (
        KNOWN.name([small, *observe(double, 4.0, 5.0)]) == "double"
    )  # and it explains the right one as well


def test_a_mistake_must_be_right_where_the_student_is() -> None:
    assert KNOWN.agreeing([*observe(double, 4.0, 5.0), *observe(square, 6.0)]) == []


def test_nothing_observed_names_nothing() -> None:
    assert KNOWN.agreeing([]) == []
    assert KNOWN.name([]) is None


@pytest.mark.parametrize(
    ("same_as", "name"),
    [
        ({}, None),
        ({"a": frozenset({"b"})}, "a"),
        ({"b": frozenset({"a"})}, "a"),
        ({"a": frozenset({"c"})}, None),
    ],
)
def test_several_are_named_only_when_declared_alike(
    same_as: dict[str, frozenset[str]], name: str | None
) -> None:
    known = KnownMistakes({"a": double, "b": lambda x: x + x, "c": tenfold})
    observations = observe(double, 4.0, 5.0)
    assert known.agreeing(observations) == ["a", "b"]
    assert known.name(observations, same_as) == name


@given(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6), st.floats(-1.0, 1.0))
def test_a_right_answer_is_never_named(x: float, y: float, error: float) -> None:
    """Not even where a mistake happens to be right as well."""
    known = KnownMistakes({"none": lambda x: x**2, "double": double})
    assert known.name(observe(lambda x: square(x) + error * TOLERANCE, x, y)) is None


def test_mistakes_cannot_spoil_the_inputs_of_others() -> None:
    observations = observe(double, 4.0, 5.0)
    before = [observation.call.args[0] for observation in observations]
    copies = [np.array(array) for array in before]
    assert KNOWN.name(observations) == "double"
    assert all(map(np.array_equal, before, copies))


@given(
    st.sampled_from(sorted(STYLES)),
    st.sampled_from([np.float16, np.float32, np.float64]),
    st.sampled_from([1.0, 50.0]),
    st.integers(0, 2**32),
)
def test_no_right_style_is_named(causal_mask: Loaded, name: str, dtype: type, sd: float, seed: int) -> None:
    """Not for any dtype, nor for scores so large that float16 loses most digits."""
    random = np.random.default_rng(seed)
    observations = []
    for _ in range(2):
        q, k, v = (random.standard_normal((2, 3, length, 6)).astype(dtype) for length in (5, 11, 11))
        call = Call(q * dtype(sd), k, v, mask=random.random((2, 1, 1, 11)) < 0.9)
        with np.errstate(all="ignore"):
            answer = Answer.of(STYLES[name](*call.args, **call.kwargs), (*v.shape[:-2], 5, 6))
        observations.append(Observation(call, answer, expected_attention(*call.args, **call.kwargs)))
    assert causal_mask.known.agreeing(observations) == []


@pytest.mark.parametrize("seed", range(5))
def test_noise_is_never_named(causal_mask: Loaded, seed: int) -> None:
    """An answer of the right form that no mistake gives."""
    random = np.random.default_rng(seed)

    def noise(q: np.ndarray, k: np.ndarray, v: np.ndarray, **hidden: Any) -> np.ndarray:
        return random.standard_normal((*q.shape[:-1], v.shape[-1])).astype(q.dtype)

    outcomes = causal_mask.grade(noise, seed)
    assert all(outcome.failure is not None and outcome.mistake is None for outcome in outcomes.values())


PAIR = Returns(("first", "second"), 2)


def observed(answers: list[tuple[Any, Any]], right: np.ndarray, part: int) -> list[Observation]:
    """What came of one part of a tuple, where twice `right` came first and three times `right` second."""
    tolerance = np.full(right.shape, np.finfo(np.float64).tiny)
    expected = Expected(np.zeros_like(right), tolerance, right.dtype)
    return [
        Observation(Call(right), Answer.of(answer[part], right.shape), expected, part, PAIR)
        for answer in answers
    ]


def test_a_mistake_whose_tuple_has_another_length_explains_no_part_of_it() -> None:
    numbers = np.array([1.0, 2.0, 3.0])
    known = KnownMistakes(
        {
            "whole": lambda x: (2 * x, 3 * x),
            "too-few": lambda x: (2 * x,),
            "too-many": lambda x: (2 * x, 3 * x, x),
            "no-tuple": lambda x: 2 * x,
        }
    )
    for part in (0, 1):
        found = observed([(2 * numbers, 3 * numbers)] * 2, numbers, part)
        assert known.agreeing(found) == ["whole"]


def test_where_zero_is_right_a_mistake_is_recognised_up_to_its_own_rounding() -> None:
    numbers = np.array([1.0, 2.0, 3.0])
    known = KnownMistakes({"doubled": lambda x: (2 * x, x)})
    rounded = 2 * numbers * (1 + np.finfo(np.float64).eps)
    assert known.name(observed([(rounded, numbers)] * 2, numbers, 0)) == "doubled"
    assert known.name(observed([(rounded * (1 + 1e-12), numbers)] * 2, numbers, 0)) is None
