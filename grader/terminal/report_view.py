"""A report as it comes in: a row for each check, hints for known mistakes, the total, and what to do next."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from types import TracebackType
from typing import Self

from rich.status import Status
from rich.table import Table
from rich.text import Text

from grader.assignment import Assignment
from grader.report import CheckResult, Report, Verdict, Visibility, shown_points
from grader.source import Source
from grader.terminal.screen import Screen, plain

_WIDE = 68  # columns; with fewer, the facts of a check go beneath its title
_VERDICT_WIDTH = len("wrong answer")  # a rare longer one takes its room from the title
_MESSAGE_LINES = 60
_OUTPUT_LINES = 20
_LINE_CHARACTERS = 400

_SIGNS = {Verdict.PASSED: ("✓", "green"), Verdict.NOT_RUN: ("–", "dim"), Verdict.NOT_MEASURED: ("–", "dim")}
_FAILED_SIGN = ("✗", "red")
_FAULT_SIGN = ("!", "yellow")

_FOR_AUTHORS = {
    "fault": "For the authors of the assignment, what went wrong in it:",
    "naming": "For the authors of the assignment, its known mistakes could not be run:",
}

_NEXT = {
    Verdict.WRONG_ANSWER: "work a tiny case by hand and compare it with what your function returns.",
    Verdict.WRONG_SHAPE: "print the shape of each array on the way and find the first that is wrong.",
    Verdict.WRONG_TYPE: "return a numpy array of the type that the message asks for.",
    Verdict.NOT_FINITE: "look for an exp() of something large, a division by zero, or infinity times zero.",
    Verdict.EXCEPTION: "go to the line that the message names and look at the values there.",
    Verdict.TIME_LIMIT: "look for a loop that does not end, or one that whole-array operations can replace.",
    Verdict.MEMORY_LIMIT: "look for arrays larger than they need to be, and for copies.",
    Verdict.OUTPUT_LIMIT: "take out the print() calls.",
    Verdict.CRASHED: "take out what ends the process, and look for recursion without an end.",
    Verdict.NOT_RUN: "its message says why it was not run.",
    Verdict.PROTOCOL_VIOLATION: "keep to what the function needs, and return a plain new array.",
}


class ReportView:
    """Shows one submission being graded. Use as a context manager: the live line ends with it."""

    def __init__(self, screen: Screen, assignment: Assignment, *, live: bool = True) -> None:
        """`live=False`: no line that redraws itself, for when the student's prints share the terminal."""
        self._screen = screen
        self._assignment = assignment
        self._points_width = max(len(_points(spec.points, spec.points)) for spec in assignment.checks)
        self._shown: dict[str, Verdict] = {}
        self._message = ""  # the last one shown
        self._status: Status | None = None
        if live and screen.live:
            self._status = screen.console.status("", spinner=screen.spinner)

    def __enter__(self) -> Self:
        if self._status:
            self._status.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._status:
            self._status.stop()
            self._status = None

    def heading(self, file: str, source: Source) -> None:
        self._screen.say(self._assignment.title, "bold")
        self._screen.say(file, "dim")
        for note in source.notes:
            self._screen.say(f"Note: {note}")
        self._waiting("Starting …")

    def place(self, words: str) -> None:
        """Where the code runs, in words."""
        self._screen.say(words, "dim")
        self._screen.blank()
        self._waiting_for_next()

    def check(self, result: CheckResult) -> None:
        """Show one finished check; one that was shown before is not shown again."""
        if self._shown.get(result.id) is result.verdict:
            return
        self._shown[result.id] = result.verdict
        self._screen.show(self._row(result))
        if result.message:
            again = result.message == self._message
            self._screen.say("As above." if again else _cut(result.message, _MESSAGE_LINES), indent=3)
            self._message = result.message
        if result.output.strip():
            self._screen.say("It printed:", "dim", indent=3)
            self._screen.say(_cut(result.output.strip("\n"), _OUTPUT_LINES), "dim", indent=5)
        self._waiting_for_next()

    def finish(self, report: Report) -> None:
        """The checks that were not shown yet, the hints, the total and what comes next."""
        for result in report.checks:
            self.check(result)
        if self._status:
            self._status.stop()
        self._hints(report)
        self._screen.blank()
        self._screen.say(_total(report), "bold")
        self._for_authors(report)
        self._screen.blank()
        for sentence in _what_next(report):
            self._screen.say(sentence)

    def _for_authors(self, report: Report) -> None:
        """On the command line whoever has the folder may read what went wrong in it."""
        for key, title in _FOR_AUTHORS.items():
            if key in report.provenance:
                self._screen.blank()
                self._screen.say(title, "bold")
                self._screen.say(_cut(str(report.provenance[key]), _MESSAGE_LINES), indent=3)

    def _hints(self, report: Report) -> None:
        if not report.mistakes:
            return
        self._screen.blank()
        many = len(report.mistakes) > 1
        self._screen.say(f"You may have made {'these mistakes' if many else 'this mistake'}:", "bold")
        for mistake in report.mistakes:
            hint = Text.assemble(plain(mistake.hint.strip()), " ", plain(f"({mistake.id})", "dim"))
            self._screen.show(hint, indent=3)

    def _row(self, result: CheckResult) -> Table:
        sign, style = _FAULT_SIGN if result.verdict.is_fault else _SIGNS.get(result.verdict, _FAILED_SIGN)
        mark = Text(self._screen.sign(sign), style=f"bold {style}")
        title = plain(result.title)
        if result.visibility is not Visibility.PUBLIC:
            title.append(" (hidden)", style="dim")
        verdict = Text(str(result.verdict), style=style)
        points = Text(_points(result.points, result.max_points))
        row = Table.grid(padding=(0, 2, 0, 0))
        row.width = self._screen.width
        row.add_column(width=1)
        row.add_column(ratio=1, overflow="fold")
        if self._screen.width < _WIDE:
            row.add_row(mark, title)
            facts = Text(", ").join([verdict, points, Text(_duration(result.seconds))])
            row.add_row("", facts)
            return row
        row.add_column(min_width=_VERDICT_WIDTH, no_wrap=True)
        row.add_column(min_width=self._points_width, justify="right", no_wrap=True)
        row.add_column(width=7, justify="right")
        row.add_row(mark, title, verdict, points, Text(_duration(result.seconds), style="dim"))
        return row

    def _waiting_for_next(self) -> None:
        waiting = [spec for spec in self._assignment.checks if spec.id not in self._shown]
        if waiting:
            total = len(self._assignment.checks)
            self._waiting(f"Check {total - len(waiting) + 1} of {total}: {waiting[0].title}")

    def _waiting(self, text: str) -> None:
        if self._status:
            self._status.update(self._screen.one_line(text))


