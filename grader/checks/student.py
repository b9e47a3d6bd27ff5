"""What a check sees of the code under test, and what the judge sees of a check."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from grader.compare import Answer, Answers, Call
from grader.interface import Returns
from grader.report import Verdict


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


class Measurable(Student, Protocol):
    """A student whose time and memory can be measured. Every method raises Failed as `Pending.answer` does."""

    def timed(self, call: Call, shapes: Sequence[tuple[int, ...]]) -> tuple[Answers, float]:
        """The answers to one call, and the seconds that it took: of the processor where that can be known.

        The arguments' way there and the answers' way back count.
        """
        ...

    def yardstick(self, call: Call, shapes: Sequence[tuple[int, ...]]) -> float:
        """The seconds that a call of `yardstick.yardstick` takes, measured the same way while the student rests."""
        ...

    def weighed(
        self, call: Call, shapes: Sequence[tuple[int, ...]], nothing: Call
    ) -> tuple[Answers, int]:  # fmt: skip
        """The answers to one call, and the most bytes that it takes above what the yardstick's call `nothing` takes.

        It is the first call of a fresh process, so that nothing can have been kept for it; loading counts.
        """
        ...


@dataclass(frozen=True)
class Result:
    """How a check ended that did not fail.

    verdict: PASSED or NOT_MEASURED.
    share:   of the check's points, from 0 to 1.
    message: for the student whatever the check's visibility.
    flag:    what somebody of the staff should look at; no student ever sees it.
    """

    verdict: Verdict = Verdict.PASSED
    share: float = 1.0
    message: str = ""
    flag: str = ""


@dataclass(frozen=True)
class Check:
    """One check. `run(student, seed)` raises Failed unless the code passes; equal seeds make equal inputs.

    Where it returns no Result, the check has passed with all its points.
    timed:    as in grader.assignment.CheckSpec.
    weighs:   whether it is about memory.
    """

    id: str
    run: Callable[[Measurable, int], Result | None]
    timed: bool = False
    weighs: bool = False

    @property
    def measures(self) -> bool:
        """Whether it is about time or memory, and not only about being right."""
        return self.timed or self.weighs
