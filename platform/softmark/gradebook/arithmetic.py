"""A grade opened into its arithmetic, in words: "+2 h late, grace 15 min, −10 %: 9 → 8.1"."""

from __future__ import annotations

from decimal import Decimal

from softmark.courses.late_policy import LatePolicy
from softmark.gradebook.grade import Attempt, Grade, State
from softmark.gradebook.quiz import SELF, Answer
from softmark.gradebook.totals import Total
from softmark.lessons.credit import CORRECTNESS
from softmark.ui.words import shown_duration, shown_points

_MINUS = "\N{MINUS SIGN}"
_MADE = {"prediction": ("Predictions", "made"), "question": ("Answers", "given")}


def lines(grade: Grade, *, each: bool = True, stop: str = "prediction") -> list[str]:
    """How the grade came about, a line for each step. For a student, of what `seen_by_student` left.

    each: with a line for each prediction, where those are not shown beside it. stop: what one is called there.
    """
    if grade.state is State.EXCUSED:
        return ["Excused: in no total."]
    if grade.points is None:
        return _without_points(grade, stop)
    told = []
    if grade.overridden:
        told.append(f"Set by hand: {_of(grade.points, grade.max)}.")
        if grade.automatic is not None:
            source = "from a run" if grade.counts is None else "with what"
            later = f", {source} that came after" if grade.automatic_is_newer else ""
            told.append(f"The automatic grade beside it{later}: {_of(grade.automatic, grade.max)}.")
    if grade.counted is not None:
        first, *rest = attempt_lines(grade.counted, grade.max, grade.deadline.late_policy)
        told += [f"Attempt {grade.counted.number}: {first}", *rest]
        valid = sum(not attempt.returned for attempt in grade.attempts)
        if valid > 1:
            told.append(f"The best of {valid} graded attempts, after what late costs.")
    return told + _predictions(grade, each, stop)


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


def answer_lines(answer: Answer, counts: str, policy: LatePolicy) -> list[str]:
    """What one prediction came to."""
    if answer.taken_back:
        return [f"taken back: {_of(answer.points, answer.part)}"]
    if counts == CORRECTNESS or answer.by_share:
        word = share_word(answer.share, answer.source, answer.answered)
        if answer.source == SELF and answer.answered:
            word += ", so it counts as made"
    else:
        word = "made" if answer.scaled else "no answer"
    told = [f"{word}: {_of(answer.scaled, answer.part)}"]
    if answer.late.is_late and answer.scaled:
        told.append(_late(answer, answer.part, policy))
    return told


def share_word(share: Decimal, source: str, answered: bool) -> str:
    """How right a prediction is, and who says so."""
    match source:
        case "ta":
            return "marked by staff"
        case _ if not answered:
            return "no answer"
        case "self":
            return "not marked by staff yet"
        case _:
            return "right" if share == 1 else "partly right" if share else "not right"


def total_line(total: Total) -> str:
    """A total as one sentence."""
    if not total.items:
        return "Nothing has come to a result yet."
    items = "1 item" if total.items == 1 else f"{total.items} items"
    return f"{_of(total.points, total.max)} over {items}"


def _predictions(grade: Grade, each: bool, stop: str) -> list[str]:
    if not grade.answers or grade.counts is None:
        return []
    what, made = _MADE[stop]
    told = [f"{what} count for being {'right' if grade.counts == CORRECTNESS else made}."]
    for answer in grade.answers if each else ():
        first, *rest = answer_lines(answer, grade.counts, grade.deadline.late_policy)
        told += [f"{stop.capitalize()} {answer.place}, {first}", *rest]
    if len(grade.answers) < grade.stops:
        so_far = f"{len(grade.answers)} of {grade.stops} {stop}s"
        if grade.state is State.UNDER_WAY:
            told.append(f"{so_far} so far: not in the total yet.")
        else:
            told.append(f"{so_far}: the others earn nothing.")
    return told


def _late(attempt: Attempt | Answer, full: Decimal, policy: LatePolicy) -> str:
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


def _without_points(grade: Grade, stop: str) -> list[str]:
    done = "handed in" if grade.counts is None else "answered" if stop == "question" else "predicted"
    match grade.state:
        case State.UNRELEASED:
            return ["Graded, and not released yet."]
        case State.WAITING if grade.counts is not None:
            return ["The time is over, and what it left is being settled: not in the total yet."]
        case State.WAITING:
            return ["Handed in, and being graded: not in the total yet."]
        case State.NO_RESULT:
            return [
                f"{done.capitalize()}, but there is no result that counts. In no total; staff look into it."
            ]
        case State.UNDER_WAY:
            return ["Under way, and its points are not released yet."]
        case State.NOT_SUBMITTED if grade.worth is None:
            return [f"Nothing was {done}: not in the total yet."]
        case State.NOT_SUBMITTED:
            return [f"Nothing was {done}: {_of(Decimal(0), grade.max)} in the total."]
        case _:
            return [f"Nothing was {done} yet: not in the total."]


def _of(points: Decimal, full: Decimal) -> str:
    shown, most = shown_points(points, full)
    return f"{shown} of {most}"


def _plain(percent: Decimal) -> str:
    return shown_points(percent)[0]
