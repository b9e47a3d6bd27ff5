"""Reading the files of an assignment folder: only those that belong to it, and nothing outside of it.

A folder may come from anywhere, so a link that leads out, a pipe that never ends or a file of a
gigabyte is refused before it is read. Nothing of the folder is ever run or parsed as Python.
It may be on the disk or in memory; the same is read of both, and the same is said about them.
"""

from __future__ import annotations

import os
import stat
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from grader.assignment.model import HIDDEN_CHECKS, PUBLIC_CHECKS, Problem, Problems
from grader.assignment.wording import did_you_mean, quoted

MANIFEST = "assignment.toml"
SOLUTION = "solution.py"
ALWAYS_NEEDED = (MANIFEST, "prompt.md", "starter.py", SOLUTION)

MAX_FILE_BYTES = 512 * 1024
MAX_FOLDER_BYTES = 4 * 1024 * 1024
MAX_ENTRIES = 400  # in one folder

_TOP = frozenset(ALWAYS_NEEDED)
_CHECKS = frozenset({PUBLIC_CHECKS, HIDDEN_CHECKS})
_SUBFOLDERS = ("checks", "mistakes", "styles")
# Opening a pipe must not wait for a writer, and a link that appears after the check is not followed.
_CAREFUL = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0)


@dataclass(frozen=True)
class FolderFiles:
    """`texts` could be read; `present` are all paths that are there, readable or not."""

    texts: dict[str, str]
    present: frozenset[str]


def read_folder(folder: Path, problems: Problems) -> FolderFiles | None:
    """The text of every file that belongs to an assignment; None where there is no folder to read.

    What cannot be read is added to `problems`.
    """
    try:
        place = _OnDisk(folder.resolve(strict=True))
        names = place.entries()
    except FileNotFoundError:
        problems.add(".", None, "There is no such folder. Give the path of an assignment folder.")
    except NotADirectoryError:
        problems.add(".", None, f"This is a file, not a folder. Give the folder that holds {MANIFEST}.")
    except (OSError, RuntimeError, ValueError) as error:  # RuntimeError: a loop of links before Python 3.13
        problems.add(".", None, f"The folder cannot be read: {_reason(error)}.")
    else:
        return _read_all(place, names, problems)
    return None


def read_files(
    files: Mapping[str, bytes], found: Iterable[Problem], problems: Problems
) -> FolderFiles | None:
    """The same of a folder in memory: `files` are its files by their relative paths, with "/".

    `found` is wrong with files that are there, but could not even be had; it is added to `problems`.
    """
    unreadable = []
    for problem in found:
        problems.add(problem.file, problem.line, problem.sentence)
        unreadable.append(problem.file)
    place = _InMemory(files, unreadable)
    try:
        names = place.entries()
    except OSError as error:
        problems.add(".", None, f"The folder cannot be read: {_reason(error)}.")
        return None
    return _read_all(place, names, problems)


class _Place(Protocol):
    """Where the files of a folder are."""

    def entries(self, subfolder: str = "") -> list[str]:
        """The names in the folder itself or in a known subfolder, sorted, without those that are hidden.

        Raises _LeadsOut; OSError, also when there are too many to be meant; RuntimeError, ValueError.
        """

    def is_folder(self, name: str) -> bool: ...

    def read(self, path: str, problems: Problems) -> bytes | None:
        """All of a file, or more than is allowed; None where it cannot be read, and a problem."""


def _read_all(place: _Place, names: list[str], problems: Problems) -> FolderFiles:
    wanted = []
    for path in _walk(place, names, problems):
        if _belongs(path):
            wanted.append(path)
        elif path.endswith(".py") and not path.endswith("__init__.py"):
            # Left out silently, an `import` of it would fail later and somewhere else.
            known = _TOP | _CHECKS
            problems.add(
                path,
                None,
                "This file is not part of an assignment, so nothing would ever read it."
                f"{did_you_mean(path, known) or ' Remove it or move its code into one that is.'}",
            )
    texts = {}
    room = MAX_FOLDER_BYTES
    for path in wanted:
        data = place.read(path, problems)
        if data is None:
            continue
        if len(data) > MAX_FILE_BYTES:
            problems.add(
                path,
                None,
                f"This file is larger than {MAX_FILE_BYTES // 1024} KB, the most allowed. Shorten it.",
            )
            continue
        room -= len(data)
        if room < 0:
            problems.add(
                ".",
                None,
                f"The files take more than {MAX_FOLDER_BYTES // 2**20} MB together, the most allowed.",
            )
            break
        text = _decode(path, data, problems)
        if text is not None:
            texts[path] = text
    return FolderFiles(texts, frozenset(wanted))


