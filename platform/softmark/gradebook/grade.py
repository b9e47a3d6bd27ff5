"""Events become a grade. A pure rule: the same events, deadline and instant always give the same grade.

What late costs is worked out here each time and stored nowhere, so moving a deadline moves every grade.
Nothing is rounded: each value is one division, last, of exact numbers.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from typing import NamedTuple
from zoneinfo import ZoneInfo

from softmark.courses.deadlines import Deadline
from softmark.courses.late_policy import ON_TIME, Lateness, lateness
from softmark.gradebook.entries import Entry, Kind, standing

_ZERO = Decimal(0)
_FULL = Decimal(100)
# Plain strings compare four times faster, and a gradebook asks a hundred thousand times.
_AUTO, _OVERRIDE, _EXCUSE = Kind.AUTO.value, Kind.OVERRIDE.value, Kind.EXCUSE.value


class State(StrEnum):
    """Where a grade stands. A zero is GRADED, with 0 points."""

    NOT_DUE = "not yet due"
    NOT_SUBMITTED = "not submitted"
    WAITING = "waiting"  # handed in, and being graded
    NO_RESULT = (
        "no result"  # handed in, but a fault that is not the student's, or staff, took the result away
    )
    GRADED = "graded"
    UNRELEASED = "unreleased"  # graded, and not shown to students yet
    EXCUSED = "excused"


_GRADED = State.GRADED


@dataclass(frozen=True, slots=True)
class Unsettled:
    """What events do not say about what a student handed in for an item: how much is still being graded, how much
    will have no result by itself, and which attempts were given back.
    """

    waiting: int = 0
    without_result: int = 0
    returned: frozenset[int] = frozenset()


SETTLED = Unsettled()


class Attempt(NamedTuple):
    """One graded attempt. scaled: its points on the item's scale; points: what late leaves of them.

    A tuple, as Entry is.
    """

    submission: int
    number: int
    received_at: datetime
    run_points: Decimal
    run_max: Decimal
    late: Lateness
    scaled: Decimal
    points: Decimal
    returned: bool


@dataclass(frozen=True, slots=True)
class Grade:
    """The grade of one student for one item.

    points:     as staff see them; None where there are none, which is not 0.
    worth:      what it is in a total that it is in; None where it has no place in one.
    counted:    the attempt that counts among `attempts`; automatic: its points, also beside an override.
    automatic_is_newer: a run ended after the override.
    pending:    something more is being graded.
    """

    state: State
    points: Decimal | None
    max: Decimal
    worth: Decimal | None
    released: bool
    deadline: Deadline
    counted: Attempt | None = None
    attempts: tuple[Attempt, ...] = ()
    automatic: Decimal | None = None
    overridden: bool = False
    automatic_is_newer: bool = False
    pending: bool = False

    @property
    def is_late(self) -> bool:
        """The points shown are those of a late attempt."""
        return (
            self.points is not None
            and not self.overridden
            and self.counted is not None
            and self.counted.late.is_late
        )


def grade(
    entries: list[Entry], points: Decimal, deadline: Deadline, zone: ZoneInfo, now: datetime, *,
    released: bool = True, unsettled: Unsettled = SETTLED,
) -> Grade:  # fmt: skip
    """The grade that a cell's events, oldest first, give now. `points` are the full marks of the item."""
    override: Entry | None = None
    excused = False
    runs: dict[int, Entry] = {}  # by attempt: its newest run
    for entry in standing(entries):
        kind = entry.kind
        if kind == _AUTO:
            assert entry.submission is not None
            runs[entry.submission] = entry
        elif kind == _OVERRIDE:
            override = entry
        elif kind == _EXCUSE:
            excused = True
    returned = unsettled.returned
    attempts = tuple(
        [_attempt(run, points, deadline, zone, number in returned) for number, run in runs.items()]
    )
    counted = best(attempts)
    automatic = counted.points if counted is not None else None

    if override is not None:
        final = override.points
    else:
        final = automatic
    state, worth = _GRADED, final
    if excused:
        state, final, worth = State.EXCUSED, None, None
    elif final is None:
        handed_in = any(entry.kind == _AUTO for entry in entries) or unsettled.without_result > 0
        state, worth = _without_points(deadline, now, handed_in, unsettled.waiting > 0)
    elif not released:
        state = State.UNRELEASED
    return Grade(
        state=state,
        points=final,
        max=points,
        worth=worth,
        released=released,
        deadline=deadline,
        counted=counted,
        attempts=attempts,
        automatic=automatic,
        overridden=override is not None and not excused,
        automatic_is_newer=override is not None and any(run.id > override.id for run in runs.values()),
        pending=unsettled.waiting > 0,
    )


def best(attempts: tuple[Attempt, ...]) -> Attempt | None:
    """The best attempt after what late costs; of equal ones the earliest. Attempts given back do not count."""
    found: Attempt | None = None
    for attempt in attempts:
        if attempt.returned:
            continue
        if found is None or (attempt.points, -attempt.number) > (found.points, -found.number):
            found = attempt
    return found


def seen_by_student(grade: Grade) -> Grade:
    """The grade without what is not released."""
    if grade.released:
        return grade
    return replace(
        grade, points=None, worth=None, counted=None, attempts=(), automatic=None, overridden=False,
        automatic_is_newer=False,
    )  # fmt: skip


def _attempt(run: Entry, points: Decimal, deadline: Deadline, zone: ZoneInfo, returned: bool) -> Attempt:
    _, _, got, most, _, submission, number, received_at = run
    assert submission is not None
    assert number is not None
    assert received_at is not None
    assert got is not None
    assert most is not None
    late = ON_TIME
    if (
        deadline.due_at is not None and received_at > deadline.due_at
    ):  # mostly it is not: the rule need not be asked
        late = lateness(deadline.due_at, deadline.late_policy, received_at, zone)
    scaled = kept = got * points / most
    if late.percent_kept != _FULL:
        kept = got * points * late.percent_kept / (most * _FULL)
    return Attempt(submission, number, received_at, got, most, late, scaled, kept, returned)


def _without_points(
    deadline: Deadline, now: datetime, handed_in: bool, waiting: bool
) -> tuple[State, Decimal | None]:
    """The state of a cell that has no points, and what it is worth in a total: a zero only where nothing was
    handed in and nothing will be taken any more, or no end was set and it was due.
    """
    if waiting:
        return State.WAITING, None
    if handed_in:
        return State.NO_RESULT, None
    if deadline.is_closed(now):
        return State.NOT_SUBMITTED, _ZERO
    if deadline.is_past_due(now):
        return State.NOT_SUBMITTED, _ZERO if deadline.closes_at is None else None
    return State.NOT_DUE, None
