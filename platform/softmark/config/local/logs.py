"""What the services write down goes to files. Only what says that something is wrong is shown on the terminal too."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path

# As PostgreSQL, Valkey, Gunicorn and structlog (for people, and as JSON) write a line that says so.
_WRONG = re.compile(
    r"\b(FATAL|PANIC):|# .*\b(error|failed)\b|\[(error|critical) *\]|\"level\": ?\"(error|critical)\"|^\w*Error\b",
    re.IGNORECASE,
)
_REFUSED = re.compile(r"sandbox_unavailable .*?reason=(?P<quote>['\"])(?P<reason>.*?)(?P=quote)(?:\s|$)")
_VARYING = re.compile(r"[\d.:+-]+[TZ]?")  # times and numbers
_SILENCE = 600.0  # seconds before the same line is shown again
_LINES_A_MINUTE = 5  # of one service
_WIDTH = 200


class LogReader:
    """Reads one service's log as it grows."""

    def __init__(self, name: str, path: Path) -> None:
        self._name, self._path = name, path
        self._offset = 0
        self._last_shown: dict[str, float] = {}
        self._minute, self._in_minute = 0.0, 0

    def skip(self) -> None:
        """What is there has been told already."""
        try:
            self._offset = self._path.stat().st_size
        except OSError:
            self._offset = 0

    def wrong(self) -> list[str]:
        """What is to be shown of the lines that are new."""
        try:
            with self._path.open("rb") as log:
                log.seek(self._offset)
                new = log.read(1 << 20)
        except OSError:
            return []
        whole = new[: new.rfind(b"\n") + 1] if len(new) < 1 << 20 else new
        self._offset += len(whole)
        lines = [line for line in whole.decode("utf-8", "replace").splitlines() if _WRONG.search(line)]
        return [shown for line in lines if (shown := self._show(line))]

    def _show(self, line: str) -> str | None:
        reason = _refusal(line)
        if reason is not None:
            line = f"nothing can be graded on this machine, all else works. {reason}"
        now = time.monotonic()
        kind = _VARYING.sub("", line)
        if now < self._last_shown.get(kind, -_SILENCE) + _SILENCE:
            return None
        if now > self._minute + 60:
            self._minute, self._in_minute = now, 0
        self._in_minute += 1
        if self._in_minute == _LINES_A_MINUTE:
            return f"{self._name}: there is more in {self._path}"
        if self._in_minute > _LINES_A_MINUTE:
            return None
        self._last_shown[kind] = now
        return f"{self._name}: {line if reason else line[:_WIDTH]}"


def _refusal(line: str) -> str | None:
    """Why there is no sandbox, where a worker says so."""
    if line.startswith("{"):
        try:
            entry = json.loads(line)
        except ValueError:
            return None
        return str(entry.get("reason")) if entry.get("event") == "sandbox_unavailable" else None
    found = _REFUSED.search(line)
    return found["reason"] if found else None
