"""What a check sees of the code under test, and what the judge sees of a check."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from grader.compare import Answer, Answers, Call
from grader.interface import Returns


class Pending(Protocol):
    """A call under way."""

    def answer(self, shape: tuple[int, ...]) -> Answer:
        """Waits for the answer; `shape` is that of a right one, and no array of another shape comes back.

        Raises Failed when none comes: an exception, a limit, a crash.
        """
        ...

    def answers(self, shapes: Sequence[tuple[int, ...]]) -> Answers:
        """The same for a call that may return a tuple: the shapes of all its arrays."""
        ...


class Student(Protocol):
    """The judge's handle on the code under test."""

    @property
    def returns(self) -> Returns:
        """What each of its calls is to return."""
        ...

    def ask(self, call: Call, *, digest: bool = False) -> Pending:
        """Sends the inputs and returns at once: what the check computes meanwhile costs no time.

        digest: also find out whether the inputs were changed, `Answer.inputs_kept`.
        """
        ...


@dataclass(frozen=True)
class Check:
    """One check. `run(student, seed)` raises Failed unless the code passes; equal seeds make equal inputs."""

    id: str
    run: Callable[[Student, int], None]
