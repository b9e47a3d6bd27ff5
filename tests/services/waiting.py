"""Waiting for what another process does, and seeing which processes there are."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path


def eventually(condition: Callable[[], bool], seconds: float = 120.0) -> bool:
    until = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > until:
            return False
        time.sleep(0.02)
    return True


def processes_with(word: str) -> list[int]:
    """Those that have the word in their environment or command line, other than this one."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "environ").read_bytes() + (folder / "cmdline").read_bytes()
        except OSError:
            continue
        if os.fsencode(word) in words and int(folder.name) != os.getpid():
            found.append(int(folder.name))
    return found
