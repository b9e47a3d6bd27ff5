"""May an assignment be published? Grades all that its folder holds, and hostile samples, and says what is missing."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Protocol

from grader.assignment import Assignment
from grader.report import CheckResult, Report, Verdict, shown_points
from grader.samples import hostile
from grader.source import Source

SOLUTION = "solution"
STARTER = "starter"


class Kind(StrEnum):
    """What a row of the table is about."""

    SOLUTION = "solution"
    STYLE = "style"  # right in another way
    STARTER = "starter"
    MISTAKE = "mistake"
    HOSTILE = "hostile"


# These say nothing about the code: the check did not come to an end, or a noisy machine could not tell.
_SAYS_NOTHING = {Verdict.NOT_RUN, Verdict.NOT_MEASURED, Verdict.ASSIGNMENT_FAULT, Verdict.PLATFORM_FAULT}


_STUDENTS_COPY = (
    "This is a student's copy, made by `grader export`: it has no solution, no hidden checks and no known mistakes, "
    "so it cannot be published. Take the assignment's own folder."
)


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
class File:
    """One file that is graded. allowed: the names that a known mistake may be given."""

    name: str
    kind: Kind
    text: str
    allowed: frozenset[str] = frozenset()


def files_of(assignment: Assignment) -> list[File]:
    """All that is graded, in this order, which is that of the table. Nothing of a student's copy."""
    if assignment.public_only:
        return []
    texts = assignment.files
    styles = [File(name, Kind.STYLE, texts[path]) for name, path in assignment.styles.items()]
    mistakes = [
        File(mistake.id, Kind.MISTAKE, texts[mistake.file], mistake.same_as | {mistake.id})
        for mistake in assignment.mistakes
    ]
    return [
        File(SOLUTION, Kind.SOLUTION, texts["solution.py"]),
        *styles,
        File(STARTER, Kind.STARTER, texts["starter.py"]),
        *mistakes,
        *(File(name, Kind.HOSTILE, text) for name, text in hostile(assignment.function).items()),
    ]


@dataclass(frozen=True)
class Row:
    """One graded file. `marks` has one mark for each check."""

    file: File
    marks: tuple[Mark, ...]
    result: str  # in a word or three
    report: Report

    @property
    def name(self) -> str:
        return self.file.name

    @property
    def kind(self) -> Kind:
        return self.file.kind

    @property
    def is_fault(self) -> bool:
        """True where grading itself broke."""
        return any(check.verdict.is_fault for check in self.report.checks)


@dataclass(frozen=True)
class Verification:
    """The whole answer. The assignment may be published when `problems` is empty."""

    assignment: Assignment
    table: tuple[Row, ...]  # the solution, its other styles, the starter, the mistakes, the hostile samples
    problems: tuple[str, ...]
    notes: tuple[str, ...]  # good to know; nothing that must be mended

    @property
    def faulty(self) -> bool:
        """True where grading itself broke, so that the table is not to be trusted."""
        return any(row.is_fault for row in self.table)


def verify(
    assignment: Assignment, grader: Grades, *, on_row: Callable[[Row], None] | None = None
) -> Verification:
    """Grade everything that the folder holds, and hostile samples. `on_row` is told each row as it is done."""
    if assignment.public_only:
        return Verification(assignment, (), (_STUDENTS_COPY,), ())
    table: list[Row] = []
    problems: list[str] = []
    # How long it takes says nothing about a mistake, and measuring takes long.
    untimed = replace(assignment, checks=tuple(check for check in assignment.checks if not check.timed))
    for file in files_of(assignment):
        whole = assignment if file.kind in (Kind.SOLUTION, Kind.STYLE) else untimed
        row = _row(assignment, file, grader.grade(whole, Source(file.text)))
        problems += _faults(row) + _problems(assignment, row)
        table.append(row)
        if on_row:
            on_row(row)
        # Where the checks cannot even be loaded, every other file would only say so again.
        if file.kind is Kind.SOLUTION and row.is_fault:
            break
    return Verification(assignment, tuple(table), tuple(problems), tuple(_notes(assignment, table)))


def _row(assignment: Assignment, file: File, report: Report) -> Row:
    checks = {check.id: check for check in report.checks}
    marks = tuple(_mark(checks.get(spec.id), file.allowed, spec.timed) for spec in assignment.checks)
    if any(check.verdict.is_fault for check in report.checks):
        result = "fault"
    elif file.kind is not Kind.MISTAKE:
        result = f"{shown_points(report.points)} of {shown_points(assignment.points)}"
    else:
        result = _in_words(marks, _names(report), file.allowed)
    return Row(file, marks, result, report)


def _mark(check: CheckResult | None, allowed: frozenset[str], timed: bool) -> Mark:
    """A timed check catches nothing: another must, on which no machine's mood has an influence."""
    if check is None or check.verdict in _SAYS_NOTHING:
        return Mark.UNKNOWN
    if check.verdict is Verdict.PASSED:
        return Mark.PASSED
    if timed:
        return Mark.UNKNOWN
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
    where = _called(row)
    # What a report says of a fault is for students; what it was stands where only the authors read it.
    told = row.report.provenance.get("fault") or next(
        (fault.message for fault in faults if fault.message), "nothing more is known"
    )
    article = "an" if faults[0].verdict is Verdict.ASSIGNMENT_FAULT else "a"
    return [f'Grading {where} ended in {article} {faults[0].verdict} at the check "{faults[0].id}": {told}']