def _points(points: Decimal, maximum: Decimal) -> str:
    return f"{shown_points(points)} of {shown_points(maximum)}"


def _duration(seconds: float) -> str:
    if seconds < 0.001:
        return "< 1 ms"
    return f"{seconds * 1000:.0f} ms" if seconds < 0.9995 else f"{seconds:.2f} s"


def _cut(text: str, most: int) -> str:
    """At most so many lines, and none without end; what was cut is said."""
    lines = text.replace("\r\n", "\n").split("\n")
    kept = [
        line if len(line) <= _LINE_CHARACTERS else f"{line[:_LINE_CHARACTERS]} …" for line in lines[:most]
    ]
    if len(lines) > most:
        kept.append(f"({len(lines) - most} more lines)" if len(lines) > most + 1 else "(1 more line)")
    return "\n".join(kept)


def _total(report: Report) -> str:
    added = " + ".join(shown_points(check.points) for check in report.checks)
    equals = f"{added} = " if len(report.checks) > 1 else ""
    return f"Points: {equals}{_points(report.points, report.max_points)}"


def _what_next(report: Report) -> Iterable[str]:
    missed = [check for check in report.checks if check.verdict is not Verdict.PASSED]
    failed = [check for check in missed if check.verdict is not Verdict.NOT_MEASURED]
    first = failed[0].verdict if failed else Verdict.PASSED
    if report.verdict is Verdict.ASSIGNMENT_FAULT:
        yield "The assignment is at fault, not your code, and it costs you nothing. Tell the course staff."
    elif report.verdict is Verdict.PLATFORM_FAULT:
        yield "The grader failed, not your code. Try again; if it happens again, tell the course staff."
    elif not missed:
        yield f"All {len(report.checks)} checks passed." if len(report.checks) > 1 else "The check passed."
    elif not failed:
        yield "All that could be measured passed; the machine was too busy for the rest. Try again later."
    elif report.mistakes:
        yield "Next: follow the hint above, then check again."
    elif first is Verdict.EXCEPTION and all(check.verdict is Verdict.NOT_RUN for check in missed[1:]):
        yield "Next: make the file load. Then check again."
    elif first in _NEXT:
        yield f"Next: begin with the first check that failed: {_NEXT[first]} Then check again."
    if report.rung is None:
        yield "This was your own machine, without a sandbox; what counts is what you hand in."
