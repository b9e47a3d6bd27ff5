"""What happens when a party dies, hangs or goes: nothing is left behind, and the next submission is graded."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from grader import grade
from grader.assignment import Limits
from grader.grade import Grader
from grader.report import CheckResult, Report
from grader.sandbox import session, zygotes
from grader.sandbox.zygotes import ZygotePair, open_pair
from tests.grader.sandbox.conftest import CHECKS, PATIENT, RIGHT, make_assignment, source
from tests.grader.sandbox.surroundings import (
    ROOT,
    confined_processes,
    household,
    memory_files,
    open_descriptors,
    processes_of,
    sealed,
    zygote_config,
    zygote_pids,
)

LONG = Limits(call_seconds=20, load_seconds=20, total_seconds=20)
HANGS = "import time\ndef attention(q, k, v):\n    time.sleep(100)\n"


def eventually(condition: Callable[[], bool], seconds: float = 60.0) -> bool:
    until = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > until:
            return False
        time.sleep(0.01)
    return True


@contextmanager
def meanwhile(grader: Grader, act: Callable[[], None]) -> Iterator[None]:
    """Acts once, from another thread, when one judge and one child are at work: not while an assignment is
    compiled, which is a confined fork of the judge's zygote as well.
    """

    def both_at_work() -> bool:
        return all(len(forks_of(zygote)) == 1 for zygote in zygote_pids(grader))

    def wait_and_act() -> None:
        assert eventually(both_at_work), "judge and child were never at work together"
        time.sleep(0.05)
        act()

    with ThreadPoolExecutor(1) as thread:
        acted = thread.submit(wait_and_act)
        yield
        acted.result()


def graded_rightly(grader: Grader) -> bool:
    return grader.grade(make_assignment(), source(RIGHT)).points == 2


def forks_of(zygote: int) -> list[int]:
    return sealed(processes_of([zygote_config(zygote)]))


def is_gone(pids: list[int]) -> bool:
    return not any(Path(f"/proc/{pid}").exists() for pid in pids)


@pytest.mark.parametrize("which", [0, 1], ids=["judge", "child"])
def test_a_zygote_is_killed_in_the_middle_of_a_run(which: int, grader: Grader) -> None:
    before, forks = household(grader), []

    def kill() -> None:
        forks.extend(confined_processes(grader))
        os.kill(zygote_pids(grader)[which], signal.SIGKILL)

    # Loading takes long enough to be seen, and then all goes well: so the second try, on new zygotes, is a whole run.
    slow = "import time\ntime.sleep(2)\n" + RIGHT
    with meanwhile(grader, kill):
        report = grader.grade(make_assignment(limits=LONG), source(slow))
    assert report.points == 2, report
    assert len(forks) == 2
    assert eventually(lambda: is_gone(forks + before)), "something outlived its zygote"
    assert graded_rightly(grader)


def test_zygotes_that_die_again_and_again_are_a_fault_of_the_platform(grader: Grader) -> None:
    assert graded_rightly(grader)
    descriptors = open_descriptors()
    killed: list[int] = []

    def kill_both() -> None:
        def kill_the_next() -> bool:
            try:
                zygote = zygote_pids(grader)[1]
                if zygote in killed or len(confined_processes(grader)) < 2:
                    return False
            except (AssertionError, IndexError, OSError):
                return False  # between the old zygotes and the new ones
            os.kill(zygote, signal.SIGKILL)
            killed.append(zygote)
            return True

        for _ in range(2):
            eventually(kill_the_next)

    with meanwhile(grader, kill_both):
        report = grader.grade(make_assignment(limits=LONG), source(HANGS))
    assert report.verdict == "platform fault"
    assert report.points == 0
    assert len(open_descriptors()) < len(descriptors), "descriptors of lost zygotes are left"
    assert graded_rightly(grader)
    assert open_descriptors() == descriptors


@pytest.mark.parametrize("which", [0, 1], ids=["judge", "child"])
def test_a_zygote_dies_between_two_runs(which: int, grader: Grader) -> None:
    assert graded_rightly(grader)
    os.kill(zygote_pids(grader)[which], signal.SIGKILL)
    assert graded_rightly(grader)


def test_the_child_is_killed_in_the_middle_of_a_call(grader: Grader) -> None:
    def kill() -> None:
        [child] = forks_of(zygote_pids(grader)[1])
        os.kill(child, signal.SIGKILL)

    with meanwhile(grader, kill):
        report = grader.grade(make_assignment(limits=LONG, ids="a"), source(HANGS))
    assert report.verdict == "crashed"
    assert "SIGKILL" in report.checks[0].message
    assert confined_processes(grader) == []
    assert graded_rightly(grader)


def test_the_judge_is_killed_in_the_middle_of_a_call(grader: Grader) -> None:
    """Nothing inside can send that signal, so it was the machine: the submission is graded once more."""
    # In the first of its two calls.
    slow = "import time\n" + RIGHT.replace("    s = ", "    time.sleep(2)\n    s = ")

    def kill() -> None:
        [judge] = forks_of(zygote_pids(grader)[0])
        os.kill(judge, signal.SIGKILL)

    with meanwhile(grader, kill):
        report = grader.grade(make_assignment(limits=LONG), source(slow))
    assert report.points == 2
    assert confined_processes(grader) == []
    assert graded_rightly(grader)


def test_the_loop_beats_as_long_as_it_lives(grader: Grader, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "BEAT_SECONDS", 0.02)
    beats: list[float] = []
    short = make_assignment(limits=Limits(call_seconds=0.8, load_seconds=20, total_seconds=20), ids="a")
    report = grader.grade(short, source(HANGS), on_beat=lambda: beats.append(time.monotonic()))
    assert report.verdict == "time limit"
    assert len(beats) >= 4
    assert grader.grade(make_assignment(ids="a"), source(RIGHT), on_beat=None).points == 1


def test_what_a_beat_raises_ends_the_grading(grader: Grader, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever has lost the right to grade a submission stops at once, and grades the next."""
    monkeypatch.setattr(session, "BEAT_SECONDS", 0.1)

    class LostError(Exception):
        pass

    def beat() -> None:
        raise LostError

    assert graded_rightly(grader)
    descriptors = open_descriptors()
    with pytest.raises(LostError):
        grader.grade(make_assignment(limits=LONG, ids="a"), source(HANGS), on_beat=beat)
    assert confined_processes(grader) == []
    assert open_descriptors() == descriptors
    assert graded_rightly(grader)