def _problems(assignment: Assignment, row: Row) -> list[str]:
    """What is missing, beside faults."""
    if row.kind in (Kind.SOLUTION, Kind.STYLE):
        return _solution_problems(row, _timed(assignment))
    rules = {
        Kind.STARTER: _starter_problems,
        Kind.MISTAKE: _mistake_problems,
        Kind.HOSTILE: _hostile_problems,
    }
    return rules[row.kind](row)


def _timed(assignment: Assignment) -> frozenset[str]:
    return frozenset(check.id for check in assignment.checks if check.timed)


def _called(row: Row) -> str:
    """A row in the middle of a sentence."""
    called = {
        Kind.SOLUTION: "the solution",
        Kind.STYLE: f"styles/{row.name}.py",
        Kind.STARTER: "the starter",
        Kind.MISTAKE: f'the mistake "{row.name}"',
        Kind.HOSTILE: f'the hostile sample "{row.name}"',
    }
    return called[row.kind]


def _solution_problems(row: Row, timed: frozenset[str]) -> list[str]:
    """Of the solution, or of another right style. In timed checks they must be right, and may be slow."""
    subject = "The solution" if row.kind is Kind.SOLUTION else f"{_called(row)}, which should be right,"
    return [
        f'{subject} does not pass "{check.id}": {_told(check)}'
        for check in row.report.checks
        if not check.verdict.is_fault and check.verdict is not Verdict.NOT_MEASURED
        if check.verdict is not Verdict.PASSED or check.points != check.max_points
        if not (check.id in timed and check.verdict in (Verdict.PASSED, Verdict.TIME_LIMIT))
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


def _hostile_problems(row: Row) -> list[str]:
    return [
        f'{_called(row).capitalize()} gets {shown_points(check.points)} points from "{check.id}", which nobody earned. '
        "Let the check ask for a value."
        for check in row.report.checks
        if check.points > 0
    ]


def _mistake_problems(row: Row) -> list[str]:
    if row.is_fault:
        return []
    if not _caught(row.marks):
        return [f'The mistake "{row.name}" passes every check. Add a check that catches it.']
    names = _names(row.report)
    others = [name for name in names if name not in row.file.allowed]
    if others:
        return [
            f'The mistake "{row.name}" is taken for "{other}". Add a check that tells them apart; '
            f'if there can be none, write same_as = ["{other}"].'
            for other in others
        ]
    if not names:
        quiet = _SAYS_NOTHING | {Verdict.PASSED}
        first = next(check for check in row.report.checks if check.verdict not in quiet)
        return [
            f'The mistake "{row.name}" is caught, first by "{first.id}" ({first.verdict}), but not named: '
            "no value check sees it give an answer of its own. If another mistake gives the same, "
            "list that one under same_as."
        ]
    return []


def _told(check: CheckResult) -> str:
    if check.verdict is Verdict.PASSED:
        return f"it gets only {shown_points(check.points)} of {shown_points(check.max_points)} points."
    return f"{check.verdict}. {check.message}".rstrip()


def _measured(row: Row, timed: frozenset[str]) -> list[str]:
    """How fast right code is on this machine, which is for authors to judge."""
    notes = []
    for check in row.report.checks:
        if check.verdict is Verdict.NOT_MEASURED:
            note = f'"{check.id}" was not measured for {_called(row)}. {check.message}'
            notes.append(note.rstrip())
        elif check.id in timed and check.verdict in (Verdict.PASSED, Verdict.TIME_LIMIT):
            points = f"{shown_points(check.points)} of {shown_points(check.max_points)}"
            notes.append(f'"{check.id}" gives {_called(row)} {points} points here. {check.message}')
    return notes


def _notes(assignment: Assignment, table: list[Row]) -> list[str]:
    """Which checks and mistakes hang by one thread, and which checks by none."""
    timed = _timed(assignment)
    notes = [
        note for row in table if row.kind in (Kind.SOLUTION, Kind.STYLE) for note in _measured(row, timed)
    ]
    mistakes = [row for row in table if row.kind is Kind.MISTAKE]
    if not mistakes:
        return notes
    ids = [check.id for check in assignment.checks]
    catchers = {
        row.name: [id_ for id_, mark in zip(ids, row.marks, strict=True) if _caught([mark])]
        for row in mistakes
    }
    alone = {name: caught[0] for name, caught in catchers.items() if len(caught) == 1}
    idle = [id_ for id_ in ids if id_ not in timed and not any(id_ in caught for caught in catchers.values())]
    spare = [id_ for id_ in ids if id_ not in alone.values() and id_ not in idle and id_ not in timed]
    if alone:
        pairs = ", ".join(f"{name} (by {check})" for name, check in alone.items())
        notes.append(f"Caught by one check only: {pairs}.")
    if spare:
        notes.append(f"What these checks catch, others catch as well: {', '.join(spare)}.")
    if idle:
        notes.append(f"No known mistake fails these checks: {', '.join(idle)}.")
    return notes
