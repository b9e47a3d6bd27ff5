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
from dataclasses import replace
from pathlib import Path

from bench.harness import Row, clocked, interleaved, rows
from grader import judge
from grader.assignment import Assignment, load_assignment
from grader.checks import LocalStudent
from grader.grade import Grader
from grader.judge import Bundle
from grader.report import Verdict
from grader.sandbox.inside.child import load_submission
from grader.source import Source

REPOSITORY = Path(__file__).resolve().parent.parent
CHECKS = 8

IN_PROCESS = "the checks, in a warm process"
BARE = "bare python: starts, imports numpy, runs the checks"
WARM = "warm grader: submission to report"
WRONG = "warm grader: a wrong submission, its mistake named"
COMMAND = "grader check, cold"
FORKS = "bare forks of a warm process, 2 at a time"
GRADERS = "graders, 2 at a time"


def first_checks(count: int = CHECKS) -> tuple[Assignment, Source]:
    """Scaled dot-product attention, cut to `count` checks, and a right submission to it."""
    whole = load_assignment(REPOSITORY / "assignments" / "scaled-dot-product")
    checks = whole.checks[:count]
    points = sum((check.points for check in checks), whole.points * 0)
    cut = replace(whole, checks=checks, points=points, version=f"{whole.version}-{count}")
    return cut, Source(whole.files["solution.py"], (), ())


def run_checks(bundle: Bundle, function: Callable[..., object], seed: int) -> None:
    """The same judge and the same checks, with nothing between them and the function."""
    lines: list[dict[str, object]] = []
    judge.run(bundle, lambda: LocalStudent(function), seed=seed, emit=lines.append)
    assert all(line["verdict"] == Verdict.PASSED for line in lines[:-1]), lines


def bundle_of(assignment: Assignment) -> Bundle:
    return Bundle(
        assignment.function, assignment.signature, assignment.checks, assignment.mistakes, assignment.files
    )


def latency(rounds: int) -> list[Row]:
    """One submission, from request to report."""
    assignment, source = first_checks()
    bundle, function = bundle_of(assignment), load_submission(source.text, assignment.function)
    wrong = Source(assignment.files["mistakes/scale-by-d.py"], (), ())
    with Grader() as grader:
        seeds = iter(range(1_000_000))

        def grade(submission: Source) -> float:
            report = grader.grade(assignment, submission, seed=next(seeds))
            assert report.verdict is (Verdict.PASSED if submission is source else Verdict.WRONG_ANSWER), (
                report
            )
            return report.seconds

        seconds = interleaved(
            {
                IN_PROCESS: clocked(lambda: run_checks(bundle, function, next(seeds))),
                WARM: lambda: grade(source),
                WRONG: lambda: grade(wrong),
                BARE: clocked(_bare_script),
                COMMAND: clocked(_command),
            },
            rounds,
        )
    return rows(seconds, {IN_PROCESS: None, BARE: None, WARM: BARE, WRONG: BARE, COMMAND: BARE})


def _bare_script() -> None:
    code = (
        "import numpy; from bench import grading as g; from grader.sandbox.inside.child import load_submission; "
        "a, s = g.first_checks(); g.run_checks(g.bundle_of(a), load_submission(s.text, a.function), 1)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=REPOSITORY, env=one_thread())


def _command() -> None:
    folder = REPOSITORY / "assignments" / "scaled-dot-product"
    command = [
        sys.executable,
        "-m",
        "grader.cli",
        "check",
        str(folder),
        str(folder / "solution.py"),
        "--json",
    ]
    subprocess.run(command, check=True, cwd=REPOSITORY, stdout=subprocess.DEVNULL, env=one_thread())


def one_thread() -> dict[str, str]:
    return os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}


def throughput(submissions: int, rounds: int) -> list[Row]:
    """Submissions per second on two processors, beside forks that run the same checks unprotected."""
    assignment, source = first_checks()
    bundle, function = bundle_of(assignment), load_submission(source.text, assignment.function)
    run_checks(bundle, function, 0)
    with graders(2) as pool:
        seconds = interleaved(
            {
                FORKS: lambda: (
                    _forks(submissions, 2, lambda n: run_checks(bundle, function, n)) / submissions
                ),
                GRADERS: lambda: _at_once(pool, assignment, source, submissions) / submissions,
            },
            rounds,
            warm_up=1,
        )
    return rows(seconds, {FORKS: None, GRADERS: FORKS}, per_second=True)


@contextmanager
def graders(count: int) -> Iterator[list[Grader]]:
    with ExitStack() as stack:
        yield [stack.enter_context(Grader()) for _ in range(count)]


def _at_once(pool: list[Grader], assignment: Assignment, source: Source, count: int) -> float:
    left = iter(range(count))
    lock = threading.Lock()
    failures: list[object] = []

    def work(grader: Grader) -> None:
        while True:
            with lock:
                number = next(left, None)
            if number is None:
                return
            report = grader.grade(assignment, source, seed=number)
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
    poll, running, begun, done = select.poll(), {}, 0, 0
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
