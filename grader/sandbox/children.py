"""The worker's side of one submission's children: the one that answers, those after it, and those for measuring."""

from __future__ import annotations

import os
import signal
import time

from grader.assignment import Assignment
from grader.report import Verdict

from . import view
from .inside import OUT_OF_MEMORY
from .judge_lines import SINGLES, JudgeBroke
from .parcel import MemoryFile
from .zygotes import Ended, Zygote

FRESH_CHILDREN = 3  # restarts that one submission may cost
BENCHES = 8  # children that may run the yardstick, one after another
BENCH_MEMORY = 1 << 30
YARDSTICK = view.GRADER / "checks" / "yardstick.py"
_DEATH_SECONDS = 0.25  # how long to wait for the news of a death that the judge has already felt


class Children:
    """All of them are forks of the same zygote, confined alike.

    judge_ends: the judge's ends of the pipes, a pair (calls, replies) for the bench, for each single, and for each
                child that may answer. They are all made now: no descriptor reaches a running judge. Whoever starts the
                judge closes them.
    speaking:   the child that the judge has spoken with last.
    """

    def __init__(
        self, zygote: Zygote, assignment: Assignment, submission: MemoryFile, cpu_seconds: int
    ) -> None:
        self._zygote, self._assignment, self._submission = zygote, assignment, submission
        self._cpu_seconds = cpu_seconds
        self.judge_ends: list[int] = []
        self._bench_ends = self._pipes()
        self._single_ends = [self._pipes() for _ in range(SINGLES)]
        self._ends = [self._pipes() for _ in range(1 + FRESH_CHILDREN)]
        self._alive: list[int] = []  # job numbers: not yet reaped
        self._benches = 0
        self._child = self._bench = self._single = self.speaking = 0
        self.ended: list[Ended] = []

    def _pipes(self) -> tuple[int, int]:
        call_out, call_in = os.pipe()
        reply_out, reply_in = os.pipe()
        self.judge_ends += [call_in, reply_out]
        return call_out, reply_in

    # -- starting

    def start(self, output: int) -> None:
        """The first child, or a fresh one in the place of the last. Its output goes to `output`. Raises JudgeBroke."""
        if not self._ends:
            raise JudgeBroke("it asks for too many fresh children")
        if self._child:
            self._zygote.kill(self._child)
        self._child = self.speaking = self._start_students(self._ends.pop(0), output)

    def start_single(self, output: int) -> None:
        if not self._single_ends:
            raise JudgeBroke("it weighs too many calls")
        self._single = self.speaking = self._start_students(self._single_ends.pop(0), output)

    def start_bench(self) -> None:
        """The yardstick is ours: it leaves nothing in its pipes, so the next can have the same."""
        if self._benches == BENCHES:
            raise JudgeBroke("it measures too often")
        self._benches += 1
        if self._bench:
            self._reap(self._bench)
        source = MemoryFile.of(YARDSTICK.read_bytes(), "yardstick")
        silence = os.open(os.devnull, os.O_WRONLY)
        try:
            self._bench = self._spawn(
                [silence, *self._bench_ends, source.fd], BENCH_MEMORY, source_bytes=source.size,
                function="yardstick", class_form=None,
            )  # fmt: skip
        finally:
            os.close(silence)
            os.close(source.fd)

    def _start_students(self, ends: tuple[int, int], output: int) -> int:
        form = self._assignment.class_form
        try:
            return self._spawn(
                [output, *ends, self._submission.fd], self._assignment.limits.memory_mb << 20,
                source_bytes=self._submission.size, function=self._assignment.function,
                class_form=form.to_dict() if form is not None else None,
            )  # fmt: skip
        finally:
            for fd in ends:
                os.close(fd)

    def _spawn(self, descriptors: list[int], memory_bytes: int, **job: object) -> int:
        number = self._zygote.spawn(
            descriptors, memory_bytes=memory_bytes, cpu_seconds=self._cpu_seconds, **job
        )
        self._alive.append(number)
        return number

    # -- measuring

    def hold(self) -> int:
        return self._signal_and_time(self._child, signal.SIGSTOP)

    def release(self) -> int:
        return self._signal_and_time(self._child, signal.SIGCONT)

    def time_bench(self) -> int:
        return self._signal_and_time(self._bench, None)

    def _signal_and_time(self, number: int, what: signal.Signals | None) -> int:
        return self._zygote.signal_and_time(number, what) if number in self._alive else 0

    def weigh_bench(self) -> int:
        number, self._bench = self._bench, 0
        return self._reap(number).peak_bytes

    def weigh_single(self) -> int:
        number, self._single, self.speaking = self._single, 0, self._child
        self.ended.append(self._reap(number))
        return self.ended[-1].peak_bytes

    def give_up_single(self) -> None:
        """After a check that ended before it was weighed."""
        if self._single:
            self.weigh_single()

    def _reap(self, number: int) -> Ended:
        """Kills it, if it still runs. Raises JudgeBroke where there is no such child."""
        if number not in self._alive:
            raise JudgeBroke("it weighs what it did not start")
        self._alive.remove(number)
        self._zygote.kill(number)
        return self._zygote.reap(number)

    # -- the end

    def how_it_ended(self) -> Ended | None:
        """Of the child that was spoken with last; None where it lives on."""
        wait_for_death(self._zygote, self.speaking)
        return self._zygote.ended.get(self.speaking)

    def kill(self) -> None:
        for number in self._alive:
            self._zygote.kill(number)

    def reap(self) -> None:
        for number in list(self._alive):
            ended = self._reap(number)
            if number != self._bench:
                self.ended.append(ended)

    def close(self) -> None:
        for fd in sum([self._bench_ends, *self._single_ends, *self._ends], ()):
            os.close(fd)


def wait_for_death(zygote: Zygote, number: int) -> None:
    """For a moment, where the judge has felt it already and the news is on its way."""
    until = time.monotonic() + _DEATH_SECONDS
    while number not in zygote.ended and time.monotonic() < until:
        if not zygote.hear(wait=False):
            time.sleep(0.001)


def explain(status: int) -> tuple[Verdict, str]:
    """Why a child ended, from its wait status."""
    if os.WIFEXITED(status):
        code = os.WEXITSTATUS(status)
        if code == OUT_OF_MEMORY:
            message = "Your code keeps so much memory that the inputs of the next call found no room."
            return Verdict.MEMORY_LIMIT, message
        return Verdict.CRASHED, f"Your code ended the whole process (exit code {code}), as os._exit() does."
    number = os.WTERMSIG(status)
    if number == signal.SIGSYS:
        return Verdict.CRASHED, "Your code made a system call that is forbidden here and was stopped."
    if number == signal.SIGXCPU:
        return Verdict.TIME_LIMIT, "Your code used up all the processor time it may have."
    words: dict[int, str] = {
        signal.SIGSEGV: "a segmentation fault",
        signal.SIGABRT: "abort()",
        signal.SIGKILL: "SIGKILL",
    }
    return (
        Verdict.CRASHED,
        f"Your code crashed the interpreter ({words.get(number, f'signal {number}')}).",
    )
