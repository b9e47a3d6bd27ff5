"""A service: a process that should be running, how one sees that it is ready, how it is asked to end."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from softmark.config.local.trouble import Trouble

_PAUSE = 0.02
_HURRY_SECONDS = 3.0


@dataclass(frozen=True)
class Service:
    name: str
    command: Sequence[str]
    log: Path
    environment: Mapping[str, str]
    is_ready: Callable[[int], bool] = lambda process_id: True
    before: Callable[[], None] = lambda: None  # run before each start
    stop_signal: signal.Signals = signal.SIGTERM
    hurry_signal: signal.Signals = signal.SIGKILL
    patience: float = (
        5.0  # seconds, from the request to end until the hurry signal; a little later it is killed
    )
    descriptors: tuple[int, ...] = ()

    def start(self) -> Child:
        self.before()
        try:
            with self.log.open("ab") as log:
                process = subprocess.Popen(
                    self.command,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=subprocess.STDOUT,
                    env=self.environment,
                    pass_fds=self.descriptors,
                    start_new_session=True,  # Ctrl-C is for the parent, which then ends its children in order
                )
        except OSError as error:
            raise Trouble(f"{self.name} could not be started: {error}.") from error
        return Child(self, process)

    def with_log(self, sentence: str) -> str:
        """The sentence, and the end of the log below it."""
        lines = self._last_lines(5)
        if not lines:
            return f"{sentence}; it left no word in {self.log}."
        return "\n    ".join([f"{sentence}. The end of {self.log}:", *lines])

    def _last_lines(self, count: int) -> list[str]:
        try:
            with self.log.open("rb") as log:
                log.seek(max(0, log.seek(0, os.SEEK_END) - 4096))
                lines = log.read().decode("utf-8", "replace").splitlines()
        except OSError:
            return []
        return [line for line in lines if line.strip() and line[0] not in " \t"][
            -count:
        ]  # no code of tracebacks


class Child:
    """A service's process, and what its descendants left in its session's process group."""

    def __init__(self, service: Service, process: subprocess.Popen[bytes]) -> None:
        self.service = service
        self.process = process
        self.started_at = time.monotonic()

    def has_ended(self) -> bool:
        return self.process.poll() is not None

    def is_ready(self) -> bool:
        return self.service.is_ready(self.process.pid)

    def send(self, number: signal.Signals) -> None:
        if not self.has_ended():
            self.process.send_signal(number)

    def sweep(self) -> None:
        """Kills what is left of the process group: descendants that outlived the process itself."""
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            pass  # nobody is left, or a stranger's group has the number by now
        self.process.wait()

    def was_killed(self) -> bool:
        return self.process.returncode < 0

    def ending(self) -> str:
        """How it ended, as the end of a sentence."""
        code = self.process.returncode
        return (
            f"was killed by {signal.Signals(-code).name}"
            if self.was_killed()
            else f"ended with exit code {code}"
        )


def wait_until_ready(
    children: Sequence[Child], seconds: float = 120.0, meanwhile: Callable[[], None] = lambda: None
) -> None:
    """Raises Trouble where one of them ends, or takes too long. `meanwhile` may raise to give up."""
    until = time.monotonic() + seconds
    for child in children:
        while not child.is_ready():
            meanwhile()
            if child.has_ended():
                raise Trouble(
                    child.service.with_log(f"{child.service.name} {child.ending()} instead of starting")
                )
            if time.monotonic() > until:
                raise Trouble(
                    child.service.with_log(f"{child.service.name} was not ready after {seconds:.0f} s")
                )
            time.sleep(_PAUSE)


def stop(children: Sequence[Child], in_a_hurry: Callable[[], bool] = lambda: False) -> None:
    """Asks all of them to end; hurries, then kills those that have not within their patience."""
    for child in children:
        child.send(child.service.stop_signal)
    asked = time.monotonic()
    hurried: dict[Child, float] = {}
    while waiting := [child for child in children if not child.has_ended()]:
        now = time.monotonic()
        for child in waiting:
            if child not in hurried and (in_a_hurry() or now > asked + child.service.patience):
                child.send(child.service.hurry_signal)
                hurried[child] = now
            elif child in hurried and now > hurried[child] + _HURRY_SECONDS:
                child.send(signal.SIGKILL)
        time.sleep(_PAUSE)
    for child in children:
        child.sweep()
