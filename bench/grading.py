"""What grading costs beside the checks themselves: one submission of 8 checks, warm; and many at once."""

from __future__ import annotations

import os
import select
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from bench.bare import bundle, run_checks
from bench.harness import Row, clocked, interleaved, rows
from grader.assignment import Assignment, load_assignment
from grader.grade import Grader
from grader.judge import Bundle
from grader.report import Verdict
from grader.sandbox.inside.child import load_submission
from grader.source import Source

REPOSITORY = Path(__file__).resolve().parent.parent
SMALL = REPOSITORY / "assignments" / "scaled-dot-product"
LARGE = REPOSITORY / "bench" / "eight-large-checks"
CHECKS = 8

IN_PROCESS = "the checks, in a warm process"
BARE = "bare python: start, import numpy, run the checks"
WARM = "warm grader: submission to report"
WRONG = "warm grader: a wrong one, its mistake named"
COMMAND = "grader check, cold"
FORKS = "bare forks of a warm process, 2 at a time"
GRADERS = "graders, 2 at a time"


@dataclass(frozen=True)
class Subject:
    """An assignment cut to its first 8 checks, and its solution as a submission."""

    folder: Path
    assignment: Assignment
    source: Source
    bundle: Bundle
    function: Callable[..., Any]

    @classmethod
    def of(cls, folder: Path) -> Subject:
        whole = load_assignment(folder)
        checks = whole.checks[:CHECKS]
        points = sum((check.points for check in checks), whole.points * 0)
        cut = replace(whole, checks=checks, points=points, version=f"{whole.version}-{CHECKS}")
        source = Source(whole.files["solution.py"], (), ())
        pairs = [(check.id, str(check.visibility)) for check in checks]
        function = load_submission(source.text, whole.function)
        return cls(folder, cut, source, bundle(folder, pairs, whole.function), function)

    def run_bare(self) -> None:
        checks = [f"{check.id}:{check.visibility}" for check in self.assignment.checks]
        command = [sys.executable, "-m", "bench.bare", str(self.folder), self.assignment.function, *checks]
        subprocess.run(command, check=True, cwd=REPOSITORY, env=one_thread())

    def run_command(self) -> None:
        command = [
            sys.executable,
            "-m",
            "grader.cli",
            "check",
            str(self.folder),
            str(self.folder / "solution.py"),
        ]
        subprocess.run(command, check=True, cwd=REPOSITORY, stdout=subprocess.DEVNULL, env=one_thread())


def one_thread() -> dict[str, str]:
    return os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}


def latency(folder: Path, rounds: int) -> list[Row]:
    """One submission, from request to report."""
    subject = Subject.of(folder)
    mistakes = subject.assignment.mistakes
    seeds = iter(range(1_000_000))
    with Grader() as grader:

        def grade(submission: Source, verdict: Verdict) -> float:
            report = grader.grade(subject.assignment, submission, seed=next(seeds))
            assert report.verdict is verdict, report
            return report.seconds

        tasks = {
            IN_PROCESS: clocked(lambda: run_checks(subject.bundle, subject.function, next(seeds))),
            BARE: clocked(subject.run_bare),
            WARM: lambda: grade(subject.source, Verdict.PASSED),
            COMMAND: clocked(subject.run_command),
        }
        if mistakes:
            wrong = Source(subject.assignment.files[mistakes[0].file], (), ())
            tasks[WRONG] = lambda: grade(wrong, Verdict.WRONG_ANSWER)
        seconds = interleaved(tasks, rounds)
    return rows(seconds, {name: None if name in (IN_PROCESS, BARE) else BARE for name in tasks})


def throughput(folder: Path, submissions: int, rounds: int) -> list[Row]:
    """Submissions per second on two processors, beside forks that run the same checks unprotected."""
    subject = Subject.of(folder)

    def work(number: int) -> None:
        run_checks(subject.bundle, subject.function, number)

    work(0)
    with graders(2) as pool:
        tasks = {
            FORKS: lambda: _forks(submissions, 2, work) / submissions,
            GRADERS: lambda: _at_once(pool, subject, submissions) / submissions,
        }
        seconds = interleaved(tasks, rounds, warm_up=1)
    return rows(seconds, {FORKS: None, GRADERS: FORKS}, per_second=True)


@contextmanager
def graders(count: int) -> Iterator[list[Grader]]:
    with ExitStack() as stack:
        yield [stack.enter_context(Grader()) for _ in range(count)]


def _at_once(pool: list[Grader], subject: Subject, count: int) -> float:
    left = iter(range(count))
    lock = threading.Lock()
    failures: list[object] = []

    def work(grader: Grader) -> None:
        while True:
            with lock:
                number = next(left, None)
            if number is None:
                return
            report = grader.grade(subject.assignment, subject.source, seed=number)
            if report.verdict is not Verdict.PASSED:
                failures.append(report)

    threads = [threading.Thread(target=work, args=(grader,)) for grader in pool]
    started = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures[0]
    return time.perf_counter() - started


def _forks(count: int, at_once: int, work: Callable[[int], None]) -> float:
    """Seconds for `count` forks of this process that run `work` and say so through a pipe."""
    started = time.perf_counter()
    poll, begun, done = select.poll(), 0, 0
    running: dict[int, int] = {}  # pipe -> pid
    while done < count:
        while len(running) < at_once and begun < count:
            reading, writing = os.pipe()
            pid = os.fork()
            if pid == 0:
                try:
                    work(begun)
                    os.write(writing, b"done")
                finally:
                    os._exit(0)
            os.close(writing)
            running[reading] = pid
            poll.register(reading, select.POLLIN)
            begun += 1
        for fd, _ in poll.poll():
            assert os.read(fd, 16) == b"done", "a fork failed"
            poll.unregister(fd)
            os.close(fd)
            os.waitpid(running.pop(fd), 0)
            done += 1
    return time.perf_counter() - started
