"""Writing what a learner does in a lesson: beginning, drafting, predicting."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from typing import Any

import structlog
from django.db import transaction

from softmark.accounts.models import User
from softmark.courses.actions import held_time_factor
from softmark.courses.extra_time import time_for
from softmark.courses.policies import Decision
from softmark.courses.queries import deadline_for
from softmark.lessons import queries, revisits, signals
from softmark.lessons.compiled import Compiled, Unshowable, compiled
from softmark.lessons.credit import as_decimal
from softmark.lessons.drawing import frozen, seal, variant_for
from softmark.lessons.models import SURE, Draw, Lesson, LessonVersion, Prediction, Reading, Revisit
from softmark.lessons.policies import may_begin, may_commit, may_read, time_ends
from softmark.lessons.questions import Invalid, Mark
from softmark.lessons.standing import Standing, reached_in
from softmark.lessons.written.drawn import Question

log = structlog.get_logger(__name__)

MOST_DRAFTED = 20_000  # characters of a draft
MOST_TEXTS = 200  # of which a draft consists

# of one that is behind a stop and of one that does not exist the same, or guessing would tell what comes
_NOT_REACHED = (
    "You have not come to such a question yet. Load the page again, and predict at the stop that waits."
)
_NOT_SHOWN = "This question has not been shown to you yet. Load the page, and answer it there."
ANSWERED = "You have answered this question already, and the first answer counts."
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
    content_of(lesson.version)  # no time runs where nothing can be shown
    limit, ends_at = lesson.time_limit, None
    if limit is not None:
        ends_at = now + time_for(limit, held_time_factor(lesson.course, learner))
    reading, _ = Reading.objects.get_or_create(
        lesson=lesson, learner=learner, trial=False,
        defaults={"version": lesson.version, "started_at": now, "limit": limit, "ends_at": ends_at},
    )  # fmt: skip
    return reading


def look(reading: Reading, now: datetime) -> Standing:
    """What a page may show by now: settles what its time limit left, and draws the stop that waits. Raises Refused."""
    settle(reading, now)
    content, counted = content_of(reading.version), queries.counted(reading)
    reached = reached_in(content, counted.predictions)
    if reached is not None and reached not in counted.draws:
        counted.draws[reached] = freeze_draw(reading, content.questions[reached], 0, now)
    return queries.standing(reading, counted)


def save_draft(reading: Reading, question_id: str, posted: Sequence[str], now: datetime) -> Draw:
    """Keeps what stands in the form. Of two tabs the last one wins. Holds the reading's lock. Raises Refused."""
    settle(reading, now)
    with transaction.atomic():
        held = hold(reading)
        if question_id in held.predictions:
            raise Refused(ANSWERED)
        draw = _open_draw(held, question_id, now)
        keep_draft(draw, posted, now)
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
        held = hold(reading)
        if question_id in held.predictions:
            return Committed(held.predictions[question_id], is_new=False)
        outcome = take(held, _open_draw(held, question_id, now), posted, confidence, now)
    if isinstance(outcome, Invalid):  # raised outside, so that the draft stays
        raise outcome
    return outcome


def settle(reading: Reading, now: datetime) -> tuple[Prediction, ...]:
    """Where the time is over: commits a draft that is an answer, records no answer wherever there is none,
    and so opens the whole lesson. Pages of a lesson, its drafts, commits and ticked ideas come through here first, and
    what nobody looks at by a task; questions that come back, and more time, do not. Holds the reading's lock.
    """
    if reading.finished_at is not None or _time_was_over(reading, now) is None:
        return ()
    with transaction.atomic():
        held = hold(reading)
        at = _time_was_over(held.reading, now)
        if at is None:
            return ()
        settled = []
        for question_id, question in held.content.questions.items():
            if question_id in held.predictions:
                continue
            draw = held.draws.get(question_id) or freeze_draw(held.reading, question, 0, at)
            response, posted = _drafted(held, draw, question)
            settled.append(
                _record(held, draw, question, posted, response, None, at, Prediction.How.TIME_LIMIT)
            )
        return tuple(settled)


# -- under the lock


@dataclass(frozen=True)
class Held:
    """A reading whose row is locked, and what had been drawn and predicted when the lock was had; what counts of it."""

    reading: Reading
    content: Compiled
    draws: dict[str, Draw]
    predictions: dict[str, Prediction]


def hold(reading: Reading) -> Held:
    """Takes the lock. Raises Refused where its version cannot be shown."""
    locked = queries.readings().select_for_update(of=("self",)).get(pk=reading.pk)
    counted = queries.counted(locked)
    return Held(locked, content_of(locked.version), counted.draws, counted.predictions)


