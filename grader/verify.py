"""May an assignment be published? Grades its solution, starter and mistakes, and says what is missing."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from grader.assignment import Assignment, MistakeSpec
from grader.report import CheckResult, Report, Verdict, shown_points
from grader.source import Source

SOLUTION = "solution"
STARTER = "starter"

# These say nothing about the code: the check did not come to an end, or a noisy machine could not tell.
_SAYS_NOTHING = {Verdict.NOT_RUN, Verdict.NOT_MEASURED, Verdict.ASSIGNMENT_FAULT, Verdict.PLATFORM_FAULT}


class Grades(Protocol):
    """The part of a Grader that verifying needs."""

    def grade(
        self,
        assignment: Assignment,
        source: Source,
        *,
        seed: int | None = None,
        on_check: Callable[[CheckResult], None] | None = None,
    ) -> Report: ...


class Mark(StrEnum):
    """What one check made of one file."""

    NAMED = "named"  # caught, and recognised as the mistake that it is
    CAUGHT = "caught"
    PASSED = "passed"
    MISNAMED = "misnamed"  # caught, and taken for another mistake
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Row:
    """One graded file: the solution, the starter or a known mistake. `marks` has one mark for each check."""

    name: str
    marks: tuple[Mark, ...]
    result: str  # in a word or three
    report: Report


@dataclass(frozen=True)
class Verification:
    """The whole answer. The assignment may be published when `problems` is empty."""

    assignment: Assignment
    table: tuple[Row, ...]  # the solution, the starter, then the mistakes
    problems: tuple[str, ...]
    notes: tuple[str, ...]  # good to know; nothing that must be mended

    @property
    def faulty(self) -> bool:
        """True where grading itself broke, so that the table is not to be trusted."""
        return any(check.verdict.is_fault for row in self.table for check in row.report.checks)


def verify(
    assignment: Assignment, grader: Grades, *, on_row: Callable[[Row], None] | None = None
) -> Verification:
    """Grade everything that the folder holds. `on_row` is told each row as it is done."""
    table: list[Row] = []
    problems: list[str] = []

    def graded(name: str, file: str, allowed: frozenset[str]) -> Row:
        report = grader.grade(assignment, Source(assignment.files[file]))
        row = _row(assignment, name, report, allowed)
        problems.extend(_faults(row))
        table.append(row)
        if on_row:
            on_row(row)
        return row

    solution = graded(SOLUTION, "solution.py", frozenset())
    problems += _solution_problems(solution)
    # Where the checks cannot even be loaded, every other file would only say so again.
    if not any(check.verdict.is_fault for check in solution.report.checks):
        problems += _starter_problems(graded(STARTER, "starter.py", frozenset()))
        for mistake in assignment.mistakes:
            row = graded(mistake.id, mistake.file, mistake.same_as | {mistake.id})
            problems += _mistake_problems(mistake, row)
    return Verification(assignment, tuple(table), tuple(problems), tuple(_notes(assignment, table)))


def _row(assignment: Assignment, name: str, report: Report, allowed: frozenset[str]) -> Row:
    checks = {check.id: check for check in report.checks}
    marks = tuple(_mark(checks.get(spec.id), allowed) for spec in assignment.checks)
    if any(check.verdict.is_fault for check in report.checks):
        result = "fault"
    elif name in (SOLUTION, STARTER):
        result = f"{shown_points(report.points)} of {shown_points(report.max_points)}"
    else:
        result = _in_words(marks, _names(report), allowed)
    return Row(name, marks, result, report)


def _mark(check: CheckResult | None, allowed: frozenset[str]) -> Mark:
    if check is None or check.verdict in _SAYS_NOTHING:
        return Mark.UNKNOWN
    if check.verdict is Verdict.PASSED:
        return Mark.PASSED
    if check.mistake is None:
        return Mark.CAUGHT
    return Mark.NAMED if check.mistake in allowed else Mark.MISNAMED


def _in_words(marks: tuple[Mark, ...], names: list[str], allowed: frozenset[str]) -> str:
    if not _caught(marks):
        return "missed"
    if not names:
        return "not named"
    return "named" if allowed.issuperset(names) else "misnamed"


def _names(report: Report) -> list[str]:
    """Every mistake that the report names, each once."""
    by_checks = [check.mistake for check in report.checks if check.mistake is not None]
    return list(dict.fromkeys([mistake.id for mistake in report.mistakes] + by_checks))


def _caught(marks: Iterable[Mark]) -> bool:
    return any(mark in (Mark.NAMED, Mark.CAUGHT, Mark.MISNAMED) for mark in marks)


def _faults(row: Row) -> list[str]:
    faults = [check for check in row.report.checks if check.verdict.is_fault]
    if not faults:
        return []
    where = f"{row.name}.py" if row.name in (SOLUTION, STARTER) else f'the mistake "{row.name}"'
    told = next((fault.message for fault in faults if fault.message), "nothing more is known")
    article = "an" if faults[0].verdict is Verdict.ASSIGNMENT_FAULT else "a"
    return [f'Grading {where} ended in {article} {faults[0].verdict} at the check "{faults[0].id}": {told}']


def _solution_problems(row: Row) -> list[str]:
    return [
        f'The solution does not pass "{check.id}": {_told(check)}'
        for check in row.report.checks
        if not check.verdict.is_fault and check.verdict is not Verdict.NOT_MEASURED
        if check.verdict is not Verdict.PASSED or check.points != check.max_points
    ]


def _starter_problems(row: Row) -> list[str]:
    problems = []
    for check in row.report.checks:
        if check.points > 0:
            problems.append(
                f'The starter already gets {shown_points(check.points)} points from "{check.id}". '
                "It must get none: leave out of it what earns them, or make the check ask for more."
            )
        if check.verdict is Verdict.CRASHED:
            problems.append(f'The starter crashes at "{check.id}". It may fail, but must end by itself.')
    return problems


def _mistake_problems(mistake: MistakeSpec, row: Row) -> list[str]:
    if row.result == "fault":
        return []
    if not _caught(row.marks):
        return [f'The mistake "{mistake.id}" passes every check. Add a check that catches it.']
    names = _names(row.report)
    others = [name for name in names if name not in mistake.same_as | {mistake.id}]
    if others:
        return [
            f'The mistake "{mistake.id}" is taken for "{other}". Add a check that tells them apart; '
            f'if there can be none, write same_as = ["{other}"].'
            for other in others
        ]
    if not names:
        quiet = _SAYS_NOTHING | {Verdict.PASSED}
        first = next(check for check in row.report.checks if check.verdict not in quiet)
        return [
            f'The mistake "{mistake.id}" is caught, first by "{first.id}" ({first.verdict}), but not named: '
            "no value check sees it give an answer of its own. If another mistake gives the same, "
            "list that one under same_as."
        ]
    return []


def _told(check: CheckResult) -> str:
    if check.verdict is Verdict.PASSED:
        return f"it gets only {shown_points(check.points)} of {shown_points(check.max_points)} points."
    return f"{check.verdict}. {check.message}".rstrip()


def _notes(assignment: Assignment, table: list[Row]) -> list[str]:
    """Which checks and mistakes hang by one thread, and which checks by none."""
    notes = [
        f'"{check.id}" was not measured for the solution, as this machine was too busy. Verify again.'
        for row in table[:1]
        for check in row.report.checks
        if check.verdict is Verdict.NOT_MEASURED
    ]
    mistakes = table[2:]
    if not mistakes:
        return notes
    ids = [check.id for check in assignment.checks]
    catchers = {
        row.name: [id_ for id_, mark in zip(ids, row.marks, strict=True) if _caught([mark])]
        for row in mistakes
    }
    alone = {name: caught[0] for name, caught in catchers.items() if len(caught) == 1}
    idle = [id_ for id_ in ids if not any(id_ in caught for caught in catchers.values())]
    spare = [id_ for id_ in ids if id_ not in alone.values() and id_ not in idle]
    if alone:
        pairs = ", ".join(f"{name} (by {check})" for name, check in alone.items())
        notes.append(f"Caught by one check only: {pairs}.")
    if spare:
        notes.append(f"What these checks catch, others catch as well: {', '.join(spare)}.")
    if idle:
        notes.append(f"No known mistake fails these checks: {', '.join(idle)}.")
    return notes
