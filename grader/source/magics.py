"""Taking out of a notebook cell what is notebook language rather than Python.

Lines keep their numbers: what is taken out becomes `pass` (so that an indented block is never left
empty) or an empty line. The code is not parsed, since a student's code may be anything; this looks
only at how each line starts, and follows strings and brackets far enough to know that a "%" at the
start of a line is a command and not the rest of an expression or of a text.
"""

from __future__ import annotations

import re
from typing import NamedTuple

# These cell magics run the rest of the cell as it stands, so the rest is kept.
_TRANSPARENT = re.compile(r"%%(?:time|capture)\b")
_HELP = re.compile(r"\s*(?:\?{1,2}\s*[^\s?].*|[%\w.*]+\?{1,2}\s*;?\s*)")  # ?name, name?, name??
_ASSIGNED = re.compile(r"\s*[^\W\d][\w.,\s]*=\s*[%!]\s*\w")  # files = !ls


class Dropped(NamedTuple):
    """Something that was taken out: its line in the cell, from 1, and the text of that line."""

    line: int
    text: str
    whole_cell: bool = False


def without_magics(cell: str) -> tuple[str, list[Dropped]]:
    """The cell with as many lines as before and only Python left, and what was taken out."""
    lines = cell.split("\n")
    dropped = []
    first = next((number for number, line in enumerate(lines) if line.strip()), 0)
    if lines[first].startswith("%%"):
        whole = not _TRANSPARENT.match(lines[first])
        dropped.append(Dropped(first + 1, lines[first], whole))
        if whole:
            return "\n" * (len(lines) - 1), dropped
        lines[first] = ""
    kept = []
    place = _Place()
    continued = False  # the line before was taken out and ended in a backslash
    for number, line in enumerate(lines, start=1):
        if continued:
            continued = line.endswith("\\")
            kept.append("")
        elif place.starts_statement and _is_command(line):
            dropped.append(Dropped(number, line))
            continued = line.endswith("\\")
            kept.append(line[: len(line) - len(line.lstrip())] + "pass")
        else:
            place.read(line)
            kept.append(line)
    return "\n".join(kept), dropped


def _is_command(line: str) -> bool:
    """True for %magic, !shell, name = !shell, name? and ?name; at the start of a statement none is Python."""
    if line.lstrip().startswith(("%", "!")):
        return True
    if "?" in line and _HELP.fullmatch(line):
        return True
    return _ASSIGNED.match(line) is not None


class _Place:
    """Whether the next line starts a statement, or goes on with a string, a bracket or a line."""

    def __init__(self) -> None:
        self._depth = 0
        self._quotes = ""
        self._continued = False

    @property
    def starts_statement(self) -> bool:
        return not (self._depth or self._quotes or self._continued)

    def read(self, line: str) -> None:
        """Take in one line. A string in single quotes ends with it at the latest, as in Python."""
        self._continued = False
        position = 0
        while position < len(line):
            here = line[position]
            if here == "\\":
                self._continued = position + 1 == len(line)
                position += 2
            elif self._quotes:
                ends = line.startswith(self._quotes, position)
                position += len(self._quotes) if ends else 1
                if ends:
                    self._quotes = ""
            elif here == "#":
                break
            elif here in "\"'":
                self._quotes = here * 3 if line.startswith(here * 3, position) else here
                position += len(self._quotes)
            else:
                self._depth = max(0, self._depth + (here in "([{") - (here in ")]}"))
                position += 1
        if len(self._quotes) == 1 and not self._continued:
            self._quotes = ""
