"""The zygotes themselves: what they hold, what their forks may still do, and what they answer to the worker."""

from __future__ import annotations

import json
import os
import re
import select
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from grader.checks import Failed
from grader.grade import Grader
from grader.sandbox.children import explain
from grader.sandbox.inside import MESSAGE_BYTES, OUT_OF_MEMORY, frames
from grader.sandbox.inside.frames import Kind
from grader.sandbox.peer import Peer
from grader.sandbox.zygotes import Ended, Zygote, ZygoteLost
from tests.grader.sandbox.conftest import CHECKS, RIGHT, make_assignment, source
from tests.grader.sandbox.surroundings import (
    SECRET,
    confined_processes,
    file_of,
    status,
    zygote_config,
    zygote_pids,
)


class BareChild:
    """A fork of the child's zygote, without a session: the test is worker and judge."""

    def __init__(
        self, zygote: Zygote, text: str, memory_bytes: int = 512 << 20, cpu_seconds: int = 5
    ) -> None:
        self.zygote = zygote
        call_out, call_in = os.pipe()
        reply_out, reply_in = os.pipe()
        self.output, output_in = os.pipe()
        self.fds = [call_in, reply_out, self.output]
        self.peer = Peer(call_in, reply_out)
        raw = text.encode()
        source_fd = file_of(raw)
        try:
            self.job = zygote.spawn(
                [output_in, call_out, reply_in, source_fd], memory_bytes=memory_bytes, cpu_seconds=cpu_seconds,
                source_bytes=len(raw), function="attention", class_form=None,
            )  # fmt: skip
        finally:
            for fd in (output_in, call_out, reply_in, source_fd):
                os.close(fd)

    def loaded(self) -> Kind:
        return Kind(self.peer.header(0, (Kind.READY, Kind.ERROR), time.monotonic() + 60).kind)

    def pid(self) -> int:
        while self.job not in self.zygote.pidfds:
            self.zygote.hear(wait=True)
        info = Path(f"/proc/self/fdinfo/{self.zygote.pidfds[self.job]}").read_text()
        return int(re.search(r"^Pid:\s*(\d+)", info, re.MULTILINE)[1])  # type: ignore[index]

    def end(self) -> Ended:
        self.zygote.kill(self.job)
        ended = self.zygote.reap(self.job)
        for fd in self.fds:
            os.close(fd)
        return ended

    def ends_by_itself(self) -> Ended:
        until = time.monotonic() + 60
        while self.job not in self.zygote.ended and time.monotonic() < until:
            select.select([self.zygote.control], [], [], 0.1)
            self.zygote.hear(wait=False)
        assert self.job in self.zygote.ended, "it did not end"
        return self.end()


@contextmanager
def bare_child(grader: Grader, text: str = RIGHT) -> Iterator[BareChild]:
    assert grader._zygotes is not None
    child = BareChild(grader._zygotes.child, text)
    try:
        yield child
    finally:
        child.end()


def test_a_fork_has_given_up_what_it_had(grader: Grader) -> None:
    """As the kernel tells it, from outside."""
    with bare_child(grader) as child:
        assert child.loaded() is Kind.READY
        told = status(child.pid())
        limits = Path(f"/proc/{child.pid()}/limits").read_text()
    assert {told[name] for name in ("CapInh", "CapPrm", "CapEff", "CapAmb")} == {"0" * 16}
    assert told["NoNewPrivs"] == "1"
    assert told["Seccomp"] == "2"
    assert told["Threads"] == "1"
    if grader.rung.number == 1:
        config = zygote_config(zygote_pids(grader)[1])
        own = range(config["first_uid"], config["first_uid"] + 64)
        assert {int(uid) in own for uid in told["Uid"].split()} == {True}
        assert {int(gid) in own for gid in told["Gid"].split()} == {True}
        assert told["Groups"] == ""
    assert re.search(r"Max file size\s+0\s+0", limits)
    assert re.search(r"Max core file size\s+0\s+0", limits)
    assert re.search(r"Max open files\s+32\s+32", limits)
    assert not re.search(r"Max address space\s+unlimited", limits)
    assert not re.search(r"Max cpu time\s+unlimited", limits)


