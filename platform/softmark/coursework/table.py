"""The table mistake x check as people read it: pure rules on what a version or an upload keeps of it.

A kept table may be of an older format, or a test's; what it lacks is left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from grader.verify import SOLUTION, STARTER, Kind, Mark


@dataclass(frozen=True)
class Cell:
    """What one check made of one file: a sign and the words for it; none where nothing is known yet."""

    sign: str
    words: str
    tone: str


@dataclass(frozen=True)
class Line:
    """One graded file.

    kind:       in a word or two, where the name does not say it.
    result:     in a word or three; empty while it waits.
    is_wanting: it could not be graded, or is a known mistake that is not named.
    """

    name: str
    kind: str
    cells: tuple[Cell, ...]
    result: str
    is_wanting: bool


@dataclass(frozen=True)
class Table:
    """legend: of the signs that are used. missing, notes: sentences."""

    checks: tuple[str, ...]
    lines: tuple[Line, ...]
    legend: tuple[Cell, ...]
    missing: tuple[str, ...]
    notes: tuple[str, ...]


_CELLS: dict[str, Cell] = {
    Mark.NAMED: Cell("●", "caught and named", "good"),
    Mark.CAUGHT: Cell("○", "caught", "calm"),
    Mark.PASSED: Cell("·", "passed", "calm"),
    Mark.MISNAMED: Cell("×", "taken for another mistake", "bad"),
    Mark.UNKNOWN: Cell("–", "no verdict", "warn"),
}
_BLANK = Cell("", "", "calm")
_KINDS: dict[str, str] = {Kind.STYLE: "another style", Kind.HOSTILE: "hostile"}


def shown_table(kept: Mapping[str, Any] | None, names: Sequence[str] = ()) -> Table:
    """The table that was kept. names: of all its lines; those that it has not got yet are empty ones."""
    kept = kept or {}
    checks = tuple(kept.get("checks", ()))
    lines = [_line(row) for row in kept.get("table", ())]
    lines += [Line(name, "", (_BLANK,) * len(checks), "", False) for name in names[len(lines) :]]
    used = {cell for line in lines for cell in line.cells}
    return Table(
        checks=checks,
        lines=tuple(lines),
        legend=tuple(cell for cell in _CELLS.values() if cell in used),
        missing=tuple(kept.get("problems", ())),
        notes=tuple(kept.get("notes", ())),
    )


def _line(row: Mapping[str, Any]) -> Line:
    name, result = row["name"], row["result"]
    kind = row.get("kind") or (name if name in (SOLUTION, STARTER) else Kind.MISTAKE)
    wanting = result == "fault" or (kind == Kind.MISTAKE and result != "named")
    return Line(name, _KINDS.get(kind, ""), tuple(map(_cell, row["marks"])), result, wanting)


def _cell(mark: str) -> Cell:
    return _CELLS.get(mark, _CELLS[Mark.UNKNOWN])
