"""Checks that state a property: what must hold between answers, whatever the right values are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from grader.compare import Answer, Call, form_mismatch, tuple_mismatch, value_mismatch
from grader.reference import Expected
from grader.report import Verdict

from .draw import Draw
from .failure import Failed
from .student import Check, Student

_CHANGED = "The call changed an array that it was given, which belongs to the caller. Work on a copy of it."


def property_check(id: str) -> Callable[[Callable[[Student, Draw], None]], Check]:
    """Decorates `(student, draw) -> None`, which raises Failed, most easily by the functions below."""

    def decorate(test: Callable[[Student, Draw], None]) -> Check:
        def run(student: Student, seed: int) -> None:
            test(student, Draw(seed, id))

        return Check(id, run)

    return decorate


def ask_array(
    student: Student, call: Call, shape: tuple[int, ...], dtype: DTypeLike, *, keeps_inputs: bool = False
) -> NDArray[Any]:
    """The student's answer, a finite array of this shape and dtype; raises Failed for anything else.

    keeps_inputs: the call must leave its inputs as they were.
    """
    answer = student.ask(call, digest=keeps_inputs).answer(shape)
    array = _in_form(answer, shape, dtype)
    require(not keeps_inputs or answer.inputs_kept is True, _CHANGED)
    return array


def ask_arrays(
    student: Student, call: Call, shapes: Mapping[str, tuple[int, ...]], dtype: DTypeLike, *,
    keeps_inputs: bool = False,
) -> dict[str, NDArray[Any]]:  # fmt: skip
    """The same for a call that returns a tuple: its arrays by name. `shapes` has them in the tuple's order."""
    answers = student.ask(call, digest=keeps_inputs).answers(list(shapes.values()))
    mismatch = tuple_mismatch(answers, student.returns)
    if mismatch is not None:
        raise Failed.by(mismatch)
    arrays = {
        name: _in_form(answer, shape, dtype, f"`{name}`")
        for (name, shape), answer in zip(shapes.items(), answers.parts, strict=False)
    }
    require(not keeps_inputs or answers.inputs_kept is True, _CHANGED)
    return arrays


def _in_form(
    answer: Answer, shape: tuple[int, ...], dtype: DTypeLike, what: str = "the result"
) -> NDArray[Any]:
    mismatch = form_mismatch(answer, shape, np.dtype(dtype), what)
    if mismatch is not None:
        raise Failed.by(mismatch)
    assert answer.array is not None
    return answer.array


def require(condition: bool, message: str) -> None:
    """Raises Failed with this message unless the condition holds."""
    if not condition:
        raise Failed(Verdict.WRONG_ANSWER, message)


def require_close(actual: NDArray[Any], right: ArrayLike, tolerance: ArrayLike, message: str) -> None:
    """Raises Failed, `message` and what is off, unless |actual - right| <= tolerance everywhere.

    Compare two answers of a student with the sum of their tolerances: each may err by its own.
    """
    expected = Expected(
        np.broadcast_to(np.asarray(right, dtype=np.float64), actual.shape),
        np.broadcast_to(np.asarray(tolerance, dtype=np.float64), actual.shape),
        actual.dtype,
    )
    mismatch = value_mismatch(actual, expected, "that part")
    if mismatch is not None:
        raise Failed(mismatch.verdict, f"{message} {mismatch.message}", mismatch.detail)
