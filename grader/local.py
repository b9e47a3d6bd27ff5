"""Grading on the student's own machine: their own code in a plain subprocess, on any system.

Nothing is confined, so no report from here is accepted anywhere: it is for trying things out before submitting.
The same judge runs the same checks; only the submission is called in the judge's own process. A loop that never
ends costs its check: the subprocess is ended, and a new one goes on behind it.
"""

from __future__ import annotations

import base64
import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import IO, Any

from grader.assignment import Assignment, Device, Limits
from grader.checks import Failed, LocalStudent, Measurable, Pending
from grader.compare import Answers, Call
from grader.grade import ASSIGNMENT_FAILED, completed, default_seed, library_for, make_report, result_of
from grader.judge import Bundle
from grader.report import CheckResult, Report, Verdict
from grader.sandbox import wording
from grader.sandbox.inside import devices
from grader.sandbox.inside.child import describe_error, load_submission
from grader.sandbox.judge_lines import CheckLine, Final, JudgeBroke, Naming, parse
from grader.sandbox.judge_process import unpack
from grader.sandbox.parcel import pack_files, pack_head
from grader.source import Source

_JUDGE_SECONDS = 30.0  # for a cold interpreter that imports numpy, or for a check's own work
# As in the sandbox, or the matmuls that time is measured against would use all processors, and the rest one.
_ONE_THREAD = dict.fromkeys(
    ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"), "1"
)
_NO_GPU = (
    "This assignment runs on a GPU, and there is none that can be used here: {}. For code that keeps to the array "
    "standard, --pretend-gpu does without."
)
_ENDLESS = "took longer than {:g} s and was stopped. Is there a loop that never ends?"


@dataclass(frozen=True)
class _Phase:
    """What the subprocess is at: it says so, and the parent keeps the time."""

    what: str
    students: bool  # whose code is at work

    def seconds(self, limits: Limits) -> float:
        allowed = {"load": limits.load_seconds, "call": limits.call_seconds}
        return allowed.get(self.what, _JUDGE_SECONDS)


_STARTING, _JUDGING, _NAMING = _Phase("start", False), _Phase("judge", False), _Phase("naming", False)
_LOADING, _CALLING = _Phase("load", True), _Phase("call", True)
_PHASES = {phase.what: phase for phase in (_JUDGING, _LOADING, _CALLING)}


class NoGPU(Exception):
    """The assignment runs on a GPU, and there is none to be had here. A sentence that says so."""


class _Broke(Exception):
    """A subprocess ended before it was done; the words are for whoever was at work."""

    def __init__(self, phase: _Phase, verdict: Verdict, words: str) -> None:
        super().__init__(words)
        self.phase, self.verdict, self.words = phase, verdict, words


def grade_locally(
    assignment: Assignment,
    source: Source,
    *,
    seed: int | None = None,
    on_check: Callable[[CheckResult], None] | None = None,
    stand_in: bool = False,
) -> Report:
    """Grades as `Grader.grade` does, without a sandbox: the report's rung is None. Prints go to the terminal.

    stand_in: as for a Grader. Raises NoGPU.
    """
    seed = default_seed(assignment, source) if seed is None else seed
    arrays = library_for(assignment.device, stand_in=stand_in)
    started_at, started = datetime.now(UTC), time.monotonic()
    told: list[CheckResult] = []
    for_staff: dict[str, str] = {}

    def take(line: CheckLine) -> None:
        if line.verdict is Verdict.ASSIGNMENT_FAULT:
            raise _Broke(_JUDGING, Verdict.ASSIGNMENT_FAULT, f"check {line.check}: {line.message}")
        told.append(result_of(assignment, line, ""))
        if on_check is not None:
            on_check(told[-1])

    results: tuple[CheckResult, ...] | None = None
    while results is None and len(told) < len(assignment.checks):
        done = [result.id for result in told]
        with _Run(assignment, source, arrays, seed, done, "naming" not in for_staff) as run:
            try:
                run.hear_all(take, for_staff)
            except _Broke as broke:
                if broke.phase is _NAMING:
                    for_staff["naming"] = broke.words
                elif not broke.phase.students:
                    for_staff["fault"] = broke.words
                    results = completed(assignment, told, Verdict.ASSIGNMENT_FAULT, ASSIGNMENT_FAILED)
                else:
                    spec = assignment.checks[len(told)]
                    take(CheckLine(spec.id, broke.verdict, spec.points * 0, 0.0, broke.words, None))
                    if broke.phase is _LOADING:
                        why = "Your file could not be loaded: see the first check."
                        results = completed(assignment, told, Verdict.NOT_RUN, why)
    return make_report(
        assignment, source, results or tuple(told), seed=seed, rung=None, device=str(assignment.device),
        started_at=started_at,
        seconds=time.monotonic() - started, for_staff=for_staff,
    )  # fmt: skip


