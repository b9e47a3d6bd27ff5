"""How checks run: draws, both kinds of check, and the student in this process."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.checks import (
    Answer,
    Answers,
    Call,
    Draw,
    Expected,
    Failed,
    LocalStudent,
    Returns,
    Student,
    ask_array,
    check_values,
    in_every_layout,
    padding,
    property_check,
    require,
    require_close,
    value_check,
)
from grader.report import Verdict


def doubled(x: np.ndarray) -> Expected:
    return Expected(2.0 * x.astype(np.float64), np.full(x.shape, 1e-12), x.dtype)


@value_check("doubling", doubled)
def doubling(draw: Draw) -> Call:
    return Call(draw.normal(3, 2, dtype=np.float64))


def failure(function: Any, check: Any = doubling, seed: int = 0) -> Failed:
    with pytest.raises(Failed) as caught:
        check.run(LocalStudent(function), seed)
    return caught.value


@given(st.integers(0, 2**63))
def test_equal_seeds_make_equal_draws(seed: int) -> None:
    first, again, other = Draw(seed, "a"), Draw(seed, "a"), Draw(seed + 1, "a")
    numbers = first.normal(4)
    assert np.array_equal(numbers, again.normal(4))
    assert not np.array_equal(numbers, other.normal(4))
    assert not np.array_equal(Draw(seed, "a").normal(4), Draw(seed, "b").normal(4))
    assert not np.array_equal(Draw(seed, "a", 0).normal(4), Draw(seed, "a", 1).normal(4))


def test_what_can_be_drawn() -> None:
    draw = Draw(0, "a")
    numbers = draw.normal(200, 5, sd=3.0, dtype=np.float16)
    assert numbers.dtype == np.float16
    assert 2.5 < numbers.std() < 3.5
    assert sorted(draw.permutation(5)) == [0, 1, 2, 3, 4]
    assert draw.mask(40, 3, keep=0.0).any(axis=-1).all()
    assert not draw.mask(40, 1, keep=0.0).any()
    assert padding((2, 0), 3)[:, 0, 0].tolist() == [[True, True, False], [False, False, False]]


def test_a_value_check_asks_two_draws() -> None:
    seen: list[np.ndarray] = []

    def student(x: np.ndarray) -> np.ndarray:
        seen.append(x)
        return 2 * x

    doubling.run(LocalStudent(student), 7)
    first, second = seen
    assert first.shape == second.shape
    assert not np.array_equal(first, second)


def test_a_replayed_answer_fails() -> None:
    answers: list[np.ndarray] = []

    def student(x: np.ndarray) -> np.ndarray:
        answers.append(2 * x)
        return answers[0]

    failed = failure(student)
    assert failed.verdict is Verdict.WRONG_ANSWER
    assert len(failed.observations) == 2


def test_a_failure_keeps_both_observations() -> None:
    failed = failure(lambda x: 3 * x)
    assert [observation.expected.value.shape for observation in failed.observations] == [(3, 2), (3, 2)]
    assert all(isinstance(observation.answer, Answer) for observation in failed.observations)


def test_an_exception_ends_the_check() -> None:
    def student(x: np.ndarray) -> np.ndarray:
        raise ValueError(f"secret {x[0, 0]}")

    failed = failure(student)
    assert failed.verdict is Verdict.EXCEPTION
    assert failed.message == "Your code raised ValueError."
    assert "secret" in failed.detail
    assert failed.observations == ()


def test_leaving_the_interpreter_is_an_exception_too() -> None:
    assert failure(lambda x: exit(0)).verdict is Verdict.EXCEPTION


def test_the_expected_value_is_computed_while_the_student_works() -> None:
    order: list[str] = []

    class Watched:
        returns = Returns()

        def ask(self, call: Call, *, digest: bool = False) -> Any:
            order.append("ask")
            return self

        def answer(self, shape: tuple[int, ...]) -> Answer:
            raise AssertionError

        def answers(self, shapes: Sequence[tuple[int, ...]]) -> Answers:
            order.append("answer")
            return Answers.of(np.zeros(shapes[0]), shapes)

    def expected(x: np.ndarray) -> Expected:
        order.append("expected")
        return doubled(x)

    check_values(Watched(), [Call(np.zeros(2))], expected)
    assert order == ["ask", "expected", "answer"]


@property_check("odd")
def odd(student: Student, draw: Draw) -> None:
    x = draw.normal(3, dtype=np.float64)
    there = ask_array(student, Call(x), (3,), np.float64, keeps_inputs=True)
    back = ask_array(student, Call(-x), (3,), np.float64)
    require_close(back, -there, 1e-12, "f(-x) must be -f(x).")
    require(bool((there * x >= 0).all()), "The sign must be kept.")


def test_a_property_check_passes() -> None:
    odd.run(LocalStudent(lambda x: x**3), 0)


@pytest.mark.parametrize(
    ("student", "verdict", "words"),
    [
        (lambda x: x**2, Verdict.WRONG_ANSWER, "f(-x) must be -f(x). 3 of 3 numbers of that part are"),
        (lambda x: -x, Verdict.WRONG_ANSWER, "sign"),
        (lambda x: x.astype(np.float32), Verdict.WRONG_TYPE, "float32"),
        (lambda x: x[:2], Verdict.WRONG_SHAPE, "(2,)"),
        (lambda x: x / 0, Verdict.NOT_FINITE, "infinite"),
        (lambda x: list(x), Verdict.WRONG_TYPE, "plain numpy array"),
        (lambda x: x.__imul__(2), Verdict.WRONG_ANSWER, "changed an array"),
    ],
)
def test_a_property_check_says_what_is_wrong(student: Any, verdict: Verdict, words: str) -> None:
    failed = failure(student, odd)
    assert failed.verdict is verdict
    assert words in failed.message
    assert words in str(failed)


def test_the_student_gets_arrays_of_its_own() -> None:
    array = np.zeros(3)
    pending = LocalStudent(lambda x: x.__iadd__(1)).ask(Call(array), digest=True)
    assert not array.any()
    assert pending.answer((3,)).inputs_kept is False


@pytest.mark.parametrize("fill", [np.nan, -0.0])
def test_untouched_inputs_are_seen_as_such(fill: float) -> None:
    call = Call(np.full((2, 3), fill), mask=np.asfortranarray(np.ones((2, 3), dtype=bool)))
    pending = LocalStudent(lambda x, mask: x).ask(call, digest=True)
    assert pending.answer((2, 3)).inputs_kept is True


def test_nobody_asked_whether_inputs_were_kept() -> None:
    assert LocalStudent(lambda x: x).ask(Call(np.zeros(3))).answer((3,)).inputs_kept is None


def test_read_only_inputs_cannot_be_written() -> None:
    array = np.zeros(3)
    array.flags.writeable = False
    with pytest.raises(Failed) as caught:
        LocalStudent(lambda x: x.__iadd__(1)).ask(Call(array)).answer((3,))
    assert "read-only" in caught.value.detail


def test_every_layout_holds_the_same_numbers() -> None:
    x, mask = np.arange(12.0).reshape(3, 4), np.array([True, False, True])
    call = Call(x, 3, mask=mask)
    layouts = in_every_layout(call)
    for each in layouts.values():
        assert each.args[1] == 3
        assert all(np.array_equal(own, given) for own, given in zip(call.arrays, each.arrays, strict=True))
    plain, fortran, strided, fixed = (each.arrays[0] for each in layouts.values())
    assert plain is x
    assert fortran.flags.f_contiguous
    assert not strided.flags.c_contiguous
    assert not strided.flags.f_contiguous
    assert not fixed.flags.writeable
    assert "With inputs in Fortran order:" in layouts
    assert "With an input in Fortran order:" in in_every_layout(Call(x))
