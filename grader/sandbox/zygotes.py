"""The worker's side of the zygotes: starting them, asking for forks, hearing how those ended."""

from __future__ import annotations

import itertools
import json
import os
import select
import signal
import socket
import subprocess
import time
from dataclasses import dataclass
from typing import Any

from . import ladder, view
from .inside import CUPY, MAX_DESCRIPTORS, MESSAGE_BYTES, NUMPY
from .ladder import Rung
from .view import View

START_SECONDS = 30.0
_REPLY_SECONDS = 20.0
_PROBE_SECONDS = 60.0  # a GPU that nobody has used for a while takes its time
_PROBE_MEMORY = 1 << 30
_PROBE_SAYS = 2_000
_UIDS_PER_ZYGOTE = 64
_FIRST_UID = 200_000
_SCHEDULED_TIME = 2  # in the clock of another process: ~pid << 3 | 2, as clock_getcpuclockid(3) makes it
_BOOT = (
    "import sys, json, importlib; config = json.loads(sys.argv.pop()); sys.path.extend(config['search']); "
    "importlib.import_module(config['module']).main(config)"
)
_WITHOUT = "To try out your own code here without a sandbox, add --local."
_counter = itertools.count()


class ZygoteLost(Exception):
    """A zygote did not start, or has died: the platform's fault, never the student's."""


@dataclass(frozen=True)
class Ended:
    """How a fork ended, as its zygote saw it."""

    status: int  # as from wait()
    cpu_seconds: float = 0.0
    peak_bytes: int = 0


