"""What is said of a prediction once it is committed: the ideas that its author ticks, and the marks of staff."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from fractions import Fraction

import structlog
from django.db import transaction

from softmark.accounts.models import User
from softmark.lessons import queries, signals
from softmark.lessons.actions import Refused, content_of, settle
from softmark.lessons.credit import as_decimal
from softmark.lessons.models import Prediction, Reading, SelfReview, StaffMark
from softmark.lessons.policies import may_read
from softmark.lessons.questions import free_text

log = structlog.get_logger(__name__)

_NOT_COMMITTED = (
    "Commit your own answer first: then its ideas are shown, and you can tick those that are in it."
)
_NO_IDEAS = "There is nothing to tick at this question."
_OWN = "This prediction is your own. Ask somebody else of the staff to mark it."
_COUNTS_NOWHERE = "This prediction is a trial or for practice. It counts nowhere, so it takes no mark."
_NO_MARK = "There is no mark of the staff that could be taken back."


class Conflict(Exception):
    """Somebody marked the prediction after it was shown."""


@dataclass(frozen=True)
class Ticked:
    """The review that counts. is_new: False where there was one already, which stays."""

    review: SelfReview
    is_new: bool


def tick(reading: Reading, question_id: str, posted: Sequence[str], now: datetime) -> Ticked:
    """Keeps which ideas a learner found in their free text; none is an answer, too. The first time counts.

    Raises Refused or Invalid.
    """
    settle(reading, now)
    decision = may_read(queries.circumstances(reading.lesson, reading.learner, reading), now)
    if not decision.allowed:
        raise Refused(decision.reason)
    prediction = queries.counted(reading).predictions.get(question_id)
    if prediction is None:
        raise Refused(_NOT_COMMITTED)
    settings = content_of(reading.version).questions[question_id].settings
    if not isinstance(settings, free_text.Settings) or prediction.response is None:
        raise Refused(_NO_IDEAS)
    ideas = free_text.ticked(posted, settings)
    review, is_new = SelfReview.objects.get_or_create(
        prediction=prediction, defaults={"ideas": list(ideas), "at": now}
    )
    return Ticked(review, is_new)


@dataclass(frozen=True)
class Marking:
    """Who marks which prediction. seen: the newest mark of it that they know of, 0 for none."""

    prediction: Prediction
    by: User
    seen: int


@transaction.atomic
def mark(marking: Marking, share: Fraction, comment: str, now: datetime) -> StaffMark:
    """Says what a prediction is worth, whatever said so before. Raises Conflict or Refused."""
    _hold(marking)
    return _append(marking, as_decimal(share), comment, now)


@transaction.atomic
def take_back(marking: Marking, now: datetime) -> StaffMark:
    """The prediction is worth again what it was before staff marked it. Raises Conflict or Refused."""
    newest = _hold(marking)
    if newest is None or newest.share is None:
        raise Refused(_NO_MARK)
    return _append(marking, None, "", now)


def _hold(marking: Marking) -> StaffMark | None:
    """The newest mark. Locks the prediction, so that of two people who mark it one comes after the other."""
    held = (
        Prediction.objects.select_for_update(of=("self",))
        .select_related("draw__reading")
        .get(pk=marking.prediction.pk)
    )
    if held.draw.reading.learner_id == marking.by.pk:
        raise Refused(_OWN)
    if held.draw.number or held.draw.reading.trial:
        raise Refused(_COUNTS_NOWHERE)
    newest = held.staff_marks.last()
    if (newest.pk if newest else 0) != marking.seen:
        raise Conflict
    return newest


def _append(marking: Marking, share: Decimal | None, comment: str, now: datetime) -> StaffMark:
    made = StaffMark.objects.create(
        prediction=marking.prediction, share=share, comment=comment.strip(), by=marking.by, at=now
    )
    signals.marked.send(sender=StaffMark, mark=made)
    log.info(
        "prediction_marked", prediction=marking.prediction.pk, mark=made.pk, by=marking.by.pk,
        share=None if share is None else str(share),
    )  # fmt: skip
    return made
