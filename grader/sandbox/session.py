"""One submission in the sandbox: a judge, a child, one loop that watches both, one deadline.

The worker runs nothing here of an assignment or a student. Whatever happens, both forks are killed and reaped
before `run` returns, and no descriptor is left open.
"""

from __future__ import annotations

import json
import math
import os
import select
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from decimal import Decimal

from grader.assignment import Assignment, Device
from grader.report import Verdict, printable
from grader.source import Source

from .children import Children, explain, wait_for_death
from .inside import NO_DEVICE
from .judge_lines import ANSWER, LINE_BYTES, CheckLine, Final, JudgeBroke, Naming, Request, parse
from .parcel import MemoryFile, Parcel
from .zygotes import Ended, ZygoteLost, ZygotePair

JUDGE_SECONDS = 10.0  # for the judge's own work, beside all the time the student may use
MEASURING_SECONDS = 20.0  # more, once it measures
JUDGE_MEMORY = 1 << 30
REQUESTS = 4_000  # their answers always find room in a pipe
BEAT_SECONDS = 5.0
_PROBE_AGAIN_SECONDS = 12.0  # well within a lease that was just renewed
OUTPUT_KEPT = 1 << 16
OUTPUT_LIMIT = 1 << 18  # of one check
RESULT_LIMIT = 1 << 20
_CHUNK = 1 << 16
_FULL_PIPE = 1 << 17  # bytes, and more: what was printed before an answer is no more than a pipe holds


@dataclass(frozen=True)
class Line:
    """A finished check, with what was printed while it ran."""

    told: CheckLine
    output: str


@dataclass
class Outcome:
    """What one run gave.

    broke:        why the judge's word ends here, for the assignment's authors; None where it is complete.
    naming:       whether it ended while known mistakes were being run, which no student can have caused.
    naming_broke: why known mistakes could not be run, for the authors.
    """

    lines: list[Line] = field(default_factory=list)
    broke: str | None = None
    naming: bool = False
    naming_broke: str | None = None
    judge_output: str = ""
    judge_ended: Ended | None = None
    children_ended: list[Ended] = field(default_factory=list)
    seconds: float = 0.0  # from the request to the last line