@pytest.mark.parametrize("which", [0, 1], ids=["judge", "child"])
def test_a_zygote_that_hangs_is_given_up(which: int, grader: Grader, monkeypatch: pytest.MonkeyPatch) -> None:
    assert graded_rightly(grader)  # the assignment is packed by now
    before = household(grader)

    def open_with_patience(*arguments: Any) -> ZygotePair:
        monkeypatch.undo()
        return open_pair(*arguments)

    monkeypatch.setattr(grade, "open_pair", open_with_patience)
    monkeypatch.setattr(zygotes, "_REPLY_SECONDS", 0.3)
    # Half a second for all of the run in which it hangs, and as much as ever for the second try.
    monkeypatch.setattr(session, "JUDGE_SECONDS", 0.5 - PATIENT.load_seconds - PATIENT.total_seconds)
    os.kill(zygote_pids(grader)[which], signal.SIGSTOP)
    assert graded_rightly(grader)
    assert eventually(lambda: is_gone(before))
    assert graded_rightly(grader)


WORKER = """
from grader.grade import Grader
from tests.grader.sandbox.conftest import make_assignment, source
from tests.grader.sandbox.surroundings import zygote_pids
from tests.grader.sandbox.test_lifecycle import LONG

grader = Grader(rung={rung})
print(*zygote_pids(grader), flush=True)
grader.grade(make_assignment(limits=LONG), source({text!r}))
"""
STUBBORN = """
import signal
for number in range(1, 65):
    try: signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError): pass
while True: pass
"""


