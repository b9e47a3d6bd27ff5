"""What a reader may see of a report: a pure rule, so that what students must not see never gets near a page.

A stored report may be of an older format, or broken: what can be read of it is shown, and that the rest is missing.
A check whose visibility cannot be read is hidden.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

from grader.report import Verdict, Visibility, printable, shown_points

MOST_CHARACTERS = 20_000  # of one text
MOST_CHECKS = 200

# What provenance calls it, and what people do; students see these and no others.
_FOR_EVERYBODY = {
    "assignment_version": "Version of the assignment",
    "grader": "Grader",
    "numpy": "numpy",
    "started_at": "Started",
}
_FOR_STAFF = {
    "python": "Python",
    "machine": "Machine",
    "device": "Device",
    "rung": "Rung of the sandbox",
    "seed": "Seed",
    "code_sha256": "SHA-256 of the code",
}
_FAULTS = {
    "fault": "What went wrong in the assignment",
    "naming": "Why the known mistakes could not be run",
}


@dataclass(frozen=True)
class Text:
    """Text from somebody else's code, safe to show, and how many characters were cut from its end."""

    shown: str = ""
    cut: int = 0

    def __bool__(self) -> bool:
        return bool(self.shown)


@dataclass(frozen=True)
class ShownCheck:
    """One row. points and max_points are None where the report does not say, or the reader is not to know.
    opens: it is the first failure.
    """

    title: str
    verdict: str
    points: Decimal | None
    max_points: Decimal | None
    seconds: float
    message: Text = field(default_factory=Text)
    output: Text = field(default_factory=Text)
    mistake: str = ""  # its name, for staff
    hidden_until: str = ""  # for staff: what students wait for before they see it
    flag: Text = field(default_factory=Text)  # for staff: what somebody should look at
    opens: bool = False

    @property
    def passed(self) -> bool:
        return self.verdict == Verdict.PASSED

    @property
    def says_more(self) -> bool:
        return bool(self.message or self.output or self.flag)


@dataclass(frozen=True)
class HiddenChecks:
    """All checks that the reader must not see, as one."""

    count: int
    points: Decimal | None
    max_points: Decimal | None
    passed: bool
    until_due: bool  # some of them are shown after the deadline


@dataclass(frozen=True)
class Hint:
    """What to do about a known mistake. id: for staff."""

    text: Text
    id: str = ""


@dataclass(frozen=True)
class Fact:
    """One line of where a report comes from, or one of the faults that only staff read."""

    name: str
    text: Text


@dataclass(frozen=True)
class ShownReport:
    """What one reader sees. verdict: of what they see, "" where there is none to tell.

    terms: the points that are added up, or none where they do not make up the report's own total.
    whole: False where a part of the report could not be read.
    """

    verdict: str
    checks: tuple[ShownCheck, ...]
    hidden: HiddenChecks | None
    hints: tuple[Hint, ...]
    terms: tuple[str, ...]
    facts: tuple[Fact, ...]
    faults: tuple[Fact, ...]
    whole: bool

    @property
    def first_failure(self) -> ShownCheck | None:
        return _first_failure(self.checks)


def _first_failure(checks: Iterable[ShownCheck]) -> ShownCheck | None:
    """What could not be measured says nothing about the code, so any other failure comes before it."""
    missed = [check for check in checks if not check.passed]
    failed = [check for check in missed if check.verdict != Verdict.NOT_MEASURED]
    return next(iter(failed or missed), None)


def is_visible(visibility: str, role_is_staff: bool, past_due: bool) -> bool:
    """past_due: of the reader's own deadline."""
    if role_is_staff or visibility == Visibility.PUBLIC:
        return True
    return visibility == Visibility.AFTER_DUE and past_due


def report_for(
    report: Mapping[str, Any], role_is_staff: bool, past_due: bool, with_points: bool = True
) -> ShownReport:
    """The part of a report (grader.report.Report.to_dict()) that is for this reader.

    Without points it is still what a student learns from: which checks passed, what they say, and the hints.
    """
    report = _mapping({"whole": report}, "whole")
    rows, whole = _rows(report)
    seen = [row for row in rows if is_visible(_word(row, "visibility"), role_is_staff, past_due)]
    unseen = [row for row in rows if not is_visible(_word(row, "visibility"), role_is_staff, past_due)]
    checks = tuple(_opened([_check(row, role_is_staff) for row in seen]))
    hidden = _hidden(unseen) if unseen else None
    provenance = _mapping(report, "provenance")
    shown = ShownReport(
        verdict=_verdict(report, checks, hidden, role_is_staff),
        checks=checks,
        hidden=hidden,
        hints=tuple(_hints(report, role_is_staff)),
        terms=_terms(report, checks, hidden),
        facts=tuple(_facts(provenance, role_is_staff)),
        faults=tuple(
            Fact(title, text_of(provenance[key]))
            for key, title in _FAULTS.items()
            if role_is_staff and provenance.get(key)
        ),
        whole=whole and all(check.points is not None for check in checks),
    )
    return shown if with_points else _without_points(shown)


def text_of(value: Any, most: int = MOST_CHARACTERS) -> Text:
    """Text that may be long and may hold anything. It is still to be escaped, as all text is."""
    text = value if isinstance(value, str) else "" if value is None else str(value)
    return Text(printable(text[:most]), max(0, len(text) - most))


_PLACE = re.compile(r" at (?:cell (\d+), )?line (\d+)")