class Session:
    """Runs one submission once on a pair of zygotes. Raises ZygoteLost from `run` where a zygote died."""

    def __init__(
        self, zygotes: ZygotePair, assignment: Assignment, parcel: Parcel, source: Source, *, seed: int,
        on_line: Callable[[Line], None], on_beat: Callable[[], None] | None = None, naming: bool = True,
    ) -> None:  # fmt: skip
        self._zygotes, self._assignment, self._source, self._seed = zygotes, assignment, source, seed
        self._parcel = parcel
        self._on_line, self._on_beat, self._naming = on_line, on_beat, naming
        self._maxima: dict[str, Decimal] = {check.id: check.points for check in assignment.checks}
        self._mistakes = frozenset(mistake.id for mistake in assignment.mistakes)
        self._outcome = Outcome()
        self._judge: int | None = None
        self._children: Children | None = None
        self._answers_fd: int | None = None
        self._requests, self._measures = 0, False
        self._watched: dict[int, Callable[[bytes], None]] = {}
        self._poll = select.poll()
        self._lines, self._lines_bytes, self._final = bytearray(), 0, False
        self._output = bytearray()  # of the children, since the last finished check
        self._outputs: list[int] = []  # where their prints come in
        self._output_bytes, self._judge_output, self._judge_output_bytes = 0, bytearray(), 0

    def run(self) -> Outcome:
        limits = self._assignment.limits
        started = time.monotonic()
        self._deadline = started + limits.load_seconds + limits.total_seconds + JUDGE_SECONDS
        self._next_beat = started + BEAT_SECONDS if self._on_beat is not None else math.inf
        self._submission = MemoryFile.of(self._source.text.encode(), "submission")
        # The judge quotes from it; a notebook may have more cells than a control message could hold.
        quoted = json.dumps({"text": self._source.text, "cells": self._source.cells}).encode()
        self._quoted = MemoryFile.of(quoted, "quoted")
        try:
            for zygote in (self._zygotes.judge, self._zygotes.child):
                self._poll.register(zygote.control, select.POLLIN)
            self._start_all()
            while not self._final:
                self._step()
        except JudgeBroke as broke:
            self._outcome.broke = str(broke)
        finally:
            self._outcome.seconds = time.monotonic() - started
            self._end()
        return self._outcome

    # -- starting

    def _start_all(self) -> None:
        self._children = Children(
            self._zygotes.child, self._assignment, self._submission, self._cpu_seconds()
        )
        pairs = self._children.judge_ends
        _, output = self._watch(self._hear_judge_output)
        _, lines = self._watch(self._hear_lines)
        answers, self._answers_fd = os.pipe()
        try:
            head, files = self._parcel.head, self._parcel.files
            self._judge = self._zygotes.judge.spawn(
                [output, lines, answers, head.fd, files.fd, self._quoted.fd, *pairs], memory_bytes=JUDGE_MEMORY,
                cpu_seconds=self._cpu_seconds() + math.ceil(MEASURING_SECONDS), head_bytes=head.size,
                files_bytes=files.size, quoted_bytes=self._quoted.size, seed=self._seed, naming=self._naming,
            )  # fmt: skip
            self._start(self._children.start)
        finally:
            for fd in (output, lines, answers, *pairs):
                os.close(fd)

    def _start(self, start: Callable[[int], None]) -> None:
        """A child of the submission, whose output is watched."""
        reading, output = self._watch(self._hear_output)
        self._outputs.append(reading)
        try:
            start(output)
        finally:
            os.close(output)

    def _cpu_seconds(self) -> int:
        limits = self._assignment.limits
        return math.ceil(limits.load_seconds + limits.total_seconds + JUDGE_SECONDS)

    def _watch(self, hear: Callable[[bytes], None]) -> tuple[int, int]:
        """A new pipe whose reading end the loop watches; returns both ends."""
        reading, writing = os.pipe()
        os.set_blocking(reading, False)
        self._watched[reading] = hear
        self._poll.register(reading, select.POLLIN)
        return reading, writing

    # -- the loop

    def _step(self) -> None:
        now = time.monotonic()
        if now >= self._next_beat:
            assert self._on_beat is not None
            self._next_beat = now + BEAT_SECONDS
            self._on_beat()
        left = min(self._deadline, self._next_beat) - now
        if now >= self._deadline:
            raise JudgeBroke("the judge did not finish in time")
        for fd, _ in self._poll.poll(left * 1000):
            if fd in self._watched:
                self._read(fd)
            else:
                self._hear_zygotes()

    def _hear_zygotes(self) -> None:
        for zygote in (self._zygotes.judge, self._zygotes.child):
            while zygote.hear(wait=False):
                pass

    def _read(self, fd: int) -> bool:
        """One helping from a pipe; False where there was none."""
        try:
            data = os.read(fd, _CHUNK)
        except BlockingIOError:
            return False
        hear = self._watched[fd]
        if not data:
            self._forget(fd)
        hear(data)
        return bool(data)

    def _forget(self, fd: int) -> None:
        self._poll.unregister(fd)
        del self._watched[fd]
        os.close(fd)

    def _hear_output(self, data: bytes) -> None:
        self._output_bytes += len(data)
        self._output += data[: max(0, OUTPUT_KEPT - len(self._output))]

    def _hear_judge_output(self, data: bytes) -> None:
        self._judge_output_bytes += len(data)
        self._judge_output += data[: max(0, OUTPUT_KEPT - len(self._judge_output))]
        if self._judge_output_bytes > OUTPUT_LIMIT:
            raise JudgeBroke("the checks print without end")

    def _hear_lines(self, data: bytes) -> None:
        if not data and not self._final:
            self._find_the_killer()
            raise JudgeBroke("the judge died")
        self._lines_bytes += len(data)
        if self._lines_bytes > RESULT_LIMIT:
            raise JudgeBroke("the judge says too much")
        *whole, rest = (bytes(self._lines) + data).split(b"\n")
        self._lines = bytearray(rest)
        for raw in whole:
            self._hear_line(raw)
        if len(rest) > LINE_BYTES:
            raise JudgeBroke("a line is too long")

    def _hear_line(self, raw: bytes) -> None:
        if self._final:
            raise JudgeBroke("it speaks after its last word")
        told = parse(raw, self._maxima, self._mistakes)
        finished = [line.told.check for line in self._outcome.lines]
        if isinstance(told, Final):
            if len(finished) != len(self._maxima):
                raise JudgeBroke("it left checks out")
            self._final = True
        elif isinstance(told, Naming):
            self._outcome.naming = told.on
            self._outcome.naming_broke = told.broke or self._outcome.naming_broke
        elif isinstance(told, Request):
            self._requests += 1
            if self._requests > REQUESTS:
                raise JudgeBroke("it asks for too much")
            self._answer(self._fulfil(told))
        elif told.check in finished:
            raise JudgeBroke(f"it reports check {told.check} twice")
        else:
            self._take(told)

    def _take(self, told: CheckLine) -> None:
        assert self._children is not None
        self._drain_output()  # what was printed before the answer lies in the pipe by now
        if told.verdict is Verdict.CRASHED:
            told = self._explain_death(told)
        self._children.give_up_single()
        if self._output_bytes > OUTPUT_LIMIT and not told.verdict.is_fault:
            message = (
                f"Your code printed more than {OUTPUT_LIMIT >> 10} kB during this check, which is the limit."
            )
            told = replace(
                told, verdict=Verdict.OUTPUT_LIMIT, points=Decimal(0), message=message, mistake=None
            )
        line = Line(told, printable(self._output.decode("utf-8", "replace")))
        self._output.clear()
        self._output_bytes = 0
        self._outcome.lines.append(line)
        self._on_line(line)
        self._answer(0)

    def _answer(self, number: int) -> None:
        assert self._answers_fd is not None
        try:
            os.write(self._answers_fd, ANSWER.pack(number))
        except BrokenPipeError:
            pass  # the judge has died, which is heard next

    def _fulfil(self, request: Request) -> int:
        """The answer to what the judge asks for. Raises JudgeBroke where it is too much."""
        assert self._children is not None
        match request:
            case Request.FRESH:
                self._replace_child()
            case Request.SINGLE:
                self._start(self._children.start_single)
            case Request.BENCH:
                if not self._measures:
                    self._deadline += MEASURING_SECONDS
                    if self._assignment.device is Device.CUDA:  # its child has to start the GPU, too
                        self._deadline += self._assignment.limits.load_seconds
                self._measures = True
                self._children.start_bench()
            case Request.HOLD:
                return self._children.hold()
            case Request.RELEASE:
                return self._children.release()
            case Request.TIME_BENCH:
                return self._children.time_bench()
            case Request.WEIGH_BENCH:
                return self._children.weigh_bench()
            case Request.WEIGH_SINGLE:
                return self._children.weigh_single()
        return 0

    def _replace_child(self) -> None:
        assert self._children is not None
        for fd in self._outputs:
            if fd in self._watched:
                self._forget(fd)
        self._outputs.clear()
        self._output.clear()  # what the old one said since its check ended is not the new one's
        self._output_bytes = 0
        self._start(self._children.start)

    def _drain_output(self) -> None:
        for fd in self._outputs:
            for _ in range(_FULL_PIPE // _CHUNK):  # a child that prints on and on must not keep us here
                if fd not in self._watched or not self._read(fd):
                    break

    def _explain_death(self, told: CheckLine) -> CheckLine:
        """The judge only felt that the child was gone; the worker knows how it went."""
        assert self._children is not None
        ended = self._children.how_it_ended()
        if ended is None:
            return replace(told, message="Your code closed the grader's channel and ran on.")
        if self._assignment.device is Device.CUDA and os.waitstatus_to_exitcode(ended.status) == NO_DEVICE:
            if self._on_beat is not None:
                self._on_beat()
            # Raises where it is so; else the submission only says it. It was in use just now, so it answers at once.
            self._zygotes.child.probe(_PROBE_AGAIN_SECONDS)
        verdict, message = explain(ended.status)
        return replace(told, verdict=verdict, message=message)

    def _find_the_killer(self) -> None:
        """Nothing inside can send SIGKILL: where the judge died of it, the machine did it, out of memory perhaps."""
        assert self._judge is not None
        wait_for_death(self._zygotes.judge, self._judge)
        ended = self._zygotes.judge.ended.get(self._judge)
        if ended is not None and os.WIFSIGNALED(ended.status) and os.WTERMSIG(ended.status) == signal.SIGKILL:
            raise ZygoteLost("the judge was killed from outside")

    # -- the end

    def _end(self) -> None:
        judge, children = self._zygotes.judge, self._children
        try:
            if self._judge is not None:
                judge.kill(self._judge)
            if children is not None:
                children.kill()
            if self._judge is not None:
                self._outcome.judge_ended = judge.reap(self._judge)
            if children is not None:
                children.reap()
                self._outcome.children_ended = children.ended
        finally:
            self._outcome.judge_output = printable(self._judge_output.decode("utf-8", "replace"))
            if self._answers_fd is not None:
                os.close(self._answers_fd)
            if children is not None:
                children.close()
            for fd in [*self._watched, self._submission.fd, self._quoted.fd]:
                os.close(fd)


__all__ = ["Line", "Outcome", "Session", "ZygoteLost"]
