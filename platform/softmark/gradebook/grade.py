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
from softmark.courses.late_policy import Lateness
from softmark.gradebook.entries import Entry, Happening, Kind, Predicted, standing
from softmark.gradebook.quiz import Answer, quiz
from softmark.lessons.policies import time_ends

_ZERO = Decimal(0)
_FULL = Decimal(100)
# Plain strings compare four times faster, and a gradebook asks a hundred thousand times.
_AUTO, _QUIZ, _OVERRIDE, _EXCUSE = (kind.value for kind in (Kind.AUTO, Kind.QUIZ, Kind.OVERRIDE, Kind.EXCUSE))


class State(StrEnum):
    """Where a grade stands. A zero is GRADED, with 0 points."""

    NOT_DUE = "not yet due"
    NOT_SUBMITTED = "not submitted"
    WAITING = "waiting"  # handed in, and being graded
    NO_RESULT = (
        "no result"  # handed in, but a fault that is not the student's, or staff, took the result away
    )
    UNDER_WAY = "under way"  # a lesson that somebody has come some way in: has points, and is in no total yet
    GRADED = "graded"
    UNRELEASED = "unreleased"  # graded, and not shown to students yet
    EXCUSED = "excused"


_GRADED = State.GRADED


@dataclass(frozen=True, slots=True)
class Unsettled:
    """What events do not say about what a student handed in for an item: how much is still being graded, how much
    will have no result by itself, and which attempts were given back.

    ends_at: of a lesson that is not done, where its time limit ends: what that leaves is then settled by somebody.
    """

    waiting: int = 0
    without_result: int = 0
    returned: frozenset[int] = frozenset()
    ends_at: datetime | None = None

    def waits(self, deadline: Deadline, now: datetime) -> bool:
        """Something comes yet, whatever its student does."""
        if self.ends_at is None:
            return self.waiting > 0
        ends = time_ends(self.ends_at, deadline, trial=False)
        return ends is not None and now >= ends


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
    counts:     of a lesson, how its predictions do; answers: those that there are, of so many stops.
    automatic_is_newer: a run ended, or a prediction was made, after the override.
    pending:    something more is being graded, or of a lesson settled, and it would change this.
    """

    state: State
    points: Decimal | None
    max: Decimal
    worth: Decimal | None
    released: bool
    deadline: Deadline
    counted: Attempt | None = None
    attempts: tuple[Attempt, ...] = ()
    counts: str | None = None
    answers: tuple[Answer, ...] = ()
    stops: int = 0
    automatic: Decimal | None = None
    overridden: bool = False
    automatic_is_newer: bool = False
    pending: bool = False

    @property
    def is_late(self) -> bool:
        """The points shown are those of a late attempt, or of predictions of which some were late."""
        if self.points is None or self.overridden:
            return False
        if self.counted is not None:
            return self.counted.late.is_late
        return any(answer.late.is_late for answer in self.answers)


def grade(
    entries: list[Happening], points: Decimal, deadline: Deadline, zone: ZoneInfo, now: datetime, *,
    released: bool = True, unsettled: Unsettled = SETTLED, counts: str | None = None,
) -> Grade:  # fmt: skip
    """The grade that a cell's events, oldest first, give now. `points` are the full marks of the item.

    counts: of a lesson, how its predictions do.
    """
    override: Entry | None = None
    excused = False
    newest = 0
    runs: dict[int, Entry] = {}  # by attempt: its newest run
    valid = standing(entries)
    for entry in valid:
        if isinstance(entry, Predicted):
            newest = entry.id
            continue
        kind = entry.kind
        if kind == _AUTO:
            assert entry.submission is not None
            runs[entry.submission] = entry
            newest = entry.id
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
    predicted = None if counts is None else quiz(entries, valid, points, deadline, zone, counts)
    if predicted is not None:
        automatic = predicted.points

    if override is not None:
        final = override.points
    else:
        final = automatic
    state, worth, waits = _GRADED, final, unsettled.waits(deadline, now)
    if excused:
        state, final, worth = State.EXCUSED, None, None
    elif final is None:
        handed_in = any(entry.kind in (_AUTO, _QUIZ) for entry in entries) or unsettled.without_result > 0
        state, worth = _without_points(deadline, now, handed_in, waits)
    elif (
        predicted is not None and override is None and not predicted.is_done
        and (waits or not _is_over(deadline, now))
    ):  # fmt: skip
        state, worth = State.UNDER_WAY, None
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
        counts=counts,
        answers=predicted.answers if predicted is not None else (),
        stops=predicted.stops if predicted is not None else 0,
        automatic=automatic,
        overridden=override is not None and not excused,
        automatic_is_newer=override is not None and newest > override.id,
        pending=unsettled.waiting > 0 or (waits and override is None and not excused),
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
        grade, points=None, worth=None, counted=None, attempts=(), answers=(), automatic=None, overridden=False,
        automatic_is_newer=False,
    )  # fmt: skip


def _attempt(run: Entry, points: Decimal, deadline: Deadline, zone: ZoneInfo, returned: bool) -> Attempt:
    _, _, got, most, _, submission, number, received_at = run
    assert submission is not None
    assert number is not None
    assert received_at is not None
    assert got is not None
    assert most is not None
    late = deadline.lateness(received_at, zone)
    scaled = kept = got * points / most
    if late.percent_kept != _FULL:
        kept = got * points * late.percent_kept / (most * _FULL)
    return Attempt(submission, number, received_at, got, most, late, scaled, kept, returned)


def _without_points(
    deadline: Deadline, now: datetime, handed_in: bool, waiting: bool
) -> tuple[State, Decimal | None]:
    """The state of a cell that has no points, and what it is worth in a total: a zero only where nothing was
    handed in and it is over.
    """
    if waiting:
        return State.WAITING, None
    if handed_in:
        return State.NO_RESULT, None
    if _is_over(deadline, now):
        return State.NOT_SUBMITTED, _ZERO
    return State.NOT_SUBMITTED if deadline.is_past_due(now) else State.NOT_DUE, None


def _is_over(deadline: Deadline, now: datetime) -> bool:
    """Nothing will be taken any more, or no end was set and it was due."""
    return deadline.is_closed(now) or (deadline.closes_at is None and deadline.is_past_due(now))
