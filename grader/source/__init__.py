"""Reading what a student hands in: a .py file or a .ipynb notebook.

The code is never run, imported or parsed here. Every refusal is a SourceError, whose sentence the
student reads.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path, PurePath

from grader.report import printable
from grader.source.model import MAX_CODE_BYTES, Source, SourceError, where
from grader.source.notebook import MAX_NOTEBOOK_BYTES, read_notebook
from grader.source.python_file import read_python

__all__ = [
    "MAX_CODE_BYTES",
    "MAX_NOTEBOOK_BYTES",
    "Source",
    "SourceError",
    "parse_source",
    "read_source",
    "where",
]

_SUFFIXES = (".py", ".ipynb")


def read_source(path: Path) -> Source:
    """The code in a file. Raises SourceError."""
    path = Path(path)
    name = _shown(path.name)
    try:
        if path.is_dir():
            raise SourceError(f"{name} is a folder. Give the path of your .py or .ipynb file in it.")
        with open(path, "rb", opener=_open_without_waiting) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise SourceError(f"{name} is not an ordinary file. Give the path of a .py or .ipynb file.")
            data = file.read(MAX_NOTEBOOK_BYTES + 1)
    except FileNotFoundError:
        raise SourceError(f"There is no file {printable(str(path))}. Look for a slip in its path.") from None
    except (OSError, ValueError) as error:  # ValueError: a NUL character in the path
        reason = (isinstance(error, OSError) and error.strerror) or "this cannot be a path"
        raise SourceError(f"{name} cannot be read: {reason}. See to it that you may open the file.") from None
    return parse_source(path.name, data)


def parse_source(name: str, data: bytes) -> Source:
    """The code in the bytes of a file of this name, as an upload has them. Raises SourceError."""
    suffix = PurePath(name).suffix.lower()
    shown = _shown(name)
    if suffix not in _SUFFIXES:
        ends = f"ends in {_shown(suffix)}" if suffix else "has no ending"
        raise SourceError(
            f"{shown} {ends}, but only Python files (.py) and notebooks (.ipynb) can be graded. "
            "Hand in one of those."
        )
    if not data.strip():
        raise SourceError(f"{shown} is empty. Save your code in it and try again.")
    return read_notebook(data) if suffix == ".ipynb" else read_python(shown, data)


def _open_without_waiting(path: str, flags: int) -> int:
    """Opening a named pipe would wait until somebody writes into it."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _shown(name: str) -> str:
    name = printable(name)
    return name if len(name) <= 80 else name[:79] + "…"
