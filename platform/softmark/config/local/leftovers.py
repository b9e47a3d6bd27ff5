"""Nothing is left running: what a parent that was killed could not end is found and ended.

Run as a program this is the guard, which every parent has beside it. It waits for the parent's word that all is
well; where the parent goes without it, the guard ends what the parent had started. It inherits the lock of the
data folder, so nobody starts there before it is done. It imports the standard library only, and stays small.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

MARK = "SOFTMARK_STARTED_FOR"  # in the environment of all that a parent starts: the data folder
WELL = b"well"
_SERVERS = (
    b"postgres",
    b"valkey-server",
)  # these write down what they have; nothing else has anything to lose
_SERVERS_SECONDS = 15.0


def sweep(folder: Path) -> int:
    """Ends all that was started for the data folder, servers last; returns how many processes that were."""
    servers: Callable[[int], bool] = lambda process: _program(process) in _SERVERS  # noqa: E731
    others = _end(folder, lambda process: not servers(process), signal.SIGKILL, seconds=5.0)
    return others + _end(folder, servers, signal.SIGINT, seconds=_SERVERS_SECONDS)


def _end(folder: Path, which: Callable[[int], bool], number: signal.Signals, seconds: float) -> int:
    until = time.monotonic() + seconds
    asked: set[int] = set()
    while running := {process for process in _started_for(folder) if which(process)}:
        late = time.monotonic() > until
        if late and time.monotonic() > until + 5.0:
            break  # not ours to end after all
        for process in running if late else running - asked:
            with contextlib.suppress(OSError):
                os.kill(process, signal.SIGKILL if late else number)
        asked |= running
        time.sleep(0.02)
    return len(asked)


def _started_for(folder: Path) -> Iterator[int]:
    mark = os.fsencode(f"{MARK}={folder}")
    for name in os.listdir("/proc") if os.path.isdir("/proc") else ():
        if not name.isdigit() or int(name) == os.getpid():
            continue
        # The environment of another account's process may be closed to us; the command line never is.
        if mark in _words(name, "environ") or (
            _program(int(name)) in _SERVERS
            and any(word.startswith(os.fsencode(folder) + b"/") for word in _words(name, "cmdline"))
        ):
            yield int(name)


def _program(process: int) -> bytes:
    return os.path.basename(_words(str(process), "cmdline")[0])


def _words(process: str, file: str) -> list[bytes]:
    try:
        with open(f"/proc/{process}/{file}", "rb") as words:
            return words.read().split(b"\0")
    except OSError:
        return [b""]


def main() -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    if sys.stdin.buffer.read() != WELL:  # returns when the parent says so, or is gone
        sweep(Path(sys.argv[1]))


if __name__ == "__main__":
    main()