def take(
    held: Held, draw: Draw, posted: Sequence[str], confidence: int | None, now: datetime
) -> Committed | Invalid:
    """Takes a prediction for a draw that has none, whichever it is. What cannot be graded becomes its draft."""
    question = held.content.questions[draw.question]
    try:
        response = question.type.read(
            posted, question.settings, seal(held.reading, draw.question, draw.number)
        )
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


def keep_draft(draw: Draw, posted: Sequence[str], now: datetime) -> None:
    """Raises Refused."""
    if not _fits(posted):
        raise Refused(_TOO_LONG)
    _keep(draw, posted, now)


def _open_draw(held: Held, question_id: str, now: datetime) -> Draw:
    """The draw of the stop that waits, where something is taken for it now. Raises Refused."""
    reading = held.reading
    _refuse_unless(may_commit(queries.circumstances(reading.lesson, reading.learner, reading), now))
    if reached_in(held.content, held.predictions) != question_id:
        raise Refused(_NOT_REACHED)
    if question_id not in held.draws:
        raise Refused(_NOT_SHOWN)
    return held.draws[question_id]


def _time_was_over(reading: Reading, now: datetime) -> datetime | None:
    """When the last was received of what a time limit left; None: time is left, or there is no limit."""
    if reading.ends_at is None:
        return None
    deadline = deadline_for(reading.learner, reading.lesson.item)
    ends = time_ends(reading.ends_at, deadline, trial=reading.trial)
    if ends is None or now < ends:
        return None
    if deadline.closes_at is None or reading.trial:
        return reading.ends_at
    return max(reading.started_at, min(reading.ends_at, deadline.closes_at))


def _drafted(held: Held, draw: Draw, question: Question) -> tuple[Any, Sequence[str]]:
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
    held: Held, draw: Draw, question: Question, posted: Sequence[str], response: Any, confidence: int | None,
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
        share=as_decimal(mark.share),
        error=mark.error or "",
        source=str(mark.source),
        confidence=confidence,
        how=how,
        committed_at=at,
    )
    if draw.number == 0:
        held.predictions[draw.question] = prediction
        if reached_in(held.content, held.predictions) is None:
            held.reading.finished_at = at
            held.reading.save(update_fields=["finished_at"])
    if kind.takes_answer:  # the others are never right, so they would come back for ever
        _plan_return(held.reading, draw, prediction)
    signals.committed.send(sender=Prediction, prediction=prediction, stops=tuple(held.content.questions))
    log.info(
        "prediction_committed", prediction=prediction.pk, reading=held.reading.pk, question=draw.question,
        draw=draw.number, how=str(how),
    )  # fmt: skip
    return prediction


def _plan_return(reading: Reading, draw: Draw, prediction: Prediction) -> None:
    """What was missed comes back, and what came back is planned anew."""
    at = prediction.committed_at
    if draw.number == 0:
        if revisits.is_missed(prediction.share, prediction.source) and not reading.trial:
            planned = revisits.first_return(at)
            Revisit.objects.create(
                reading=reading, question=draw.question, card=planned.card, due_at=planned.due_at
            )
        return
    revisit = Revisit.objects.get(reading=reading, question=draw.question)
    planned = revisits.next_return(revisit.card, prediction.is_right, prediction.confidence, at)
    revisit.card, revisit.due_at = planned.card, planned.due_at
    revisit.save(update_fields=["card", "due_at"])


def freeze_draw(reading: Reading, question: Question, number: int, now: datetime) -> Draw:
    """Frozen from now on."""
    variant = variant_for(reading, question, number)
    draw, _ = Draw.objects.get_or_create(
        reading=reading,
        question=question.predict.id,
        number=number,
        defaults={**frozen(question, variant), "shown_at": now},
    )
    return draw


def _keep(draw: Draw, posted: Sequence[str], now: datetime) -> None:
    draw.draft, draw.drafted_at = list(posted), now
    draw.save(update_fields=["draft", "drafted_at"])


def _fits(posted: Sequence[str]) -> bool:
    return len(posted) <= MOST_TEXTS and sum(map(len, posted)) <= MOST_DRAFTED


def content_of(version: LessonVersion) -> Compiled:
    """Raises Refused where it cannot be shown."""
    try:
        return compiled(version)
    except Unshowable as unshowable:
        raise Refused(str(unshowable)) from None


def _refuse_unless(decision: Decision) -> None:
    if not decision.allowed:
        raise Refused(decision.reason)
