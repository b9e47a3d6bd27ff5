"""Writing what a learner does in a lesson: beginning, drafting, predicting."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any

import structlog
from django.db import transaction

from softmark.accounts.models import User
from softmark.courses.policies import Decision
from softmark.lessons import queries, signals
from softmark.lessons.compiled import Compiled, Unshowable, compiled
from softmark.lessons.drawing import frozen, seal, variant_for
from softmark.lessons.drawn import Question
from softmark.lessons.models import SURE, Draw, Lesson, Prediction, Reading
from softmark.lessons.policies import may_begin, may_commit, may_read
from softmark.lessons.questions import Invalid, Mark
from softmark.lessons.standing import Standing, reached_in

log = structlog.get_logger(__name__)

MOST_DRAFTED = 20_000  # characters of a draft
MOST_TEXTS = 200  # of which a draft consists

_NOT_HERE = "There is no such question in this lesson. Load the page again."
_NOT_REACHED = "You have not come to this question yet: first predict at the stops before it."
_NOT_SHOWN = "This question has not been shown to you yet. Load the page, and answer it there."
_ANSWERED = "You have answered this question already, and the first answer counts."
_TOO_LONG = f"This is too long to be kept: at most {MOST_DRAFTED:,} characters are. Shorten it."
_UNSURE = "What came does not say how sure you are. Pick one of the four, or none."


@dataclass
class Refused(Exception):
    """It was not taken. The reason is a sentence for the learner."""

    reason: str


@dataclass(frozen=True)
class Committed:
    """The prediction that counts. is_new: False where there was one already, which stays."""

    prediction: Prediction
    is_new: bool


@transaction.atomic
def begin(lesson: Lesson, learner: User, now: datetime) -> Reading:
    """The learner's reading: the one that there is, or one that begins now with the newest version. Raises Refused."""
    lesson = queries.lessons_of(lesson.item.course).get(pk=lesson.pk)
    found = queries.reading_of(lesson, learner)
    around = queries.circumstances(lesson, learner, found)
    if found is not None:
        _refuse_unless(may_read(around, now))
        return found
    _refuse_unless(may_begin(around, now))
    limit = lesson.time_limit
    reading, _ = Reading.objects.get_or_create(
        lesson=lesson, learner=learner,
        defaults={
            "version": lesson.version, "started_at": now,
            "ends_at": None if limit is None else now + timedelta(minutes=limit),
        },
    )  # fmt: skip
    return reading


def look(reading: Reading, now: datetime) -> Standing:
    """What a page may show by now: settles what its time limit left, and draws the stop that waits. Raises Refused."""
    settle(reading, now)
    try:
        standing = queries.standing(reading)
        if standing.reached is None or standing.parts[-1].stop is not None:
            return standing
        draw_of(reading, standing.reached)
        return queries.standing(reading)
    except Unshowable as unshowable:
        raise Refused(str(unshowable)) from None


def draw_of(reading: Reading, question_id: str) -> Draw:
    """What the learner is asked there, frozen from the first time on. Raises Refused where they have not come to it."""
    content = _content(reading)
    question = _question(content, question_id)
    counted = queries.counted(reading)
    if question_id in counted.draws:
        return counted.draws[question_id]
    if reached_in(content, counted.predictions) != question_id:
        raise Refused(_NOT_REACHED)
    return _draw(reading, question)


def save_draft(reading: Reading, question_id: str, posted: Sequence[str], now: datetime) -> Draw:
    """Keeps what stands in the form. Of two tabs the last one wins. Holds the reading's lock. Raises Refused."""
    settle(reading, now)
    with transaction.atomic():
        held = _hold(reading)
        _question(held.content, question_id)
        if question_id in held.predictions:
            raise Refused(_ANSWERED)
        draw = _open_draw(held, question_id, now)
        if not _fits(posted):
            raise Refused(_TOO_LONG)
        _keep(draw, posted, now)
        return draw


def commit(
    reading: Reading, question_id: str, posted: Sequence[str], confidence: int | None, now: datetime
) -> Committed:
    """Takes a prediction that was received at the instant `now`: the first one wins.

    Raises Refused, or Invalid where nothing can be graded: that is no commit, and what was typed becomes the draft.
    Holds the lock on the reading, so whatever comes for it at the same time waits here, and finds it committed.
    """
    settle(reading, now)
    with transaction.atomic():
        outcome = _commit(_hold(reading), question_id, posted, confidence, now)
    if isinstance(outcome, Invalid):  # raised outside, so that the draft stays
        raise outcome
    return outcome


def settle(reading: Reading, now: datetime) -> tuple[Prediction, ...]:
    """Where the time limit has run out: commits a draft that is an answer, records no answer wherever there is none,
    and so opens the whole lesson. Whatever touches a reading comes through here first. Holds the reading's lock.
    """
    if not reading.is_over(now) or reading.finished_at is not None:
        return ()
    with transaction.atomic():
        held = _hold(reading)
        over = held.reading.ends_at
        if over is None or now < over:
            return ()
        settled = []
        for question_id, question in held.content.questions.items():
            if question_id in held.predictions:
                continue
            draw = held.draws.get(question_id) or _draw(held.reading, question)
            response, posted = _drafted(held, draw, question)
            settled.append(
                _record(held, draw, question, posted, response, None, over, Prediction.How.TIME_LIMIT)
            )
        return tuple(settled)


