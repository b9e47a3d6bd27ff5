"""The judge's side of measuring: the submission, and the yardstick in a child without student code.

The processor time of a child is the kernel's account of it, read by the worker: no child can touch it, and other
work on the machine hardly shows in it. On a GPU it says nothing; there the judge's own clock tells how long an answer
took, which only comes once the device is done. While the yardstick is timed the submission's child is stopped, so that
it can neither take the processor nor spoil the caches.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from grader.assignment import Limits
from grader.checks import Call, Failed
from grader.compare import Answers
from grader.interface import Device
from grader.judge import Bundle
from grader.source import Source

from .judge_lines import Request
from .remote import Budget, Pending, Remote

_BENCH_LIMITS = Limits(call_seconds=10.0, load_seconds=40.0, total_seconds=60.0)

Pair = tuple[int, int]


class MeasuredRemote:
    """The submission in the sandbox, as a `grader.checks.Measurable`.

    bench:   the pair (calls, replies) of all children that run the yardstick, one after another.
    singles: a pair for each call that may be weighed.
    pairs:   as in Remote.
    ask:     puts a request to the worker, and waits for its number.
    """

    def __init__(
        self, bench: Pair, singles: list[Pair], pairs: list[Pair], limits: Limits, bundle: Bundle, source: Source,
        ask: Callable[[Request], int],
    ) -> None:  # fmt: skip
        self._bench_pair, self._singles, self._ask = bench, list(singles), ask
        self._limits, self._bundle, self._source = limits, bundle, source
        self.returns = bundle.returns
        self._budget = Budget.of(limits)
        self._remote = Remote(pairs, limits, bundle, source, lambda: self._order(Request.FRESH), self._budget)
        self._bench: Remote | None = None
        self._is_held = False
        self._by_the_clock = bundle.device is Device.CUDA

    def _order(self, request: Request) -> None:
        self._ask(request)

    def load(self) -> None:
        """Raises Failed where the submission cannot be loaded."""
        self._remote.load()

    def ask(self, call: Call, *, digest: bool = False) -> Pending:
        if self._is_held:
            self._release()
        return self._remote.ask(call, digest=digest)

    def timed(self, call: Call, shapes: Sequence[tuple[int, ...]]) -> tuple[Answers, float]:
        self._remote.load()  # outside of the time
        before, started = self._release(), time.monotonic()
        answers = self._remote.ask(call).answers(shapes)
        ended, after = time.monotonic(), self._hold()
        if not before or not after:
            raise self._remote.has_ended()
        return answers, ended - started if self._by_the_clock else (after - before) / 1e9

    def yardstick(self, call: Call, shapes: Sequence[tuple[int, ...]]) -> float:
        if not self._is_held:
            self._hold()
        if self._bench is None:
            self._bench = self._start_bench()
        before, started = self._ask(Request.TIME_BENCH), time.monotonic()
        _answers(self._bench, call, shapes)
        ended, after = time.monotonic(), self._ask(Request.TIME_BENCH)
        return ended - started if self._by_the_clock else (after - before) / 1e9

    def weighed(self, call: Call, shapes: Sequence[tuple[int, ...]], nothing: Call) -> tuple[Answers, int]:
        if not self._singles:
            raise RuntimeError("the checks of an assignment weigh more calls than they may")
        bench, self._bench = self._start_bench(), None
        _answers(bench, nothing, shapes[: self.returns.required])
        least = self._ask(Request.WEIGH_BENCH)
        self._ask(Request.SINGLE)
        single = Remote(
            [self._singles.pop(0)], self._limits, self._bundle, self._source, _never, self._budget
        )
        answers = single.ask(call).answers(shapes)
        return answers, max(0, self._ask(Request.WEIGH_SINGLE) - least)

    def _hold(self) -> int:
        self._is_held = True
        return self._ask(Request.HOLD)

    def _release(self) -> int:
        """Where it does not rest, this only tells the time."""
        self._is_held = False
        return self._ask(Request.RELEASE)

    def _start_bench(self) -> Remote:
        self._ask(Request.BENCH)
        required = self.returns.parts[: self.returns.required]
        bundle = replace(self._bundle, returns=replace(self.returns, parts=required))
        return Remote([self._bench_pair], _BENCH_LIMITS, bundle, Source("", (), ()), _never)


def _answers(bench: Remote, call: Call, shapes: Sequence[tuple[int, ...]]) -> None:
    """Raises RuntimeError where the yardstick does not answer: never the student's fault."""
    try:
        answers = bench.ask(call).answers(shapes)
    except Failed as failed:
        raise RuntimeError(f"the yardstick could not be run: {failed}") from failed
    if len(answers.parts) != len(shapes) or any(answer.array is None for answer in answers.parts):
        raise RuntimeError("the yardstick could not be run: do the checks' arrays fit its matmuls?")


def _never() -> None:
    raise AssertionError("there is no fresh child")
