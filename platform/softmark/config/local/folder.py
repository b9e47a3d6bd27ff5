"""The data folder: all that one site on this machine keeps, and the lock that makes it one."""

from __future__ import annotations

import fcntl
import json
import os
import pwd
import shutil
import socket
import tempfile
import time
from pathlib import Path
from secrets import token_urlsafe
from typing import Any

from softmark.config.local.trouble import Trouble

NEEDED_BYTES = 300 << 20  # PostgreSQL's empty cluster, its journal, and room to breathe
_INSTEAD = "Choose another folder with SOFTMARK_DATA=..."
_TIDYING_SECONDS = 30.0


class Folder:
    def __init__(self, path: Path) -> None:
        """Makes the folder where it is not, and takes its lock. Raises Trouble."""
        self.path = path.absolute()
        self._make(self.path, 0o755)
        self._make(self.path / "logs", 0o700)
        self._check_room()
        self._lock = self._take_lock()
        self.sockets = self.path / "sockets"  # PostgreSQL's
        self._elsewhere: Path | None = None
        if not _holds_sockets(self.sockets):
            self.sockets = self._elsewhere = Path(tempfile.mkdtemp(prefix="softmark-sockets-", dir="/tmp"))

    @property
    def lock(self) -> int:
        """The lock's descriptor. It is locked for as long as any process has it open."""
        return self._lock

    def note_site(self, address: str, environment: dict[str, str]) -> None:
        """For whoever tries to start a second time, and for commands that are to find the site's data."""
        self._note({"process": os.getpid(), "address": address, "environment": environment})

    def secret_key(self) -> str:
        """The site's secret, made once and readable by nobody else."""
        path = self.path / "secret-key"
        try:
            if kept := path.read_text().strip():
                return kept
            path.unlink()  # cut short before it was written
        except FileNotFoundError:
            pass
        secret = token_urlsafe(48)
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(secret + "\n")
        return secret

    def fresh_log(self, name: str) -> Path:
        """The file for a log that begins now; the last one is kept beside it as NAME.1.log."""
        path = self.path / "logs" / f"{name}.log"
        if path.exists():
            path.replace(path.with_suffix(".1.log"))
        return path

    def close(self) -> None:
        """Gives the lock back."""
        if self._elsewhere:
            shutil.rmtree(self._elsewhere, ignore_errors=True)
        os.close(self._lock)

    def _make(self, path: Path, mode: int) -> None:
        try:
            path.mkdir(mode=mode, parents=path == self.path, exist_ok=True)
        except FileExistsError:
            raise Trouble(
                f"{path} is a file, where a folder for the site's data should be. {_INSTEAD}"
            ) from None
        except OSError as error:
            raise Trouble(
                f"The folder {path} for the site's data cannot be made: {error.strerror}. {_INSTEAD}"
            ) from None
        owner = path.stat().st_uid
        if owner != os.geteuid():
            raise Trouble(f"{path} belongs to {_name(owner)}, and you are {_name(os.geteuid())}. {_INSTEAD}")
        if not os.access(path, os.W_OK | os.X_OK):
            raise Trouble(f"{path} cannot be written to by {_name(os.geteuid())}. {_INSTEAD}")

    def _check_room(self) -> None:
        free = shutil.disk_usage(self.path).free
        if free < NEEDED_BYTES and not (self.path / "postgres").exists():
            raise Trouble(
                f"The disk is full: {self.path} has {free >> 20} MB left, and the site needs {NEEDED_BYTES >> 20} MB. "
                f"Make room, or choose a folder on another disk with SOFTMARK_DATA=..."
            )

    def _take_lock(self) -> int:
        path = self.path / "lock"
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise Trouble(f"{path} cannot be opened: {error.strerror}. {_INSTEAD}") from None
        until = time.monotonic() + _TIDYING_SECONDS
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                pass
            except OSError as error:
                raise Trouble(
                    f"{self.path} is on a disk that knows no locks ({error.strerror}). {_INSTEAD}"
                ) from None
            else:
                os.ftruncate(descriptor, 0)
                self._lock = descriptor
                self._note({"process": os.getpid()})
                return descriptor
            note = _read_note(path)
            if _runs(note.get("process")) or time.monotonic() > until:
                os.close(descriptor)
                where = f" at {note['address']}" if "address" in note else ""
                raise Trouble(
                    f"Softmark is already running{where}, as process {note.get('process', 'unknown')} with its data in "
                    f"{self.path}. Stop it first (Ctrl-C where it runs), or start a second one beside it with another "
                    "folder and port: make run SOFTMARK_DATA=... PORT=..."
                )
            time.sleep(0.1)  # its parent was killed: the guard is ending the rest

    def _note(self, note: dict[str, Any]) -> None:
        text = json.dumps(note).encode()
        os.pwrite(self._lock, text, 0)
        os.ftruncate(self._lock, len(text))


def environment_of_running_site(path: Path) -> dict[str, str]:
    """What a command needs to work on the data of the site that runs on this folder. Raises Trouble."""
    note = _read_note(path / "lock")
    if not _runs(note.get("process")) or "environment" not in note:
        raise Trouble(
            f"No site is running with its data in {path}. Start it first, in another terminal: make run"
        )
    return {str(name): str(value) for name, value in note["environment"].items()}


def _holds_sockets(folder: Path) -> bool:
    """False where the path is too long for a socket's address, or the disk cannot hold one."""
    folder.mkdir(mode=0o700, exist_ok=True)
    place = folder / ".s.PGSQL.probe"  # as long as PostgreSQL's own
    place.unlink(missing_ok=True)
    with socket.socket(socket.AF_UNIX) as probe:
        try:
            probe.bind(str(place))
        except OSError:
            return False
    place.unlink()
    return True


def _read_note(path: Path) -> dict[str, Any]:
    try:
        note = json.loads(path.read_text())
    except (OSError, ValueError):
        return {}
    return note if isinstance(note, dict) else {}


def _runs(process: object) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return not Path("/proc/self").exists()  # elsewhere nobody can tell, and the lock is held
    return state != "Z"


def _name(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return f"user number {uid}"