def test_the_worker_is_killed_and_all_go_with_it(grader: Grader) -> None:
    program = WORKER.format(rung=grader.rung.number, text=STUBBORN)
    worker = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, cwd=ROOT)
    assert worker.stdout is not None
    configs = [zygote_config(int(pid)) for pid in worker.stdout.readline().split()]
    assert len(configs) == 2
    assert eventually(lambda: len(sealed(processes_of(configs))) == 2), "judge and child did not start"
    members = processes_of(configs)
    worker.kill()
    worker.wait()
    worker.stdout.close()
    assert eventually(lambda: is_gone(members)), "something outlived the worker"


def test_closing_leaves_no_process_and_no_descriptor(grader: Grader) -> None:
    descriptors = open_descriptors()
    with Grader(rung=grader.rung.number) as other:
        assert graded_rightly(other)
        members = household(other)
    assert len(members) >= 2
    assert eventually(lambda: is_gone(members))
    assert open_descriptors() == descriptors
    other.close()  # twice does no harm


def test_many_runs_leave_no_descriptor_and_no_process(grader: Grader) -> None:
    assert graded_rightly(grader)
    descriptors = open_descriptors()
    for text in (RIGHT, "1 / 0", "import os\ndef attention(q, k, v): os._exit(0)", "def f(:") * 5:
        grader.grade(make_assignment(), source(text))
    assert open_descriptors() == descriptors
    assert confined_processes(grader) == []
    assert eventually(
        lambda: len(household(grader)) <= 8
    )  # two zygotes, what started them, and a spare fork of each


def test_many_assignments_keep_a_bounded_number_of_descriptors(grader: Grader) -> None:
    assert graded_rightly(grader)
    before, descriptors = memory_files(), open_descriptors()
    for number in range(40):
        grader.grade(make_assignment(f"# {number}\n1 / 0"), source(RIGHT))
    assert open_descriptors() == descriptors
    assert memory_files() <= before + 2 * 32


class Stop(Exception):
    pass


@pytest.mark.parametrize("which", [0, 1], ids=["judge", "child"])
def test_a_zygote_is_found_dead_when_a_new_assignment_comes(which: int, grader: Grader) -> None:
    assert graded_rightly(grader)
    before, descriptors = memory_files(), open_descriptors()
    os.kill(zygote_pids(grader)[which], signal.SIGKILL)
    assert grader.grade(make_assignment(f"# {which}\n{CHECKS}"), source(RIGHT)).points == 2
    assert open_descriptors() == descriptors
    assert memory_files() <= before + 2


def test_whoever_listens_may_raise(grader: Grader) -> None:
    def refuse(result: CheckResult) -> None:
        raise Stop

    assert graded_rightly(grader)
    descriptors = open_descriptors()
    with pytest.raises(Stop):
        grader.grade(make_assignment(), source(RIGHT), on_check=refuse)
    assert open_descriptors() == descriptors
    assert confined_processes(grader) == []
    assert graded_rightly(grader)


@pytest.fixture
def keyboard() -> Iterator[None]:
    """Ctrl-C works: where the tests are a shell's background job, it is ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("keyboard")
def test_an_interrupt_from_the_keyboard_leaves_nothing(grader: Grader) -> None:
    assert graded_rightly(grader)
    descriptors = open_descriptors()

    def interrupt() -> None:
        os.kill(os.getpid(), signal.SIGINT)

    with meanwhile(grader, interrupt), pytest.raises(KeyboardInterrupt):
        grader.grade(make_assignment(limits=LONG), source(HANGS))
    assert open_descriptors() == descriptors
    assert confined_processes(grader) == []
    assert graded_rightly(grader)


def test_two_graders_at_the_same_time(grader: Grader) -> None:
    reports: list[Report] = []
    short = make_assignment(limits=Limits(load_seconds=1))
    with Grader(rung=grader.rung.number) as other:
        thread = threading.Thread(
            target=lambda: reports.append(other.grade(short, source("while True: pass")))
        )
        thread.start()
        assert graded_rightly(grader)
        thread.join()
        assert reports[0].verdict == "time limit"
        assert graded_rightly(grader)
