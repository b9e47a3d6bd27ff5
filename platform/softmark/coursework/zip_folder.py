"""An assignment folder that comes as a zip: from its bytes to the bytes of its files. Nothing is written anywhere.

A zip may claim anything of itself, so nothing that it says about sizes is believed: what is unpacked is counted while
it is unpacked, and reading stops at the limits.
"""

from __future__ import annotations

import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from io import BytesIO

from grader.assignment import Problem
from grader.assignment.folder import MANIFEST, MAX_FILE_BYTES

MAX_ZIP_BYTES = 4 << 20
MAX_UNPACKED_BYTES = 16 << 20
MAX_ENTRIES = 1_000
TOO_LARGE = f"The zip is larger than {MAX_ZIP_BYTES >> 20} MB, the most allowed. Leave out what grading does not need."
_MAX_NAME = 300  # characters

_IGNORED = ("__MACOSX", "__pycache__")
_LEADS_OUT = re.compile(r"/|[A-Za-z]:|(.*/)?\.\.(/|$)", re.DOTALL)
_UTF_8_NAME, _ENCRYPTED = 0x800, 0x1
# The others unpack without a limit, however little is asked of them.
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
# What zipfile raises for a zip that is not one, or not what it says.
_DAMAGED = (
    zipfile.BadZipFile, zlib.error, struct.error, ValueError, OSError, EOFError, RuntimeError, OverflowError,
)  # fmt: skip


@dataclass
class ZipRefused(Exception):
    """There is no folder to be had from it. Holds a sentence, for whoever sent it."""

    sentence: str


@dataclass(frozen=True)
class Unpacked:
    """A folder as it came. `problems` are files that are there, but could not be read."""

    files: dict[str, bytes]  # by relative path, with "/"; none has more than a byte over MAX_FILE_BYTES
    problems: tuple[Problem, ...]


def unpack(data: bytes) -> Unpacked:
    """The files of the folder in this zip: of the one folder at its top, or of the top itself. Raises ZipRefused."""
    if len(data) > MAX_ZIP_BYTES:
        raise ZipRefused(TOO_LARGE)
    try:
        archive = zipfile.ZipFile(BytesIO(data))
    except UnicodeDecodeError:
        raise ZipRefused("The zip holds a name that is not UTF-8, as it says it is. Make it anew.") from None
    except _DAMAGED:
        raise ZipRefused("This is not a zip file, or a damaged one. Make a zip of the folder.") from None
    with archive:
        if len(archive.infolist()) > MAX_ENTRIES:
            raise ZipRefused(
                f"The zip holds more than {MAX_ENTRIES:,} files, the most allowed. Zip the folder of one assignment."
            )
        return _read_all(archive, _below_the_top(list(_entries(archive))))


@dataclass(frozen=True)
class _Entry:
    path: str
    info: zipfile.ZipInfo
    problem: str = ""  # why it cannot be read


def _entries(archive: zipfile.ZipFile) -> Iterator[_Entry]:
    """The files of the zip, without folders and without what systems add by themselves. Raises ZipRefused."""
    for info in archive.infolist():
        name, is_utf_8 = _name(info)
        if _LEADS_OUT.match(name):
            raise ZipRefused(
                "The zip holds a file that would lie outside of the folder. Zip the folder itself."
            )
        if "\0" in name or len(name) > _MAX_NAME:
            raise ZipRefused("The zip holds a name that no file of an assignment can have. Make it anew.")
        if info.flag_bits & _ENCRYPTED:
            raise ZipRefused("The zip is encrypted. Make it anew, without a password.")
        parts = [part for part in name.split("/") if part not in ("", ".")]
        if not parts or name.endswith("/") or any(part.startswith((".", *_IGNORED)) for part in parts):
            continue
        problem = "" if is_utf_8 else "The name of this file is not UTF-8. Call it by letters from a to z."
        yield _Entry("/".join(parts), info, problem or _unreadable(info))


def _name(info: zipfile.ZipInfo) -> tuple[str, bool]:
    """The name with "/", and whether it is text at all. Old programs write "\\" or do not say that it is UTF-8."""
    name = info.orig_filename
    is_utf_8 = True
    if not info.flag_bits & _UTF_8_NAME:
        try:
            name = name.encode("cp437").decode()
        except UnicodeError:
            is_utf_8 = False
    return name.replace("\\", "/"), is_utf_8


def _unreadable(info: zipfile.ZipInfo) -> str:
    kind = stat.S_IFMT(info.external_attr >> 16)
    if kind == stat.S_IFLNK:
        return "This is a link. Put the file itself here."
    if kind not in (0, stat.S_IFREG):
        return "This is not an ordinary file. Put a text file here."
    if info.compress_type not in _METHODS:
        return "This file is packed in an unusual way. Make the zip anew, with the usual method (deflate)."
    return ""


def _below_the_top(entries: list[_Entry]) -> list[_Entry]:
    """Without the folders around the assignment's own. Raises ZipRefused where it is not clear which that is."""
    paths = [entry.path for entry in entries]
    if MANIFEST in paths:
        return entries
    around = sorted({path.removesuffix(MANIFEST) for path in paths if path.endswith(f"/{MANIFEST}")})
    if len(around) > 1:
        raise ZipRefused(
            f"The zip holds several assignments: {_some(around)}. Zip the folder of each one for itself."
        )
    top = around[0] if around else _only_folder(paths)
    beside = [path for path in paths if not path.startswith(top)]
    if beside:
        raise ZipRefused(
            f"{MANIFEST} lies in {top} but there are other files beside that folder: {_some(beside)}. "
            "Zip that folder alone."
        )
    return [_Entry(entry.path.removeprefix(top), entry.info, entry.problem) for entry in entries]


def _only_folder(paths: Iterable[str]) -> str:
    """The one folder that all files are in; nothing where there is none."""
    tops = {path.partition("/")[0] for path in paths if "/" in path}
    alone = len(tops) == 1 and all("/" in path for path in paths)
    return f"{tops.pop()}/" if alone and not tops & {"checks", "mistakes"} else ""


def _some(paths: list[str]) -> str:
    return ", ".join(path.rstrip("/") for path in paths[:3]) + (", …" if len(paths) > 3 else "")


def _read_all(archive: zipfile.ZipFile, entries: Iterable[_Entry]) -> Unpacked:
    files: dict[str, bytes] = {}
    problems = []
    room = MAX_UNPACKED_BYTES
    for entry in entries:
        problem = entry.problem
        if entry.path in files:
            problem = "The zip holds this file twice. Make it anew."
        if not problem:
            try:
                with archive.open(entry.info) as file:
                    files[entry.path] = file.read(MAX_FILE_BYTES + 1)
            except (*_DAMAGED, NotImplementedError):
                problem = "This file is damaged in the zip. Make it anew."
            else:
                room -= len(files[entry.path])
        if problem:
            problems.append(Problem(entry.path, None, problem))
        if room < 0:
            raise ZipRefused(
                f"Unpacked, the zip takes more than {MAX_UNPACKED_BYTES >> 20} MB, the most allowed. "
                "Leave out what grading does not need."
            )
    return Unpacked(files, tuple(problems))