class Zygote:
    """One zygote process and the socket to it. Start it from a thread that outlives it: it dies with that thread."""

    def __init__(self, rung: Rung, role: View) -> None:
        self.role = role.role
        self._arrays = role.arrays
        self.pidfds: dict[int, int] = {}
        self.ended: dict[int, Ended] = {}
        self._jobs = itertools.count(1)
        self.control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.control.setblocking(False)
        config = {
            "control": theirs.fileno(),
            "namespaces": rung.namespaces,
            "landlock": rung.landlock,
            "paths": rung.landlock or rung.namespaces,
            "first_uid": _FIRST_UID + (os.getpid() % 2048 * 16 + next(_counter) % 16) * _UIDS_PER_ZYGOTE,
            "uids": _UIDS_PER_ZYGOTE,
            "readable": view.readable_inside(role) if rung.namespaces else view.readable_outside(role),
            "writable": view.writable_inside(role),
            "device": role.device,
            "preload": role.preload,
            "listable": [] if rung.namespaces else view.listable_outside(),
            "search": view.search_path(role, inside=rung.namespaces),
            "module": role.module,
            "imports": rung.namespaces or (rung.landlock and view.is_open_to_all()),
        }
        python = [view.interpreter(), "-S", "-s", "-P", "-B", "-X", "utf8", "-c", _BOOT, json.dumps(config)]
        try:
            self.process = subprocess.Popen(
                [*ladder.command(rung, role), *python],
                env=_environment(role.arrays),
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                start_new_session=True,  # Ctrl-C is for the worker, which then ends its zygotes in order
            )
        except OSError as error:
            self.control.close()
            raise ZygoteLost(f"it could not be started: {error}") from error
        finally:
            theirs.close()

    def wait_until_ready(self) -> dict[str, Any]:
        """What the zygote found on its machine. Raises ZygoteLost with the last line it said."""
        try:
            message, descriptors = self._receive(START_SECONDS)
        except ZygoteLost:
            assert self.process.stderr is not None
            self.process.kill()
            said = self.process.stderr.read().decode("utf-8", "replace").strip().splitlines()
            self.close()
            raise ZygoteLost(said[-1] if said else "it ended without a word") from None
        self.pid = _pid_of(descriptors[0])
        os.close(descriptors[0])
        ready: dict[str, Any] = message["ready"]
        return ready

    def spawn(self, descriptors: list[int], *, memory_bytes: int, cpu_seconds: int, **job: Any) -> int:
        """Asks for a fork; returns its job number. Memory counts above what the zygote itself takes."""
        number = next(self._jobs)
        message = {
            **job,
            "job": number,
            "arrays": self._arrays,
            "memory_bytes": memory_bytes,
            "address_space": self._address_space() + memory_bytes,
            "cpu_seconds": cpu_seconds,
        }
        try:
            socket.send_fds(self.control, [json.dumps(message).encode()], descriptors)
        except OSError as error:
            raise ZygoteLost(f"the {self.role}'s zygote has died") from error
        return number

    def probe(self, seconds: float = _PROBE_SECONDS) -> str:
        """The device that its forks compute on, tried out by one that holds no submission: its name.

        Raises ZygoteLost where it is not to be had.
        """
        reading, writing = os.pipe()
        try:
            try:
                number = self.spawn([writing], memory_bytes=_PROBE_MEMORY, cpu_seconds=int(_PROBE_SECONDS))
            finally:
                os.close(writing)
            said = _read_until_end(reading, seconds).decode("utf-8", "replace")
            self.kill(number)
            status = self.reap(number).status
        finally:
            os.close(reading)
        lines = said.strip().splitlines() or [f"the process that tried it ended with status {status}"]
        if status != 0:
            raise ZygoteLost(f"no GPU can be used in the sandbox: {lines[-1]}")
        return lines[-1]

    def hear(self, *, wait: bool) -> bool:
        """Takes in one message, if there is one or `wait` is set. Raises ZygoteLost."""
        try:
            message, descriptors = self._receive(_REPLY_SECONDS if wait else 0)
        except BlockingIOError:
            return False
        if "started" in message:
            self.pidfds[message["started"]] = descriptors[0]
        else:
            self.ended[message["ended"]] = Ended(
                message["status"], message["cpu_seconds"], message["peak_bytes"]
            )
        return True

    def signal_and_time(self, number: int, what: signal.Signals | None) -> int:
        """Sends a signal, if one is given, and tells the nanoseconds of processor time that a fork has taken so far; 0
        where it has ended.
        """
        while number not in self.pidfds and number not in self.ended:
            self.hear(wait=True)
        if number in self.ended:
            return 0
        try:
            if what is not None:
                signal.pidfd_send_signal(self.pidfds[number], what)
            pid = _pid_of(self.pidfds[number])
            return time.clock_gettime_ns(~pid << 3 | _SCHEDULED_TIME) if pid > 0 else 0
        except OSError:  # it has just ended
            return 0

    def kill(self, number: int) -> None:
        """Kills a fork and all it left, if it still runs."""
        while number not in self.pidfds and number not in self.ended:
            self.hear(wait=True)
        if number not in self.ended:
            _kill(self.pidfds[number])

    def reap(self, number: int) -> Ended:
        """Waits until a killed fork is gone; forgets it."""
        while number not in self.ended or number not in self.pidfds:
            self.hear(wait=True)
        os.close(self.pidfds.pop(number))
        return self.ended.pop(number)

    def abandon(self) -> None:
        """After the zygote was lost: its forks die with it; make sure of it."""
        for pidfd in self.pidfds.values():
            _kill(pidfd)
            os.close(pidfd)
        self.pidfds.clear()
        self.close()

    def close(self) -> None:
        self.control.close()
        try:
            self.process.wait(1)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        if self.process.stderr is not None:
            self.process.stderr.close()

    def _receive(self, seconds: float) -> tuple[dict[str, Any], list[int]]:
        """The next message. Raises BlockingIOError where there is none and `seconds` is 0, else ZygoteLost."""
        if seconds:
            poll = select.poll()
            poll.register(self.control, select.POLLIN)
            if not poll.poll(seconds * 1000):
                raise ZygoteLost(f"the {self.role}'s zygote does not answer")
        try:
            raw, descriptors, _, _ = socket.recv_fds(self.control, MESSAGE_BYTES, MAX_DESCRIPTORS)
        except ConnectionError:
            raw, descriptors = b"", []
        if not raw:
            raise ZygoteLost(f"the {self.role}'s zygote has died")
        return json.loads(raw), descriptors

    def _address_space(self) -> int:
        try:
            with open(f"/proc/{self.pid}/statm") as statm:
                return int(statm.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
        except OSError as error:
            raise ZygoteLost(f"the {self.role}'s zygote has died") from error


class ZygotePair:
    """The two zygotes that serve one submission at a time, on one rung.

    device: what submissions compute on, in words.
    """

    def __init__(self, rung: Rung, arrays: str = NUMPY) -> None:
        """arrays: the library that submissions are given arrays of. Raises ZygoteLost where the machine does not offer
        the rung, or not with that library.
        """
        if reason := ladder.obstacle(rung, device=arrays != NUMPY):
            raise ZygoteLost(reason)
        self.rung = rung
        try:
            child_view = view.child_view(arrays)
        except ModuleNotFoundError as missing:
            raise ZygoteLost(f"{missing}") from missing
        self.judge = Zygote(rung, view.judge_view())
        try:
            self.child = Zygote(rung, child_view)
        except ZygoteLost:
            self.judge.close()
            raise
        try:
            self._check(self.judge.wait_until_ready(), device=False)
            self._check(self.child.wait_until_ready(), device=child_view.device)
            self.device = self.child.probe() if child_view.device else "cpu"
        except ZygoteLost:
            self.close()
            raise

    def _check(self, ready: dict[str, Any], *, device: bool) -> None:
        if self.rung.number == 1 and not ready["throw_away_uid"]:
            raise ZygoteLost("a process cannot change to a throw-away user")
        # With a device there is a /proc, where more could be written than CUDA has to.
        if self.rung.landlock and (device or not self.rung.namespaces) and not ready["landlock"]:
            raise ZygoteLost("this kernel has no Landlock")

    def close(self) -> None:
        for zygote in (self.judge, self.child):
            zygote.abandon()


def open_pair(exactly: int | None, minimum: int | None, arrays: str = NUMPY) -> ZygotePair:
    """The strongest rung that the machine offers, or exactly the one asked for.

    arrays: as in ZygotePair.
    minimum: the weakest that will do, by default rung 3; what the operator set is never gone below. Raises
    SandboxUnavailable.
    """
    limits = [limit for limit in (minimum, ladder.minimum_from_environment()) if limit is not None]
    allowed = min(limits, default=None)
    if exactly is not None:
        if allowed is not None and exactly > allowed:
            raise ladder.SandboxUnavailable(
                f"Rung {exactly} is weaker than rung {allowed}, the weakest allowed here."
            )
        try:
            return ZygotePair(ladder.rung(exactly), arrays)
        except ZygoteLost as error:
            raise ladder.SandboxUnavailable(
                f"Rung {exactly} cannot be had on this machine: {error}. {_WITHOUT}"
            ) from error
    weakest = allowed or ladder.DEFAULT_MINIMUM
    reasons = []
    for rung in ladder.RUNGS[:weakest]:
        try:
            return ZygotePair(rung, arrays)
        except ZygoteLost as error:
            reasons.append(f"rung {rung.number}: {error}")
    what = f"No sandbox of rung {weakest} or stronger" + ("" if arrays == NUMPY else " with a GPU")
    raise ladder.SandboxUnavailable(f"{what} can be had on this machine ({'; '.join(reasons)}). {_WITHOUT}")


def _environment(arrays: str) -> dict[str, str]:
    inherited = {"OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE"}
    fixed = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "PYTHONHASHSEED": "0", "LANG": "C.UTF-8"}
    if arrays == CUPY:
        inherited |= {"LD_LIBRARY_PATH", "CUDA_PATH", "CUDA_VISIBLE_DEVICES"}
        # No file can be written there; and the same submission is to have the same random numbers.
        fixed |= {"CUPY_CACHE_IN_MEMORY": "1", "CUDA_CACHE_DISABLE": "1", "CUPY_SEED": "0"}
        fixed |= {"CUPY_CACHE_DIR": ladder.WORK}  # at its import CuPy makes that folder where it is not there
        # Every process compiles its kernels anew: a sum takes 0.1 s so, and 3 s with the headers of CUB.
        fixed |= {"CUPY_ACCELERATORS": ""}
    own = {name: value for name, value in os.environ.items() if name in inherited} | fixed
    # Without it what is not among the wheels is looked for by a process, and none can be started there.
    if arrays == CUPY and os.path.isdir(view.USUAL_CUDA):
        own.setdefault("CUDA_PATH", view.USUAL_CUDA)
    return own


def _read_until_end(fd: int, seconds: float) -> bytes:
    """What comes before the other end is closed, or time is up; the end of it where it is much."""
    until = time.monotonic() + seconds
    poll = select.poll()
    poll.register(fd, select.POLLIN)
    said = b""
    while True:
        left = until - time.monotonic()
        if left <= 0 or not poll.poll(left * 1000):
            break
        data = os.read(fd, _PROBE_SAYS)
        if not data:
            break
        said = (said + data)[-_PROBE_SAYS:]
    return said


def _pid_of(pidfd: int) -> int:
    """A zygote's process id as this process counts, whatever its own namespace says."""
    with open(f"/proc/self/fdinfo/{pidfd}") as info:
        return next(int(line.split()[1]) for line in info if line.startswith("Pid:"))


def _kill(pidfd: int) -> None:
    try:
        signal.pidfd_send_signal(pidfd, signal.SIGKILL)
    except ProcessLookupError:
        pass
