"""What `grader verify` shows: the table mistake x check, then in sentences what is missing."""

from __future__ import annotations

from string import ascii_uppercase
from types import TracebackType
from typing import Self

from rich.cells import cell_len
from rich.status import Status
from rich.table import Table
from rich.text import Text

from grader.assignment import Assignment
from grader.terminal.screen import Screen, plain
from grader.verify import Mark, Row, Verification, files_of

_SIGNS = {
    Mark.NAMED: ("●", "green"),
    Mark.CAUGHT: ("○", ""),
    Mark.PASSED: ("·", "dim"),
    Mark.MISNAMED: ("×", "red"),
    Mark.UNKNOWN: ("–", "yellow"),
}
_MEANING = {
    Mark.NAMED: "caught and named",
    Mark.CAUGHT: "caught",
    Mark.PASSED: "passed",
    Mark.MISNAMED: "taken for another mistake",
    Mark.UNKNOWN: "no verdict",
}
_GAP = 2  # columns between columns


class VerifyView:
    """Shows one assignment being verified. Use as a context manager: the live line ends with it."""

    def __init__(self, screen: Screen, assignment: Assignment) -> None:
        self._screen = screen
        self._assignment = assignment
        self._done = 0
        self._status = screen.console.status("", spinner=screen.spinner) if screen.live else None

    def __enter__(self) -> Self:
        self._screen.say(self._assignment.title, "bold")
        self._screen.say(f"{self._assignment.slug}, version {self._assignment.version}", "dim")
        self._screen.blank()
        if self._status:
            self._status.start()
            self._progress(self._status)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._status:
            self._status.stop()
            self._status = None

    def row(self, row: Row) -> None:
        """One more file has been graded."""
        self._done += 1
        if self._status:
            self._progress(self._status)

    def _progress(self, status: Status) -> None:
        files = files_of(self._assignment)
        if self._done < len(files):
            text = f"File {self._done + 1} of {len(files)}: {files[self._done].name}"
            status.update(self._screen.one_line(text))

    def finish(self, verification: Verification) -> None:
        """The table, what the signs mean, what is missing and what is good to know."""
        if self._status:
            self._status.stop()
        if verification.table:
            _Grid(self._screen, verification).show()
            self._screen.blank()
        if verification.problems:
            self._screen.say("Missing before this can be published:", "bold")
            for problem in verification.problems:
                self._screen.show(_item(plain(problem)))
        else:
            self._screen.say("Nothing is missing: this assignment can be published.", "bold green")
        if verification.notes:
            self._screen.blank()
            self._screen.say("Good to know:", "bold")
            for note in verification.notes:
                self._screen.show(_item(plain(note)))


class _Grid:
    """The table: above its columns the ids of the checks, or short keys and a legend where there is no room.

    Narrower still, it loses the column of words, which the signs say as well; then it comes in blocks.
    """

    def __init__(self, screen: Screen, verification: Verification) -> None:
        self._screen = screen
        self._rows = verification.table
        self._checks = verification.assignment.checks
        ids = [check.id for check in self._checks]
        short = _short_keys(len(ids))
        longest = max(cell_len(row.name) for row in self._rows)
        words = max(cell_len(row.result) for row in self._rows)
        self._in_words = longest + words + 2 * _GAP + _columns(short, _GAP) <= screen.width
        self._keyed = longest + words + 2 * _GAP + _columns(ids, _GAP) > screen.width
        self._keys = short if self._keyed else ids
        self._gap = _GAP if self._in_words else 1
        self._name_width = longest if self._in_words else max(8, min(longest, screen.width // 2))
        self._per_block = len(ids)
        if not self._in_words:
            room = screen.width - self._name_width - self._gap
            self._per_block = max(1, room // (len(short[-1]) + self._gap))

    def show(self) -> None:
        for start in range(0, len(self._keys), self._per_block):
            if start:
                self._screen.blank()
            self._screen.show(self._block(slice(start, start + self._per_block)))
        self._screen.blank()
        used = {mark for row in self._rows for mark in row.marks}
        signs = [Text.assemble(self._sign(mark), f" {_MEANING[mark]}") for mark in Mark if mark in used]
        self._screen.show(Text("   ").join(signs))
        if self._keyed:
            for key, check in zip(self._keys, self._checks, strict=True):
                self._screen.show(_item(plain(check.id), key.rjust(len(self._keys[-1]))))

    def _block(self, columns: slice) -> Table:
        table = Table(box=None, padding=(0, self._gap, 0, 0), pad_edge=False, header_style="dim")
        table.add_column("", width=self._name_width, overflow="fold")
        if self._in_words:
            table.add_column("")
        for key in self._keys[columns]:
            table.add_column(key, justify="center", no_wrap=True)
        for row in self._rows:
            words = [plain(row.result)] if self._in_words else []
            table.add_row(plain(row.name), *words, *(self._sign(mark) for mark in row.marks[columns]))
        return table

    def _sign(self, mark: Mark) -> Text:
        sign, style = _SIGNS[mark]
        return Text(self._screen.sign(sign), style=style)


def _short_keys(count: int) -> list[str]:
    """A, B, C … as far as the letters go, else numbers."""
    if count <= len(ascii_uppercase):
        return list(ascii_uppercase[:count])
    return [str(number) for number in range(1, count + 1)]


def _columns(keys: list[str], gap: int) -> int:
    """How many columns of the terminal the columns of these keys take."""
    return sum(len(key) + gap for key in keys)


def _item(text: Text, bullet: str = "-") -> Table:
    """A list item whose further lines stay clear of the bullet."""
    item = Table.grid(padding=(0, 1, 0, 0))
    item.add_column(no_wrap=True)
    item.add_column(overflow="fold")
    item.add_row(bullet, text)
    return item