class _Run:
    """One subprocess, which judges the checks that are not skipped."""

    def __init__(
        self, assignment: Assignment, source: Source, arrays: str, seed: int, skip: list[str], naming: bool
    ) -> None:
        self._limits = assignment.limits
        self._maxima = {check.id: check.points for check in assignment.checks}
        self._mistakes = frozenset(mistake.id for mistake in assignment.mistakes)
        self._lines: queue.Queue[bytes] = queue.Queue()
        command = [sys.executable, "-c", "from grader.local import _judge_here; _judge_here()"]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=os.environ | _ONE_THREAD
        )
        request = {
            "head": pack_head(assignment).decode(),
            "files": base64.b64encode(pack_files(assignment)).decode(),
            "source": source.text,
            "cells": source.cells,
            "arrays": arrays,
            "memory_mb": assignment.limits.memory_mb,
            "class_form": assignment.class_form.to_dict() if assignment.class_form is not None else None,
            "seed": seed,
            "skip": skip,
            "naming": naming,
        }
        self._threads = [
            threading.Thread(target=self._feed, args=(json.dumps(request).encode(),), daemon=True),
            threading.Thread(target=self._listen, daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    def _feed(self, request: bytes) -> None:
        assert self._process.stdin is not None
        try:
            with self._process.stdin as stdin:
                stdin.write(request)
        except OSError:
            pass  # it has ended already: whoever waits for its lines learns that

    def _listen(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as stdout:
            for raw in stdout:
                self._lines.put(raw)
        self._lines.put(b"")

    def hear_all(self, take: Callable[[CheckLine], None], for_staff: dict[str, str]) -> None:
        """Until the judge has said its last word. Raises _Broke."""
        phase = _STARTING
        while True:
            limit = phase.seconds(self._limits)
            try:
                raw = self._lines.get(timeout=limit)
            except queue.Empty:
                what = {"load": "Loading your file", "call": "One call"}.get(phase.what, "A check's own code")
                raise _Broke(phase, Verdict.TIME_LIMIT, f"{what} {_ENDLESS.format(limit)}") from None
            if not raw:
                words = f"ended the whole process (exit code {self._process.wait()})."
                whose = "Your code" if phase.students else "A check's own code"
                raise _Broke(phase, Verdict.CRASHED, f"{whose} {words}")
            told = json.loads(raw)
            if set(told) == {"phase"}:
                phase = _PHASES[told["phase"]]
                continue
            if set(told) == {"no_device"}:
                raise NoGPU(_NO_GPU.format(told["no_device"]))
            try:
                line = parse(raw.strip(), self._maxima, self._mistakes)
            except JudgeBroke as broke:
                raise _Broke(_JUDGING, Verdict.ASSIGNMENT_FAULT, str(broke)) from None
            if isinstance(line, Final):
                return
            if isinstance(line, Naming):
                phase = _NAMING if line.on else _JUDGING
                if line.broke:
                    for_staff["naming"] = line.broke
            elif isinstance(line, CheckLine):
                take(line)

    def __enter__(self) -> _Run:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        for thread in self._threads:
            thread.join()


def _judge_here() -> None:
    """What the subprocess runs: a request on standard input, lines on what was standard output."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which then ends us
    lines = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)  # what the student prints is for their eyes, not for the reader of the lines
    request = json.loads(sys.stdin.buffer.read())
    sys.path.insert(0, os.getcwd())  # their own modules beside the file may be tried out

    from grader import judge

    bundle, _ = unpack(request["head"].encode(), base64.b64decode(request["files"]))

    try:
        arrays = devices.open_arrays(request["arrays"])
    except devices.NoDevice as why:
        _say(lines, {"no_device": str(why)})
        return

    def emit(line: dict[str, Any]) -> None:
        sys.stdout.flush()
        _say(lines, line)

    def load() -> Measurable:
        _say(lines, {"phase": _LOADING.what})
        try:
            return _load(bundle, request, arrays, lines)
        finally:
            _say(lines, {"phase": _JUDGING.what})

    skip, naming = frozenset(request["skip"]), request["naming"]
    try:
        judge.run(bundle, load, seed=request["seed"], emit=emit, skip=skip, naming=naming)
    except judge.BrokenAssignment as broken:
        _say(lines, {"broken": str(broken)})


def _load(bundle: Bundle, request: dict[str, Any], arrays: devices.Arrays, lines: IO[bytes]) -> Measurable:
    """The submission in this very process. Raises Failed."""
    source = Source(request["source"], (), tuple(request["cells"]))
    memory_mb = request["memory_mb"]

    def explain(error: BaseException) -> Failed:
        return wording.call_raised(describe_error(error).encode(), source, bundle.signature, memory_mb)

    try:
        function = load_submission(source.text, bundle.function, request["class_form"])
        if bundle.device is Device.CUDA:
            function = devices.on(arrays, function)
        return _Announcing(LocalStudent(function, explain, bundle.returns), lines)
    except (Exception, SystemExit) as error:
        raise wording.loading_raised(describe_error(error).encode(), source, memory_mb) from None


class _Announcing:
    """A student that says when a call begins and ends."""

    def __init__(self, student: Measurable, lines: IO[bytes]) -> None:
        self._student, self._lines = student, lines
        self.returns = student.returns

    def ask(self, call: Call, *, digest: bool = False) -> Pending:
        with self._calling():
            return self._student.ask(call, digest=digest)

    def timed(self, call: Call, shapes: Sequence[tuple[int, ...]]) -> tuple[Answers, float]:
        with self._calling():
            return self._student.timed(call, shapes)

    def yardstick(self, call: Call, shapes: Sequence[tuple[int, ...]]) -> float:
        return self._student.yardstick(call, shapes)

    def weighed(self, call: Call, shapes: Sequence[tuple[int, ...]], nothing: Call) -> tuple[Answers, int]:
        with self._calling():
            return self._student.weighed(call, shapes, nothing)

    @contextmanager
    def _calling(self) -> Iterator[None]:
        _say(self._lines, {"phase": _CALLING.what})
        try:
            yield
        finally:
            _say(self._lines, {"phase": _JUDGING.what})


def _say(lines: IO[bytes], message: dict[str, Any]) -> None:
    lines.write(json.dumps(message).encode() + b"\n")
