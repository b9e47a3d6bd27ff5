"""Finding the line of a key in TOML text, so that a sentence can say where to look.

tomllib keeps no positions. This reads just enough of the text: table headers, keys at the start of a
line, and multi-line strings so as to skip them. Keys inside inline tables are not found; then the
line of what holds them has to do.
"""

from __future__ import annotations

import re
from collections import Counter

Place = tuple[str, int]  # a table and which one of its name: ("checks", 2); the top of the file is ("", 0)
TOP: Place = ("", 0)

_PART = r"""(?:[A-Za-z0-9_-]+|"[^"\n]*"|'[^'\n]*')"""
_HEADER = re.compile(rf"\s*\[\[?\s*({_PART})\s*(\]|\.)")
_KEY = re.compile(rf"\s*({_PART})\s*[.=]")
_QUOTES = ('"""', "'''")


class Lines:
    """Line numbers, from 1, of the tables and keys in a TOML text."""

    def __init__(self, text: str) -> None:
        self._tables: dict[Place, int] = {}
        self._keys: dict[tuple[Place, str], int] = {}
        place = TOP
        times: Counter[str] = Counter()
        closing: str | None = None
        for number, line in enumerate(text.split("\n"), start=1):
            if closing:
                if closing in line:
                    closing = None
                continue
            if header := _HEADER.match(line):
                # A table within a table, [a.b], is none that the manifest knows; it only ends the one before.
                name = header[1].strip("\"'") if header[2] == "]" else "."
                place = (name, times[name])
                times[name] += 1
                self._tables[place] = number
            elif key := _KEY.match(line):
                self._keys.setdefault((place, key[1].strip("\"'")), number)
                closing = _left_open(line)

    def of(self, place: Place, key: str | None = None) -> int | None:
        """The line of a key, else of the table that it belongs to.

        At the top a key may be a table of its own, [limits], and a table may be a key, limits = {…}.
        """
        name, _ = place
        tries = [self._tables.get(place), self._keys.get((TOP, name))]
        if key is not None:
            tries = [
                self._keys.get((place, key)),
                self._tables.get((key, 0)) if place == TOP else None,
                *tries,
            ]
        return next((line for line in tries if line is not None), None)


def _left_open(line: str) -> str | None:
    """The quotes of a multi-line string that starts on this line and does not end on it."""
    for quotes in _QUOTES:
        before, found, after = line.partition(quotes)
        if found and "#" not in before and quotes not in after:
            return quotes
    return None