def line_of(check: ShownCheck | None, cells: Sequence[int]) -> int | None:
    """The line of the handed-in text that a failure names, if it names one. cells: as grader.source.Source has them."""
    if check is None or check.verdict not in (Verdict.EXCEPTION, Verdict.MEMORY_LIMIT):
        return None
    if (found := _PLACE.search(check.message.shown)) is None:
        return None
    cell, line = found.groups()
    if cell is None:
        return int(line)
    return cells[int(cell) - 1] + int(line) - 1 if 0 < int(cell) <= len(cells) else None


def _rows(report: Mapping[str, Any]) -> tuple[list[Mapping[str, Any]], bool]:
    """The checks of a report, and whether all of them could be read."""
    given = report.get("checks")
    if not isinstance(given, list):
        return [], False
    rows = [row for row in given[:MOST_CHECKS] if isinstance(row, Mapping)]
    return rows, len(rows) == len(given)


def _check(row: Mapping[str, Any], role_is_staff: bool) -> ShownCheck:
    return ShownCheck(
        title=text_of(row.get("title") or row.get("id") or "A check without a title", 300).shown,
        verdict=_word(row, "verdict"),
        points=_number(row, "points"),
        max_points=_number(row, "max_points"),
        seconds=float(_number(row, "seconds") or 0),
        message=text_of(row.get("message")),
        output=text_of(row.get("output")),
        mistake=_word(row, "mistake") if role_is_staff else "",
        hidden_until=_waits_for(_word(row, "visibility")) if role_is_staff else "",
        flag=text_of(row.get("flag"), 1000) if role_is_staff else Text(),
    )


def _without_points(shown: ShownReport) -> ShownReport:
    return replace(
        shown,
        checks=tuple(replace(check, points=None, max_points=None) for check in shown.checks),
        hidden=replace(shown.hidden, points=None, max_points=None) if shown.hidden else None,
        terms=(),
    )


def _waits_for(visibility: str) -> str:
    if visibility == Visibility.PUBLIC:
        return ""
    return "shown to students once due" if visibility == Visibility.AFTER_DUE else "always hidden"


def _opened(checks: Sequence[ShownCheck]) -> Iterator[ShownCheck]:
    """The same checks, the first one that failed unfolded."""
    first = _first_failure(checks)
    for check in checks:
        yield replace(check, opens=True) if check is first else check


def _hidden(rows: list[Mapping[str, Any]]) -> HiddenChecks:
    points = _sum(_number(row, "points") for row in rows)
    max_points = _sum(_number(row, "max_points") for row in rows)
    return HiddenChecks(
        count=len(rows),
        points=points,
        max_points=max_points,
        passed=points is not None and points == max_points,
        until_due=any(row.get("visibility") == Visibility.AFTER_DUE for row in rows),
    )


def _verdict(
    report: Mapping[str, Any],
    checks: tuple[ShownCheck, ...],
    hidden: HiddenChecks | None,
    role_is_staff: bool,
) -> str:
    """A whole report's verdict may be that of a hidden check, so a student's is made of what they see.

    That the assignment or the grader failed is for everybody to know.
    """
    whole = _word(report, "verdict")
    if role_is_staff or whole in (Verdict.ASSIGNMENT_FAULT, Verdict.PLATFORM_FAULT):
        return whole
    if (failure := _first_failure(checks)) is not None:
        return failure.verdict
    return Verdict.PASSED if (hidden.passed if hidden else checks) else ""


def _terms(
    report: Mapping[str, Any], checks: tuple[ShownCheck, ...], hidden: HiddenChecks | None
) -> tuple[str, ...]:
    terms = [check.points for check in checks] + ([hidden.points] if hidden else [])
    total = _number(report, "points")
    if total is None or _sum(terms) != total:
        return ()
    return tuple(shown_points(term) for term in terms if term is not None)


def _hints(report: Mapping[str, Any], role_is_staff: bool) -> Iterator[Hint]:
    """A hint is for the student, whichever check gave the mistake away; its name is not."""
    given = report.get("mistakes")
    for row in given if isinstance(given, list) else []:
        if isinstance(row, Mapping) and (hint := text_of(row.get("hint"))):
            yield Hint(hint, _word(row, "id") if role_is_staff else "")


def _facts(provenance: Mapping[str, Any], role_is_staff: bool) -> Iterator[Fact]:
    """Students do not get the seed: it would let them make the hidden inputs."""
    names = _FOR_EVERYBODY | _FOR_STAFF if role_is_staff else _FOR_EVERYBODY
    for key, name in names.items():
        if provenance.get(key) is not None:
            yield Fact(name, text_of(provenance[key], 300))
    if role_is_staff:
        for key in provenance.keys() - names.keys() - _FAULTS.keys():
            yield Fact(text_of(key, 100).shown, text_of(provenance[key], 300))


def _mapping(report: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    found = report.get(key)
    return found if isinstance(found, Mapping) else {}


def _word(row: Mapping[str, Any], key: str) -> str:
    found = row.get(key)
    return text_of(found, 100).shown if isinstance(found, str) else ""


def _number(row: Mapping[str, Any], key: str) -> Decimal | None:
    found = row.get(key)
    if not isinstance(found, int | float) or isinstance(found, bool) or not math.isfinite(found):
        return None
    return Decimal(str(found))


def _sum(points: Iterable[Decimal | None]) -> Decimal | None:
    """None where one of them is not known."""
    total = Decimal(0)
    for each in points:
        if each is None:
            return None
        total += each
    return total