def test_forks_have_users_of_their_own(grader: Grader) -> None:
    if grader.rung.number == 2 or os.geteuid() != 0:
        pytest.skip("only root can give away users")
    seen = set()
    for _ in range(3):
        with bare_child(grader) as child:
            child.loaded()
            seen.add(status(child.pid())["Uid"])
    assert len(seen) == 3
    judge, child_zygote = (zygote_config(pid) for pid in zygote_pids(grader))
    assert abs(judge["first_uid"] - child_zygote["first_uid"]) >= 64


def test_a_fork_sees_no_other_processes(grader: Grader) -> None:
    namespaces = "pid mnt net ipc uts".split() if grader.rung.namespaces else []
    with bare_child(grader) as child:
        child.loaded()
        for name in namespaces:
            theirs = os.stat(f"/proc/{child.pid()}/ns/{name}").st_ino if os.geteuid() == 0 else -1
            assert theirs != os.stat(f"/proc/self/ns/{name}").st_ino, name
        if grader.rung.namespaces:
            assert status(child.pid())["NSpid"].split()[-1] == "1", (
                "it is the first process of its own namespace"
            )


def test_the_childs_zygote_holds_no_secret(grader: Grader, monkeypatch: pytest.MonkeyPatch) -> None:
    """All of its memory is searched, after an assignment was graded."""
    monkeypatch.setenv("SECRET", SECRET)
    grader.grade(make_assignment(), source(RIGHT))
    wanted = [
        b"oracle-of-the-judge",
        SECRET.encode(),
        b"property_check",
        b"scores.max(-1, keepdims=True))\n    right",
    ]
    assert all(word in (CHECKS + SECRET).encode() for word in wanted)
    pid = zygote_pids(grader)[1]
    try:
        assert in_memory(pid, b"OPENBLAS_NUM_THREADS"), "the search finds what is there"
        found = [word for word in wanted if in_memory(pid, word)]
    except PermissionError:
        pytest.skip("this user may not read the zygote's memory, which is as it should be")
    assert found == []


def in_memory(pid: int, word: bytes) -> bool:
    with open(f"/proc/{pid}/maps") as maps, open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
        for line in maps:
            start, end = (int(part, 16) for part in line.split()[0].split("-"))
            if "w" not in line.split()[1]:
                continue
            try:
                memory.seek(start)
                if word in memory.read(end - start):
                    return True
            except OSError:
                continue
    return False


def test_a_zygote_shares_no_memory_that_can_be_written(grader: Grader) -> None:
    for pid in zygote_pids(grader):
        try:
            maps = Path(f"/proc/{pid}/maps").read_text()
        except PermissionError:
            pytest.skip("this user may not look at the zygote's memory, which is as it should be")
        assert [line for line in maps.splitlines() if re.match(r"\S+ .w.s", line)] == []


def test_a_zygote_knows_neither_the_workers_environment_nor_its_descriptors(
    grader: Grader, monkeypatch: pytest.MonkeyPatch
) -> None:
    for pid in zygote_pids(grader):
        try:
            environment = Path(f"/proc/{pid}/environ").read_bytes()
            open_files = [os.readlink(f"/proc/{pid}/fd/{fd}") for fd in os.listdir(f"/proc/{pid}/fd")]
        except PermissionError:
            pytest.skip("this user may not look, which is as it should be")
        names = {entry.split(b"=")[0] for entry in environment.split(b"\0") if entry}
        known = (
            b"OPENBLAS_NUM_THREADS OMP_NUM_THREADS PYTHONHASHSEED LANG PWD OPENBLAS_CORETYPE OPENBLAS_L2_SIZE"
        )
        assert names <= set(known.split())
        kinds = {re.sub(r"[:/\[].*", "", name) or name for name in open_files}
        assert kinds <= {"", "socket", "pipe", "anon_inode", "/dev/null"}, open_files


