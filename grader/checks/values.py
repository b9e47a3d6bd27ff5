"""Checks that compare values: the student's answer beside the right one, element by element."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np

from grader.compare import Call, Mismatch, Observation, differences
from grader.reference import Expected

from .draw import Draw
from .failure import Failed
from .student import Check, Student

_REPLAYED = (
    "Two calls with different numbers got the same answer, and it is right for the first only: does your code keep "
    "something from one call to the next?"
)
DRAWS = 2  # a replayed answer fails the second, and a mistake is named only when it explains both


def value_check(id: str, expected: Callable[..., Expected]) -> Callable[[Callable[[Draw], Call]], Check]:
    """Decorates `make(draw) -> Call`: both draws must be answered as `expected(*args, **kwargs)` says."""

    def decorate(make: Callable[[Draw], Call]) -> Check:
        def run(student: Student, seed: int) -> None:
            check_values(student, [make(Draw(seed, id, index)) for index in range(DRAWS)], expected)

        return Check(id, run)

    return decorate


def check_values(student: Student, calls: Iterable[Call], expected: Callable[..., Expected]) -> None:
    """Asks every call and raises Failed, with all observations, if any answer misses."""
    observations: list[Observation] = []
    first: Mismatch | None = None
    for call in calls:
        pending = student.ask(call)
        right = expected(*call.args, **call.kwargs)  # while the student's code is at work
        answer = pending.answer(right.value.shape)
        observations.append(Observation(call, answer, right))
        first = first or _miss(observations)
    if first is not None:
        raise Failed.by(first, tuple(observations))


def _miss(observations: list[Observation]) -> Mismatch | None:
    """How the last answer misses; and whether it is an earlier one over again."""
    *earlier, last = observations
    mismatch = differences(last.answer, last.expected)
    if mismatch is None or last.answer.array is None:
        return mismatch
    for before in earlier:
        if before.answer.array is not None and np.array_equal(before.answer.array, last.answer.array):
            return replace(mismatch, message=f"{_REPLAYED} {mismatch.message}")
    return mismatch
