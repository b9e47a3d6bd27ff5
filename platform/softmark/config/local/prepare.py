"""Before the web starts: tables and static files are brought up to date; a site without people gets the demo course.

That takes a process with all of Django, so it is left out where nothing can have changed since the last time.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import signal
import sys
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

import psycopg

_PACKAGE = Path(__file__).resolve().parents[2]
_WITH_TABLES = ("django", "django-allauth")


class Prepared:
    """The note, in the data folder, of what was prepared last."""

    def __init__(self, path: Path, environment: Mapping[str, str]) -> None:
        self._path, self._environment = path, environment

    def is_current(self) -> bool:
        """Whether all is as it was left by the last time, and that had got through."""
        return bool(self._read().get("state") == self._state())

    def people(self) -> str:
        """Words about the demo's people, or why there are none."""
        return str(self._read().get("people", ""))

    def note(self, people: str, complete: bool) -> None:
        self._path.write_text(json.dumps({"state": self._state() if complete else None, "people": people}))

    def _read(self) -> dict[str, Any]:
        try:
            note = json.loads(self._path.read_text())
        except (OSError, ValueError):
            return {}
        return note if isinstance(note, dict) else {}

    def _state(self) -> str:
        """All that preparing depends on, and what it leaves, as a hash."""
        parts: list[object] = [metadata.version(name) for name in _WITH_TABLES]
        parts += [path.read_bytes() for path in sorted(_PACKAGE.glob("*/migrations/*.py"))]
        files = [path for folder in _PACKAGE.glob("*/static") for path in folder.rglob("*") if path.is_file()]
        parts += [(path, path.stat().st_size, path.stat().st_mtime_ns) for path in sorted(files)]
        parts.append(Path(self._environment["STATIC_ROOT"], "staticfiles.json").exists())
        parts.append(self._environment["DEMO"])
        with (
            contextlib.suppress(psycopg.Error),
            psycopg.connect(self._environment["DATABASE_URL"]) as connection,
        ):
            parts += connection.execute(
                "SELECT app, name, applied FROM django_migrations ORDER BY id"
            ).fetchall()
        return hashlib.sha256(repr(parts).encode()).hexdigest()


def main() -> None:
    """The process with Django. Its argument is the path of the note."""
    # Not between a migration and its record: the table would be made, and made again the next time.
    asked: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, frame: asked.append(number))
    import django
    from django.core.management import call_command

    django.setup()
    call_command("migrate", interactive=False, verbosity=1)
    if asked:
        sys.exit("stopped before all was prepared")
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    call_command("collectstatic", interactive=False, verbosity=1)
    people, complete = demo()
    Prepared(Path(sys.argv[1]), os.environ).note(people, complete)


def demo() -> tuple[str, bool]:
    """Loads the demo course where it is wanted; returns words about its people, and whether it is as it should be."""
    from django.conf import settings
    from django.core.management import call_command

    if not settings.DEMO:
        return "", True
    said, complaint = io.StringIO(), io.StringIO()
    try:
        call_command("load_demo", stderr=complaint)
    except SystemExit:  # it has said why
        print(complaint.getvalue())
        return complaint.getvalue(), False
    call_command("load_demo", "--people", stdout=said)
    return said.getvalue(), True


if __name__ == "__main__":
    main()