def _walk(place: _Place, names: list[str], problems: Problems) -> list[str]:
    """Relative paths in the folder and in its known subfolders; hidden names are left out."""
    paths = []
    for name in names:
        if name in _SUBFOLDERS:
            try:
                paths += [f"{name}/{entry}" for entry in place.entries(name)]
            except _LeadsOut:
                problems.add(name, None, _LEADS_OUT)
            except (OSError, RuntimeError, ValueError) as error:
                problems.add(name, None, f"This cannot be read as a folder: {_reason(error)}.")
            continue
        guess = did_you_mean(name, _SUBFOLDERS)
        if guess and name.isidentifier() and place.is_folder(name):
            problems.add(name, None, f"An assignment has no folder of this name.{guess}")
        paths.append(name)
    return paths


def _listed(names: Iterable[str]) -> list[str]:
    """Sorted, without what is hidden. Raises OSError when there are too many to be meant."""
    listed: list[str] = []
    for name in names:
        if len(listed) == MAX_ENTRIES:
            raise OSError(f"it holds more than {MAX_ENTRIES} files, the most allowed")
        if not name.startswith((".", "__pycache__")):
            listed.append(name)
    return sorted(listed)


def _belongs(path: str) -> bool:
    if path.startswith(("mistakes/", "styles/")):
        return path.endswith(".py") and not path.endswith("__init__.py")
    return path in _TOP or path in _CHECKS


class _LeadsOut(Exception):
    """The path is a link to something outside of the folder."""


_NOT_A_FILE = "This is not an ordinary file. Put a text file here."
_LEADS_OUT = "This is a link that leads out of the folder. Put the file itself here instead of the link."


class _OnDisk:
    """A folder of this machine. `root` is its real path."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def entries(self, subfolder: str = "") -> list[str]:
        with os.scandir(self._inside(subfolder)) as entries:
            return _listed(entry.name for entry in entries)

    def is_folder(self, name: str) -> bool:
        return (self._root / name).is_dir()

    def read(self, path: str, problems: Problems) -> bytes | None:
        try:
            with open(self._inside(path), "rb", opener=_open_without_following) as file:
                if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                    problems.add(path, None, _NOT_A_FILE)
                    return None
                return file.read(MAX_FILE_BYTES + 1)
        except _LeadsOut:
            problems.add(path, None, _LEADS_OUT)
        except FileNotFoundError:
            problems.add(
                path, None, "This is a link to a file that does not exist. Put the file itself here."
            )
        except (OSError, RuntimeError, ValueError) as error:
            problems.add(path, None, f"This file cannot be read: {_reason(error)}.")
        return None

    def _inside(self, path: str) -> Path:
        """The real place of `path`. Raises _LeadsOut, OSError, RuntimeError."""
        real = (self._root / path).resolve(strict=True)
        if not real.is_relative_to(self._root):
            raise _LeadsOut
        return real


def _open_without_following(path: str, flags: int) -> int:
    return os.open(path, flags | _CAREFUL)


class _InMemory:
    """A folder that came as bytes. Of `unreadable` it has only the paths."""

    def __init__(self, files: Mapping[str, bytes], unreadable: Iterable[str]) -> None:
        self._files, self._unreadable = files, frozenset(unreadable)
        self._names: defaultdict[str, set[str]] = defaultdict(set)
        for path in (*files, *self._unreadable):
            name, _, below = path.partition("/")
            self._names[""].add(name)
            if below:
                self._names[name].add(below.partition("/")[0])

    def entries(self, subfolder: str = "") -> list[str]:
        if subfolder and not self.is_folder(subfolder):
            raise OSError("not a directory")
        return _listed(self._names[subfolder])

    def is_folder(self, name: str) -> bool:
        return name in self._names

    def read(self, path: str, problems: Problems) -> bytes | None:
        if path not in self._files and path not in self._unreadable:  # it is a folder
            problems.add(path, None, _NOT_A_FILE)
        return self._files.get(path)


def _decode(path: str, data: bytes, problems: Problems) -> str | None:
    """The text, without a byte order mark and with "\\n" line ends; None where it is not text."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        problems.add(path, None, "This file is saved as UTF-16. Save it again as UTF-8.")
        return None
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        problems.add(
            path,
            line,
            f"This file is not UTF-8 text: byte {data[error.start]:#04x} here. Save it again as UTF-8.",
        )
        return None
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if "\0" in text:
        problems.add(
            path,
            text.count("\n", 0, text.index("\0")) + 1,
            "This file is not text: it holds a NUL character.",
        )
        return None
    if not text.strip():
        problems.add(path, None, "This file is empty.")
        return None
    return text


def _reason(error: Exception) -> str:
    """Why the system refused, in its own few words."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror[:1].lower() + error.strerror[1:]
    if isinstance(error, RuntimeError):
        return "the links in it lead round in a circle"
    return str(error).rstrip(".") or quoted(type(error).__name__)
