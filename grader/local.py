"""Grading on the student's own machine: their own code in a plain subprocess, on any system.

Nothing is confined, so no report from here is accepted anywhere: it is for trying things out before submitting.
The same judge runs the same checks; only the submission is called in the same process. A loop that never ends
costs its check: the subprocess is ended and a new one goes on behind it.
"""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import IO, Any

from grader.assignment import Assignment
from grader.checks import Failed, LocalStudent, Pending, Student
from grader.compare import Call
from grader.grade import completed, default_seed, named_mistakes, provenance, result_of
from grader.report import CheckResult, Report, Verdict, overall
from grader.sandbox import wording
from grader.sandbox.inside.child import describe_error, load_submission
from grader.sandbox.judge_lines import CheckLine, Final, JudgeBroke, parse
from grader.sandbox.judge_process import pack, unpack
from grader.source import Source

_START_SECONDS = 30.0  # a cold interpreter that imports numpy


def grade_locally(
    assignment: Assignment,
    source: Source,
    *,
    seed: int | None = None,
    on_check: Callable[[CheckResult], None] | None = None,
) -> Report:
    """Grades as `Grader.grade` does, without a sandbox: the report's rung is None. Prints go to the terminal."""
    seed = default_seed(assignment, source) if seed is None else seed
    started_at, started = datetime.now(UTC), time.monotonic()
    told: list[CheckResult] = []
    broke: tuple[Verdict, str] | None = None
    while len(told) < len(assignment.checks) and broke is None:
        with _Run(assignment, source, seed, skip=[result.id for result in told]) as run:
            broke = run.hear_all(lambda line: _take(assignment, line, told, on_check))
    results = completed(assignment, told, *broke) if broke else tuple(told)
    return Report(
        assignment=assignment.slug,
        version=assignment.version,
        verdict=overall(results),
        rung=None,
        seconds=time.monotonic() - started,
        checks=results,
        mistakes=named_mistakes(assignment, results),
        provenance=provenance(assignment, source, seed, started_at, None),
    )


def _take(
    assignment: Assignment,
    line: CheckLine,
    told: list[CheckResult],
    on_check: Callable[[CheckResult], None] | None,
) -> None:
    result = result_of(assignment, line, "")
    told.append(result)
    if on_check is not None:
        on_check(result)


class _Run:
    """One subprocess, which judges the checks that are not skipped."""

    def __init__(self, assignment: Assignment, source: Source, seed: int, skip: list[str]) -> None:
        self._assignment = assignment
        self._left = [check.id for check in assignment.checks if check.id not in skip]
        self._maxima = {check.id: check.points for check in assignment.checks}
        self._mistakes = frozenset(mistake.id for mistake in assignment.mistakes)
        self._lines: queue.Queue[bytes] = queue.Queue()
        command = [sys.executable, "-c", "from grader.local import _judge_here; _judge_here()"]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        bundle = pack(assignment).decode()
        request = {"bundle": bundle, "source": source.text, "cells": source.cells, "seed": seed, "skip": skip}
        request["memory_mb"] = assignment.limits.memory_mb
        threading.Thread(target=self._feed, args=(json.dumps(request).encode(),), daemon=True).start()
        threading.Thread(target=self._listen, daemon=True).start()

    def _feed(self, request: bytes) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(request)
            self._process.stdin.close()
        except OSError:
            pass  # it has ended already: whoever waits for its lines learns that

    def _listen(self) -> None:
        assert self._process.stdout is not None
        for raw in self._process.stdout:
            self._lines.put(raw)
        self._lines.put(b"")

    def hear_all(self, take: Callable[[CheckLine], None]) -> tuple[Verdict, str] | None:
        """Until the end, or a check that has to be given up. Returns what ends the grading as a whole, if anything."""
        limits = self._assignment.limits
        wait, what = _START_SECONDS + limits.load_seconds, "Loading your file"
        while True:
            try:
                raw = self._lines.get(timeout=wait)
            except queue.Empty:
                message = f"{what} took too long and was stopped. Is there a loop that never ends?"
                return self._give_up(take, Verdict.TIME_LIMIT, message, loading=what.startswith("Loading"))
            if not raw:
                message = f"Your code ended the whole process (exit code {self._process.wait()})."
                return self._give_up(take, Verdict.CRASHED, message, loading=what.startswith("Loading"))
            told: dict[str, Any] = json.loads(raw)
            if "broken" in told:
                return Verdict.ASSIGNMENT_FAULT, f"The assignment's own checks failed: {told['broken']}"
            if "waiting" in told:
                wait, what = (
                    (limits.call_seconds, "One call") if told["waiting"] else (_START_SECONDS, "A check")
                )
                continue
            try:
                line = parse(raw, self._maxima, self._mistakes)
            except JudgeBroke as broken:
                return Verdict.ASSIGNMENT_FAULT, f"The assignment's own checks failed: {broken}."
            if isinstance(line, Final):
                return None
            if isinstance(line, CheckLine):
                self._left.remove(line.check)
                take(line)

    def _give_up(
        self, take: Callable[[CheckLine], None], verdict: Verdict, message: str, *, loading: bool
    ) -> tuple[Verdict, str] | None:
        take(CheckLine(self._left[0], verdict, self._maxima[self._left[0]] * 0, 0.0, message, None))
        return (Verdict.NOT_RUN, "Your file could not be loaded: see the first check.") if loading else None

    def __enter__(self) -> _Run:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()


def _judge_here() -> None:
    """What the subprocess runs: a request on standard input, lines on what was standard output."""
    lines = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)  # what the student prints is for their eyes, not for the reader of the lines
    request = json.loads(sys.stdin.buffer.read())
    sys.path.insert(0, os.getcwd())  # their own modules beside the file may be tried out

    from grader import judge

    bundle, _ = unpack(request["bundle"].encode())

    def emit(line: dict[str, Any]) -> None:
        sys.stdout.flush()
        _say(lines, line)

    try:
        judge.run(
            bundle,
            lambda: _load(bundle.function, request, lines),
            seed=request["seed"],
            emit=emit,
            skip=frozenset(request["skip"]),
        )
    except judge.BrokenAssignment as broken:
        _say(lines, {"broken": str(broken)})


def _load(function: str, request: dict[str, Any], lines: IO[bytes]) -> Student:
    """The submission in this very process. Raises Failed."""
    source = Source(request["source"], (), tuple(request["cells"]))
    memory_mb = request["memory_mb"]

    def explain(error: BaseException) -> Failed:
        return wording.call_raised(describe_error(error).encode(), source, memory_mb)

    try:
        return _Announcing(LocalStudent(load_submission(source.text, function), explain), lines)
    except (Exception, SystemExit) as error:
        raise wording.loading_raised(describe_error(error).encode(), source, memory_mb) from None


class _Announcing:
    """A Student that says when a call begins and ends, so that the parent can keep the time."""

    def __init__(self, student: Student, lines: IO[bytes]) -> None:
        self._student, self._lines = student, lines

    def ask(self, call: Call, *, digest: bool = False) -> Pending:
        _say(self._lines, {"waiting": True})
        try:
            return self._student.ask(call, digest=digest)
        finally:
            _say(self._lines, {"waiting": False})


def _say(lines: IO[bytes], message: dict[str, Any]) -> None:
    lines.write(json.dumps(message).encode() + b"\n")
