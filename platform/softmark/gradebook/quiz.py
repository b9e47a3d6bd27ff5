"""What the predictions in a lesson earn: a pure rule, with its late costs, derived whenever a grade is.

Every stop is the same part of the lesson's full marks. By completion a prediction earns its part for being made, by
correctness its share of it; one that only its learner has marked counts as made until staff mark it. What no rule can
mark, a text and what has no answer, earns the share that staff give it, by completion too.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import NamedTuple
from zoneinfo import ZoneInfo

from softmark.courses.deadlines import Deadline
from softmark.courses.late_policy import Lateness
from softmark.gradebook.entries import Happening, Predicted
from softmark.lessons.credit import by_share

SELF = "self"
_NOTHING, _ALL, _FULL = Decimal(0), Decimal(1), Decimal(100)


class Answer(NamedTuple):
    """A prediction as it counts. part: the points of its stop; scaled: what it earns of them; points: what late
    leaves of that.

    taken_back: staff took it back, so it earns nothing. by_share: it earns its share, and not for being made.
    """

    prediction: int
    place: int
    received_at: datetime
    share: Decimal
    source: str
    answered: bool
    taken_back: bool
    by_share: bool
    part: Decimal
    late: Lateness
    scaled: Decimal
    points: Decimal


@dataclass(frozen=True, slots=True)
class Quiz:
    """All the predictions of a lesson so far, in the order of its stops. points: None where none counts."""

    answers: tuple[Answer, ...]
    stops: int
    points: Decimal | None

    @property
    def is_done(self) -> bool:
        return len(self.answers) >= self.stops


def quiz(
    entries: Sequence[Happening], valid: Collection[Happening], full: Decimal, deadline: Deadline, zone: ZoneInfo,
    counts: str,
) -> Quiz | None:  # fmt: skip
    """What was predicted, if anything was. valid: the entries that nobody took back; full: the lesson's marks.

    The first entry of a prediction is its own, and later ones are marks: where that one was taken back, it earns
    nothing, whatever its marks.
    """
    made = {entry.prediction: entry for entry in reversed(entries) if isinstance(entry, Predicted)}
    if not made:
        return None
    texts = {entry.prediction for entry in entries if isinstance(entry, Predicted) and entry.source == SELF}
    standing = {entry.id for entry in valid}
    newest = {
        entry.prediction: entry
        for entry in valid
        if isinstance(entry, Predicted) and made[entry.prediction].id in standing
    }
    stops = max(entry.stops for entry in made.values())
    answers, hundredths = [], _NOTHING  # of stops
    for prediction, known in made.items():
        entry = newest.get(prediction)
        is_by_share = entry is not None and by_share(
            counts, entry.source, is_text=prediction in texts, is_answered=entry.answered
        )
        gets = _NOTHING if entry is None else _earned(entry, is_by_share)
        late = deadline.lateness(known.received_at, zone)
        kept = gets * late.percent_kept
        hundredths += kept
        entry = entry or known
        answers.append(
            Answer(
                prediction, known.place, known.received_at, entry.share, entry.source, entry.answered,
                prediction not in newest, is_by_share, full / stops, late, full * gets / stops,
                full * kept / (stops * _FULL),
            )
        )  # fmt: skip
    answers.sort(key=lambda answer: answer.place)
    points = full * hundredths / (stops * _FULL) if newest else None
    return Quiz(tuple(answers), stops, points)


def _earned(entry: Predicted, is_by_share: bool) -> Decimal:
    """Of the part of one stop, from 0 to 1, before what late costs."""
    if is_by_share:
        return entry.share
    return _ALL if entry.answered else _NOTHING
