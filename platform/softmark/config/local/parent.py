"""The parent: starts services, starts them again when they die, ends all of them together."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from types import FrameType

from softmark.config.local import leftovers
from softmark.config.local.folder import Folder
from softmark.config.local.logs import LogReader
from softmark.config.local.service import Child, Service, stop, wait_until_ready
from softmark.config.local.trouble import Trouble

LOOK_SECONDS = 1.0  # how often logs are looked at
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 30.0  # before a dead service is started again
_LIVED_WELL = 60.0  # seconds, after which a death counts as the first again


class Stopped(Exception):
    """Somebody asked for the end before everything had started."""


class Parent:
    """Owns the processes of one data folder. Everything happens in one thread; signals only leave a note."""

    def __init__(self, folder: Folder, say: Callable[[str], None]) -> None:
        self._folder, self._say = folder, say
        self._running: dict[str, Child] = {}
        self._readers: dict[str, LogReader] = {}
        self._pauses: dict[str, float] = {}  # how long the next one is
        self._due: dict[str, tuple[float, Service]] = {}  # dead services, and when they are started again
        self._asked = 0
        self._bell, ring = os.pipe()
        for end in (self._bell, ring):
            os.set_blocking(end, False)
        signal.set_wakeup_fd(ring, warn_on_full_buffer=False)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._ask)
        signal.signal(signal.SIGCHLD, lambda *_: None)  # only so that it rings
        if leftovers.sweep(folder.path):
            say("The last run was killed; what it had left running has been ended.")
        self._guard = self._start_guard()

    # -- starting

    def start(self, service: Service) -> Child:
        child = service.start()
        self._running[service.name] = child
        self._readers.setdefault(service.name, LogReader(service.name, service.log)).skip()
        return child

    def wait(self, children: Sequence[Child]) -> None:
        """Until they are ready. Raises Trouble, or Stopped."""
        wait_until_ready(children, meanwhile=self.check)

    def finish(self, service: Service) -> None:
        """Runs to its end what is not a service but a job. Raises Trouble where it fails, or Stopped."""
        child = service.start()
        try:
            while not child.has_ended():
                self.check()
                self._sleep(LOOK_SECONDS)
        finally:
            stop([child], lambda: self._asked > 1)
        if child.process.returncode != 0:
            raise Trouble(service.with_log(f"{service.name} {child.ending()}"))

    def check(self) -> None:
        """Raises Stopped where somebody has asked for the end."""
        if self._asked:
            raise Stopped

    # -- watching

    def watch(self) -> None:
        """Returns when somebody asks for the end."""
        while not self._asked:
            for name, child in list(self._running.items()):
                if child.has_ended():
                    self._bury(name, child)
            for name, (when, service) in list(self._due.items()):
                if time.monotonic() >= when:
                    self._revive(name, service)
            for reader in self._readers.values():
                for line in reader.wrong():
                    self._say(line)
            if self._guard.poll() is not None:
                self._guard = self._start_guard()
            self._sleep(min([LOOK_SECONDS, *(when - time.monotonic() for when, _ in self._due.values())]))

    def _bury(self, name: str, child: Child) -> None:
        child.sweep()
        del self._running[name]
        if time.monotonic() - child.started_at > _LIVED_WELL:
            self._pauses.pop(name, None)
        pause = self._pauses.get(name, FIRST_PAUSE)
        self._pauses[name] = min(2 * pause, LONGEST_PAUSE)
        self._due[name] = (time.monotonic() + pause, child.service)
        self._readers[name].skip()
        sentence = f"{name} {child.ending()}; it is started again in {pause:.1f} s"
        # Who was killed from outside does not know why.
        self._say(f"{sentence}." if child.was_killed() else child.service.with_log(sentence))

    def _revive(self, name: str, service: Service) -> None:
        del self._due[name]
        try:
            self.start(service)
        except Trouble as trouble:
            pause = self._pauses[name] = min(2 * self._pauses.get(name, FIRST_PAUSE), LONGEST_PAUSE)
            self._due[name] = (time.monotonic() + pause, service)
            self._say(str(trouble))

    # -- ending

    def stop(self, order: Sequence[Sequence[str]]) -> None:
        """Ends the services named together in each step, step by step, then all that is left of anything."""
        if self._asked:
            self._say("\nStopping everything (Ctrl-C again: at once) ...")
        for step in order:
            stop([self._running.pop(name) for name in step if name in self._running], lambda: self._asked > 1)
        stop(list(self._running.values()), lambda: self._asked > 1)
        leftovers.sweep(self._folder.path)
        with suppress(OSError):
            assert self._guard.stdin is not None
            self._guard.stdin.write(leftovers.WELL)
            self._guard.stdin.close()
        self._guard.wait()
        signal.set_wakeup_fd(-1)

    def _start_guard(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-S", "-E", leftovers.__file__, str(self._folder.path)],
            stdin=subprocess.PIPE,
            pass_fds=[self._folder.lock],
            start_new_session=True,  # so that nothing meant for the parent's group or terminal reaches it
            bufsize=0,
        )

    def _ask(self, number: int, frame: FrameType | None) -> None:
        self._asked += 1

    def _sleep(self, seconds: float) -> None:
        """Until a signal comes, or a child ends, or the time is over."""
        select.select([self._bell], [], [], max(0.0, seconds))
        with suppress(BlockingIOError):
            while os.read(self._bell, 4096):
                pass
