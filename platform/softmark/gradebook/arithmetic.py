"""A grade opened into its arithmetic, in words: "+2 h late, grace 15 min, −10 %: 9 → 8.1"."""

from __future__ import annotations

from decimal import Decimal

from softmark.courses.late_policy import LatePolicy
from softmark.gradebook.grade import Attempt, Grade, State
from softmark.gradebook.totals import Total
from softmark.ui.words import shown_duration, shown_points

_MINUS = "\N{MINUS SIGN}"


def lines(grade: Grade) -> list[str]:
    """How the grade came about, a line for each step. For a student, of what `seen_by_student` left."""
    if grade.state is State.EXCUSED:
        return ["Excused: in no total."]
    if grade.points is None:
        return _without_points(grade)
    told = []
    if grade.overridden:
        told.append(f"Set by hand: {_of(grade.points, grade.max)}.")
        if grade.automatic is not None:
            later = ", from a run that came after" if grade.automatic_is_newer else ""
            told.append(f"The automatic grade beside it{later}: {_of(grade.automatic, grade.max)}.")
    if grade.counted is not None:
        first, *rest = attempt_lines(grade.counted, grade.max, grade.deadline.late_policy)
        told += [f"Attempt {grade.counted.number}: {first}", *rest]
        valid = sum(not attempt.returned for attempt in grade.attempts)
        if valid > 1:
            told.append(f"The best of {valid} graded attempts, after what late costs.")
    return told


def attempt_lines(attempt: Attempt, full: Decimal, policy: LatePolicy) -> list[str]:
    """What one attempt came to."""
    told = [_of(attempt.run_points, attempt.run_max)]
    if attempt.run_max != full:
        told[0] += f", which is {_of(attempt.scaled, full)}"
    if attempt.late.is_late:
        told.append(_late(attempt, full, policy))
    if attempt.returned:
        told.append("Given back: it does not count.")
    return told


def total_line(total: Total) -> str:
    """A total as one sentence."""
    if not total.items:
        return "Nothing has come to a result yet."
    items = "1 item" if total.items == 1 else f"{total.items} items"
    return f"{_of(total.points, total.max)} over {items}"


def _late(attempt: Attempt, full: Decimal, policy: LatePolicy) -> str:
    late = attempt.late
    seconds = late.by.total_seconds()
    by = shown_duration(seconds // 60 * 60, short=True) if seconds >= 60 else "under 1 min"
    if late.days == 0:
        return f"+{by} late, within the grace of {policy.grace_minutes} min: nothing is lost"
    told = f"+{by} late"
    if policy.grace_minutes:
        told += f", grace {policy.grace_minutes} min"
    if late.percent_lost == 0:
        return f"{told}: late costs nothing here"
    told += f", {_MINUS}{_plain(late.percent_lost)} %"
    if policy.percent_per_day * late.days > late.percent_lost:
        told += f" (at least {_plain(late.percent_kept)} % are kept)"
    elif late.days > 1:
        told += f" ({late.days} days begun, {_plain(policy.percent_per_day)} % each)"
    before, after = (shown_points(value, full)[0] for value in (attempt.scaled, attempt.points))
    return f"{told}: {before} → {after}"


def _without_points(grade: Grade) -> list[str]:
    match grade.state:
        case State.UNRELEASED:
            return ["Graded, and not released yet."]
        case State.WAITING:
            return ["Handed in, and being graded: not in the total yet."]
        case State.NO_RESULT:
            return ["Handed in, but there is no result that counts. In no total; staff look into it."]
        case State.NOT_SUBMITTED if grade.worth is None:
            return ["Nothing was handed in: not in the total yet."]
        case State.NOT_SUBMITTED:
            return [f"Nothing was handed in: {_of(Decimal(0), grade.max)} in the total."]
        case _:
            return ["Nothing was handed in yet: not in the total."]


def _of(points: Decimal, full: Decimal) -> str:
    shown, most = shown_points(points, full)
    return f"{shown} of {most}"


def _plain(percent: Decimal) -> str:
    return shown_points(percent)[0]
