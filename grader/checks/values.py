"""Checks that compare values: the student's answer beside the right one, element by element."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from grader.compare import (
    THE_RESULT,
    Answer,
    Answers,
    Call,
    Mismatch,
    Observation,
    differences,
    tuple_mismatch,
)
from grader.interface import ONE_ARRAY, Returns
from grader.reference import Expected

from .draw import Draw
from .failure import Failed
from .student import Check, Student

# What is right for a call: one array, or each array of a tuple by its name.
Right: TypeAlias = Expected | Mapping[str, Expected]

_REPLAYED = (
    "Two calls with different numbers got the same answer, and it is right for the first only: does your code keep "
    "something from one call to the next?"
)
DRAWS = 2  # a replayed answer fails the second, and a mistake is named only when it explains both


def value_check(
    id: str, expected: Callable[..., Right], *, parts: Sequence[str] = ()
) -> Callable[[Callable[[Draw], Call]], Check]:
    """Decorates `make(draw) -> Call`: both draws must be answered as `expected(*args, **kwargs)` says.

    parts: of a tuple, the arrays that this check grades; all of them unless told.
    """

    def decorate(make: Callable[[Draw], Call]) -> Check:
        def run(student: Student, seed: int) -> None:
            calls = [make(Draw(seed, id, index)) for index in range(DRAWS)]
            check_values(student, calls, expected, parts=parts)

        return Check(id, run)

    return decorate


def check_values(
    student: Student, calls: Iterable[Call], expected: Callable[..., Right], *, parts: Sequence[str] = ()
) -> None:
    """Asks every call and raises Failed, with all observations, if any answer misses; `parts` as in value_check."""
    check_answers((ask_beside(student, call, expected) for call in calls), student.returns, parts)


@dataclass(frozen=True, eq=False)
class Answered:
    """One call, what came back, and what is right: each array by its name."""

    call: Call
    answers: Answers
    right: Mapping[str, Expected]


def ask_beside(student: Student, call: Call, expected: Callable[..., Right]) -> Answered:
    """Asks one call, and computes what is right while the student's code is at work."""
    pending = student.ask(call)
    right = by_name(expected(*call.args, **call.kwargs), student.returns)
    return Answered(call, pending.answers(shapes_of(right)), right)


def shapes_of(right: Mapping[str, Expected]) -> list[tuple[int, ...]]:
    return [each.value.shape for each in right.values()]


def check_answers(answered: Iterable[Answered], returns: Returns, parts: Sequence[str] = ()) -> None:
    """Raises Failed, with all observations, if any answer misses."""
    observations: list[Observation] = []
    first: Mismatch | None = None
    for each in answered:
        first = first or tuple_mismatch(each.answers, returns)
        for name, observation in _observe(each, returns, parts):
            observations.append(observation)
            first = first or _miss(name, observations)
    if first is not None:
        raise Failed.by(first, tuple(observations))


def by_name(right: Right, returns: Returns) -> Mapping[str, Expected]:
    """What is right for each array that is returned. Raises TypeError where the assignment returns others."""
    if isinstance(right, Expected):
        right = {returns.parts[0]: right}
    if tuple(right) != returns.parts[: len(right)] or len(right) < returns.required:
        raise TypeError(f"the assignment returns {returns}, and what is expected is ({', '.join(right)})")
    return right


def _observe(answered: Answered, returns: Returns, parts: Sequence[str]) -> list[tuple[str, Observation]]:
    """An observation for each array that is graded, with what to call it."""
    call, answers, right = answered.call, answered.answers, answered.right
    if not answers.parts:  # no tuple: one observation, so that a known mistake can still explain it
        whole = Answer(None, None, None, answers.returned, answers.inputs_kept)
        return [(THE_RESULT, Observation(call, whole, next(iter(right.values()))))]
    if returns == ONE_ARRAY:
        return [(THE_RESULT, Observation(call, answers.parts[0], next(iter(right.values()))))]
    return [
        (f"`{name}`", Observation(call, answer, expected, part, returns))
        for part, (answer, (name, expected)) in enumerate(zip(answers.parts, right.items(), strict=False))
        if not parts or name in parts
    ]


def _miss(name: str, observations: list[Observation]) -> Mismatch | None:
    """How the last answer misses; and whether it is an earlier one over again."""
    *earlier, last = observations
    mismatch = differences(last.answer, last.expected, name)
    if mismatch is None or last.answer.array is None:
        return mismatch
    for before in earlier:
        if before.part != last.part or before.answer.array is None:
            continue
        if np.array_equal(before.answer.array, last.answer.array):
            return replace(mismatch, message=f"{_REPLAYED} {mismatch.message}")
    return mismatch