@pytest.mark.parametrize(
    ("text", "verdict", "words"),
    [
        ("import os\nos._exit(3)", "crashed", "exit code 3"),
        ("import ctypes\nctypes.string_at(8)", "crashed", "segmentation fault"),
        ("import os\nos.abort()", "crashed", ""),
        ("import ctypes\nctypes.CDLL(None).syscall(101, 0, 0, 0, 0)", "crashed", "forbidden"),
    ],
)
def test_the_worker_hears_how_a_fork_ended(text: str, verdict: str, words: str, best_grader: Grader) -> None:
    assert best_grader._zygotes is not None
    ended = BareChild(best_grader._zygotes.child, text).ends_by_itself()
    told, message = explain(ended.status)
    assert told == verdict
    assert words in message
    assert 0 <= ended.cpu_seconds < 5
    assert ended.peak_bytes > 1 << 20


def test_every_way_to_end_has_words() -> None:
    """Python knows no names for the signals from 35 to 63; the worker must not fall over one."""
    for number in range(1, 65):
        verdict, message = explain(number)
        assert verdict in ("crashed", "time limit")
        assert message.endswith(".")
    for code in range(256):
        verdict, message = explain(code << 8)
        assert verdict == ("memory limit" if code == OUT_OF_MEMORY else "crashed")
        assert message.endswith(".")


def test_the_processors_time_is_bounded_behind_the_clock(best_grader: Grader) -> None:
    assert best_grader._zygotes is not None
    ended = BareChild(best_grader._zygotes.child, "while True: pass", cpu_seconds=1).ends_by_itself()
    assert os.WIFSIGNALED(ended.status)
    assert os.WTERMSIG(ended.status) in (signal.SIGXCPU, signal.SIGKILL)
    assert ended.cpu_seconds >= 0.9


def test_two_children_at_once_and_out_of_order(grader: Grader) -> None:
    with bare_child(grader) as first, bare_child(grader, "1 / 0") as second:
        assert second.loaded() is Kind.ERROR
        assert first.loaded() is Kind.READY
        parts = frames.pack_call(7, [np.ones((2, 2)), np.ones((2, 2)), None], {}, digest=False)
        first.peer.send(parts, time.monotonic() + 60)
        header = first.peer.header(7, (Kind.ARRAY,), time.monotonic() + 60)
        assert header.lengths[:2] == (2, 2)
    assert confined_processes(grader) == []


def test_a_child_whose_judge_goes_ends(grader: Grader) -> None:
    assert grader._zygotes is not None
    child = BareChild(grader._zygotes.child, RIGHT)
    child.loaded()
    os.close(child.fds.pop(0))
    assert os.WIFEXITED(child.ends_by_itself().status)


def test_a_job_that_is_too_large_to_be_told_is_the_platforms_fault(best_grader: Grader) -> None:
    """Nothing of such a size is sent: if something is, the zygote may fall, but the worker hears of it."""
    with Grader(rung=best_grader.rung.number) as grader:
        assert grader._zygotes is not None
        with pytest.raises(ZygoteLost):
            send_too_much(grader._zygotes.child)


def send_too_much(zygote: Zygote) -> None:
    zygote.spawn([0], memory_bytes=0, cpu_seconds=1, junk="x" * (4 * MESSAGE_BYTES))
    while True:
        zygote.hear(wait=True)


def test_messages_of_the_largest_assignments_fit() -> None:
    """The longest job there can be, by the limits of the manifest, is far below what one message may hold."""
    job = {"bundle_bytes": 2**40, "quoted_bytes": 2**40, "seed": 2**64, "function": "f" * 80, "naming": True}
    assert len(json.dumps(job)) < MESSAGE_BYTES // 8


def test_memory_counts_above_what_the_zygote_takes(grader: Grader) -> None:
    fits = "import numpy as np\nkept = np.ones(300 << 17)\n" + RIGHT
    with bare_child(grader, fits) as child:
        assert child.loaded() is Kind.READY
    too_much = "import numpy as np\nkept = np.empty(600 << 17)\n" + RIGHT
    with bare_child(grader, too_much) as child:
        assert child.loaded() is Kind.ERROR


def test_nobody_waits_for_a_child_that_says_nothing(best_grader: Grader) -> None:
    with bare_child(best_grader, "while True: pass") as child:
        started = time.monotonic()
        with pytest.raises(Failed):
            child.peer.read(1, time.monotonic() + 0.1)
        assert time.monotonic() - started < 5