# -- under the lock


@dataclass(frozen=True)
class _Held:
    """A reading whose row is locked, and what had been drawn and predicted when the lock was had."""

    reading: Reading
    content: Compiled
    draws: dict[str, Draw]
    predictions: dict[str, Prediction]


def _hold(reading: Reading) -> _Held:
    locked = queries.readings().select_for_update(of=("self",)).get(pk=reading.pk)
    counted = queries.counted(locked)
    return _Held(locked, _content(locked), counted.draws, counted.predictions)


def _commit(
    held: _Held, question_id: str, posted: Sequence[str], confidence: int | None, now: datetime
) -> Committed | Invalid:
    question = _question(held.content, question_id)
    if question_id in held.predictions:
        return Committed(held.predictions[question_id], is_new=False)
    draw = _open_draw(held, question_id, now)
    try:
        response = question.type.read(posted, question.settings, seal(held.reading, question_id, draw.number))
        if confidence is not None and confidence not in SURE:
            raise Invalid(_UNSURE)
        if not _fits(posted):  # spaces around an answer
            raise Invalid(_TOO_LONG)
    except Invalid as invalid:
        if _fits(posted):
            _keep(draw, posted, now)
        return invalid
    prediction = _record(
        held, draw, question, posted, response, confidence, now, Prediction.How.LEARNER
    )  # fmt: skip
    return Committed(prediction, is_new=True)


def _open_draw(held: _Held, question_id: str, now: datetime) -> Draw:
    """The draw of the stop that waits, where something is taken for it now. Raises Refused."""
    reading = held.reading
    _refuse_unless(may_commit(queries.circumstances(reading.lesson, reading.learner, reading), now))
    if reached_in(held.content, held.predictions) != question_id:
        raise Refused(_NOT_REACHED)
    if question_id not in held.draws:
        raise Refused(_NOT_SHOWN)
    return held.draws[question_id]


def _drafted(held: _Held, draw: Draw, question: Question) -> tuple[Any, Sequence[str]]:
    """The answer in a draft, and its texts; (None, ...) where it is none."""
    posted: list[str] = draw.draft or []
    try:
        return (
            question.type.read(posted, question.settings, seal(held.reading, draw.question, draw.number)),
            posted,
        )
    except Invalid:
        return None, posted


def _record(
    held: _Held, draw: Draw, question: Question, posted: Sequence[str], response: Any, confidence: int | None,
    at: datetime, how: Prediction.How,
) -> Prediction:  # fmt: skip
    kind, settings = question.type, question.settings
    mark = Mark(Fraction(0))
    if response is not None:
        mistakes = {name: kind.key_from_json(each) for name, each in draw.mistakes.items()}
        mark = kind.mark(response, kind.key_from_json(draw.key), settings, mistakes)
    prediction = Prediction.objects.create(
        draw=draw,
        posted=list(posted),
        response=None if response is None else kind.response_to_json(response),
        share=_decimal(mark.share),
        error=mark.error or "",
        source=str(mark.source),
        confidence=confidence,
        how=how,
        committed_at=at,
    )
    held.predictions[draw.question] = prediction
    if reached_in(held.content, held.predictions) is None:
        held.reading.finished_at = at
        held.reading.save(update_fields=["finished_at"])
    signals.committed.send(sender=Prediction, prediction=prediction)
    log.info(
        "prediction_committed", prediction=prediction.pk, reading=held.reading.pk, question=draw.question, how=str(how)
    )  # fmt: skip
    return prediction


def _draw(reading: Reading, question: Question) -> Draw:
    variant = variant_for(reading, question, 0)
    draw, _ = Draw.objects.get_or_create(
        reading=reading, question=question.predict.id, number=0, defaults=frozen(question, variant)
    )
    return draw


def _keep(draw: Draw, posted: Sequence[str], now: datetime) -> None:
    draw.draft, draw.drafted_at = list(posted), now
    draw.save(update_fields=["draft", "drafted_at"])


def _fits(posted: Sequence[str]) -> bool:
    return len(posted) <= MOST_TEXTS and sum(map(len, posted)) <= MOST_DRAFTED


def _content(reading: Reading) -> Compiled:
    try:
        return compiled(reading.version)
    except Unshowable as unshowable:
        raise Refused(str(unshowable)) from None


def _question(content: Compiled, question_id: str) -> Question:
    if question_id not in content.questions:
        raise Refused(_NOT_HERE)
    return content.questions[question_id]


def _decimal(share: Fraction) -> Decimal:
    return round(Decimal(share.numerator) / share.denominator, 6)


def _refuse_unless(decision: Decision) -> None:
    if not decision.allowed:
        raise Refused(decision.reason)
