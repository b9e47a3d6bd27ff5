"""Writing what a learner does with a question that came back: it is drawn anew, and predicted for practice."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction

from softmark.lessons import queries, revisit_queries
from softmark.lessons.actions import ANSWERED, Committed, Held, Refused, freeze_draw, hold, keep_draft, take
from softmark.lessons.models import Draw, Prediction, Revisit
from softmark.lessons.policies import may_revisit
from softmark.lessons.questions import Invalid


def look(revisit: Revisit, now: datetime) -> Draw | None:
    """What is asked, frozen from the first time on; None where it is not due any more. Raises Refused.

    Holds the reading's lock while it draws, so that nothing is drawn for a question that was just answered.
    """
    newest = revisit_queries.newest_draw(revisit)
    if revisit_queries.waits(newest):
        return newest
    with transaction.atomic():
        held = hold(revisit.reading)
        newest = revisit_queries.newest_draw(revisit)
        if revisit_queries.waits(newest):
            return newest
        if not Revisit.objects.filter(pk=revisit.pk, due_at__lte=now).exists():
            return None
        question = held.content.questions[revisit.question]
        return freeze_draw(held.reading, question, newest.number + 1, now)


def commit(draw: Draw, posted: Sequence[str], confidence: int | None, now: datetime) -> Committed:
    """Takes a prediction that is for practice, and plans when the question comes back next: the first one wins.

    Raises Refused, or Invalid as actions.commit does. Holds the lock on the reading.
    """
    with transaction.atomic():
        held, draw, prediction = _hold(draw)
        if prediction is not None:
            return Committed(prediction, is_new=False)
        _refuse_unless_open(held)
        outcome = take(held, draw, posted, confidence, now)
    if isinstance(outcome, Invalid):  # raised outside, so that the draft stays
        raise outcome
    return outcome


def save_draft(draw: Draw, posted: Sequence[str], now: datetime) -> Draw:
    """Keeps what stands in the form. Holds the reading's lock. Raises Refused."""
    with transaction.atomic():
        held, draw, prediction = _hold(draw)
        if prediction is not None:
            raise Refused(ANSWERED)
        _refuse_unless_open(held)
        keep_draft(draw, posted, now)
        return draw


def _hold(draw: Draw) -> tuple[Held, Draw, Prediction | None]:
    """And the draw with its prediction, as they are when the lock is had."""
    held = hold(draw.reading)
    draw = revisit_queries.later_draws().get(pk=draw.pk)
    return held, draw, draw.made


def _refuse_unless_open(held: Held) -> None:
    reading = held.reading
    decision = may_revisit(queries.circumstances(reading.lesson, reading.learner, reading))
    if not decision.allowed:
        raise Refused(decision.reason)
