"""The parent of `make run`: what dies is started again, and nothing outlives it, however it ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.services.waiting import eventually, processes_with

if not sys.platform.startswith("linux"):
    pytest.skip("processes are found in /proc", allow_module_level=True)

PROGRAM = Path(__file__).with_name("supervised.py")


class Run:
    """A parent in a process of its own, as a terminal would start it."""

    def __init__(self, folder: Path, *services: str) -> None:
        self.folder = folder
        self.output = folder.parent / f"{folder.name}.output"
        with self.output.open("ab") as output:
            self.process = subprocess.Popen(
                [sys.executable, str(PROGRAM), str(folder), *services],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )

    def said(self) -> str:
        return self.output.read_text()

    def says(self, words: str) -> bool:
        return eventually(lambda: words in self.said())

    def running(self, name: str) -> list[int]:
        return processes_with(f"{name}-of-{self.folder}")

    def guard(self) -> int:
        (guard,) = [
            each for each in processes_with("leftovers.py") if each in processes_with(str(self.folder))
        ]
        return guard

    def nothing_is_left(self) -> bool:
        return eventually(lambda: not processes_with(str(self.folder)))


Start = Callable[..., Run]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    runs: list[Run] = []

    def start(*services: str) -> Run:
        run = Run(tmp_path / "data", *services)
        runs.append(run)
        return run

    yield start
    for run in runs:
        if run.process.poll() is None:
            run.process.terminate()
        run.process.wait(120)
    for run in runs:
        assert run.nothing_is_left(), run.said()


@pytest.fixture
def running(start: Start) -> Run:
    run = start("one", "two=stubborn", "three=family")
    assert run.says("all started"), run.said()
    return run


def test_what_is_killed_is_started_again_and_said(running: Run) -> None:
    (one,) = running.running("one")
    os.kill(one, signal.SIGKILL)
    assert running.says("one was killed by SIGKILL; it is started again")
    assert eventually(lambda: running.running("one") not in ([], [one]))


def test_what_a_dead_service_left_in_its_group_goes_before_it_starts_again(start: Start) -> None:
    run = start("three=family")
    assert run.says("all started")
    assert eventually(lambda: len(run.running("three")) == 3)
    before = run.running("three")
    main = next(
        each for each in before if os.getsid(each) == each and os.getpgid(each) == each and is_parent(each)
    )
    os.kill(main, signal.SIGKILL)
    assert run.says("it is started again")
    assert eventually(lambda: len(set(run.running("three")) - set(before)) == 3)


def test_what_dies_at_once_is_tried_at_ever_longer_intervals_and_its_words_are_shown(start: Start) -> None:
    run = start("fickle=brief", "one")
    for pause in ("0.5", "1.0", "2.0"):
        assert run.says(f"fickle ended with exit code 3; it is started again in {pause} s")
    assert "there is nothing to do" in run.said()
    assert run.running("one")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_nothing_is_left_when_it_is_asked_to_end(running: Run, number: signal.Signals) -> None:
    running.process.send_signal(number)
    assert running.process.wait(120) == 0
    assert running.nothing_is_left()
    assert "the end" in running.said()
    assert "Traceback" not in running.said()


def test_a_second_and_a_third_ctrl_c_leave_nothing_either(running: Run) -> None:
    for _ in range(3):
        running.process.send_signal(signal.SIGINT)
    assert running.process.wait(120) == 0
    assert running.nothing_is_left()
    assert "Traceback" not in running.said()


def test_ctrl_c_while_it_starts(start: Start) -> None:
    run = start("one", "two=never")
    assert eventually(lambda: len(run.running("two")) == 1)
    run.process.send_signal(signal.SIGINT)
    assert run.process.wait(120) == 0
    assert run.nothing_is_left()
    assert "stopped early" in run.said()


def test_nothing_is_left_when_the_parent_is_killed(running: Run) -> None:
    assert eventually(lambda: len(running.running("three")) == 3)
    running.process.kill()
    running.process.wait()
    assert running.nothing_is_left()


def test_the_next_start_waits_until_the_killed_parents_rest_is_gone(start: Start) -> None:
    first = start("one=stubborn")
    assert first.says("all started")
    (one,) = first.running("one")
    first.process.kill()
    second = start("one")
    assert eventually(lambda: second.said().count("all started") == 2), second.said()
    assert one not in second.running("one")


def test_the_next_start_ends_what_a_killed_parent_and_its_killed_guard_left(start: Start) -> None:
    first = start("three=family")
    assert first.says("all started")
    assert eventually(lambda: len(first.running("three")) == 3)
    os.kill(first.process.pid, signal.SIGSTOP)
    os.kill(first.guard(), signal.SIGKILL)
    first.process.kill()
    first.process.wait()
    left = set(first.running("three"))
    assert len(left) == 3
    second = start("one")
    assert second.says("The last run was killed; what it had left running has been ended.")
    assert eventually(lambda: second.said().count("all started") == 2), second.said()
    assert not left & set(second.running("three"))


def test_a_killed_guard_is_replaced(running: Run) -> None:
    first = running.guard()
    os.kill(first, signal.SIGKILL)
    assert eventually(
        lambda: len(processes_with("leftovers.py")) > 0 and guard_of(running) not in (None, first)
    )
    running.process.kill()
    running.process.wait()
    assert running.nothing_is_left()


def test_a_second_start_says_that_and_where_the_first_is_running(running: Run, start: Start) -> None:
    second = start("one")
    assert second.process.wait(120) == 1
    assert f"already running at http://a.place, as process {running.process.pid}" in second.said()
    assert running.running("one")


def guard_of(run: Run) -> int | None:
    try:
        return run.guard()
    except ValueError:
        return None


def is_parent(process: int) -> bool:
    return bool(Path(f"/proc/{process}/task/{process}/children").read_text().split())
