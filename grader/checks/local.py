"""The student's function in this very process: for tests, for the bench and for people's own machines.

Nothing is confined here, and no limit holds. The answers mean the same as those from the sandbox.
"""

from __future__ import annotations

import time
import traceback
import tracemalloc
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from grader.compare import Answer, Answers, Array, Call
from grader.interface import ONE_ARRAY, Returns
from grader.report import Verdict

from .failure import Failed
from .yardstick import yardstick


class LocalStudent:
    """`function` as a Student: each call gets arrays of its own, laid out and protected as the check's are.

    explain: words an exception that the function raised.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        explain: Callable[[BaseException], Failed] | None = None,
        returns: Returns = ONE_ARRAY,
    ) -> None:
        self._function = function
        self.returns = returns
        self._explain = explain or _failure

    def ask(self, call: Call, *, digest: bool = False) -> LocalPending:
        given = call.copy()
        try:
            result = self._call(given)
        except Failed as failed:
            return LocalPending(self.returns, failure=failed)
        kept = all(map(_same_bytes, given.arrays, call.arrays)) if digest else None
        return LocalPending(self.returns, result, kept)

    def timed(self, call: Call, shapes: Sequence[tuple[int, ...]]) -> tuple[Answers, float]:
        given = call.copy()
        started = time.perf_counter()
        result = self._call(given)
        seconds = time.perf_counter() - started
        return Answers.of(result, shapes, self.returns), seconds

    def yardstick(self, call: Call, shapes: Sequence[tuple[int, ...]]) -> float:
        given = call.copy()
        started = time.perf_counter()
        yardstick(*given.args, **given.kwargs)
        return time.perf_counter() - started

    def weighed(self, call: Call, shapes: Sequence[tuple[int, ...]], nothing: Call) -> tuple[Answers, int]:
        """What Python and numpy allocate during the call. It is neither the first one, nor does loading count."""
        given = call.copy()
        tracemalloc.start()
        try:
            result = self._call(given)
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        answers = Answers.of(result, shapes, self.returns)
        own = sum(each.array.nbytes for each in answers.parts if each.array is not None)
        return answers, max(0, peak - own)

    def _call(self, given: Call) -> object:
        """Raises Failed where the function raises."""
        try:
            with np.errstate(all="ignore"):
                return self._function(*given.args, **given.kwargs)
        except (Exception, SystemExit) as error:  # not KeyboardInterrupt: that is the person at the keyboard
            raise self._explain(error) from None


class LocalPending:
    """A call that is over already; either its result or its failure."""

    def __init__(
        self,
        returns: Returns,
        result: object = None,
        kept: bool | None = None,
        failure: Failed | None = None,
    ) -> None:
        self._returns = returns
        self._result = result
        self._kept = kept
        self._failure = failure

    def answer(self, shape: tuple[int, ...]) -> Answer:
        if self._failure is not None:
            raise self._failure
        return Answer.of(self._result, shape, self._kept)

    def answers(self, shapes: Sequence[tuple[int, ...]]) -> Answers:
        if self._failure is not None:
            raise self._failure
        return Answers.of(self._result, shapes, self._returns, self._kept)


def _same_bytes(one: Array, other: Array) -> bool:
    return one.tobytes() == other.tobytes()  # in C order whatever the layout; and a NaN equals itself


def _failure(error: BaseException) -> Failed:
    """The words of an exception may hold hidden inputs, so they are details."""
    frames = traceback.extract_tb(error.__traceback__)
    name = type(error).__name__
    return Failed(
        Verdict.EXCEPTION, f"Your code raised {name}.", f"{name}: {error} (line {frames[-1].lineno})"
    )
