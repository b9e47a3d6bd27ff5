"""Reading what a class predicted. Staff and their trials are in none of it, nor is who has left the course."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.db.models import Count, Q, QuerySet

from softmark.accounts.models import User
from softmark.courses.models import Course, Enrolment
from softmark.courses.queries import students_of
from softmark.lessons.calibration import Said
from softmark.lessons.credit import Credit, credited
from softmark.lessons.histogram import Alike
from softmark.lessons.item_analysis import Made
from softmark.lessons.models import Lesson, LessonVersion, Prediction, Reading
from softmark.lessons.queries import ran_out, staff_share
from softmark.lessons.questions import Source


@dataclass(frozen=True)
class Read:
    """A version of a lesson, and how many students have begun it, come to its end, or run out of time before that."""

    version: LessonVersion
    begun: int = 0
    finished: int = 0
    ran_out: int = 0


def versions_read(lesson: Lesson) -> list[Read]:
    """The current one first, whoever reads it; then those that some students still read, the newest first."""
    counted = (
        Reading.objects.filter(lesson=lesson, trial=False, learner__in=_students(lesson.course))
        .alias(over=ran_out())
        .values_list("version")
        .annotate(
            begun=Count("pk"), finished=Count("finished_at", filter=Q(over=False)),
            ran_out=Count("finished_at", filter=Q(over=True)),
        )
        .order_by()
    )  # fmt: skip
    counts = {version: numbers for version, *numbers in counted}
    old = LessonVersion.objects.filter(pk__in=counts).exclude(pk=lesson.version_id).order_by("-pk")
    versions = [lesson.version, *old.defer(*LessonVersion.large())]
    return [Read(each, *counts.get(each.pk, ())) for each in versions]


# -- for one learner


def answers_of_class(reading: Reading, stops: Iterable[str]) -> Mapping[str, list[Alike]]:
    """By stop: the answers that count, of all who read the same version. One query, whatever there is to count."""
    counted = (
        _counted(reading.lesson, reading.version)
        .filter(draw__question__in=list(stops), response__isnull=False)
        .values_list("draw__question", "response", "share", "error")
        .annotate(count=Count("pk"), mine=Count("pk", filter=Q(draw__reading=reading)))
        .order_by()
    )
    found: dict[str, list[Alike]] = defaultdict(list)
    for stop, response, share, error, count, mine in counted:
        found[stop].append(_alike(response, share, error, count, mine > 0))
    return found


def said_by(learner: User, course: Course) -> list[Said]:
    """How sure they were, and whether they were right, over all of a course's lessons that they see."""
    predictions = Prediction.objects.filter(
        draw__number=0, draw__reading__trial=False, draw__reading__learner=learner,
        draw__reading__lesson__item__course=course, draw__reading__lesson__item__visible=True,
        confidence__isnull=False,
    )  # fmt: skip
    released = staff_share(prediction__draw__reading__lesson__item__released=True)
    rows = predictions.annotate(staff_share=released).values_list(
        "confidence", "share", "source", "staff_share"
    )
    said = ((confidence or 0, _credit(*marks)) for confidence, *marks in rows)
    return [Said(confidence, credit.is_right) for confidence, credit in said if is_judged(credit)]


# -- for the staff


@dataclass(frozen=True)
class Answer:
    """A prediction that counts. alike: None for no answer. key: of its draw, as a Draw keeps it.

    overruled: staff have said that it is worth something else than its own mark.
    """

    made: Made
    alike: Alike | None
    key: dict[str, Any]
    overruled: bool


def answers_in(lesson: Lesson, version: LessonVersion) -> list[Answer]:
    """All that count, of those who read this version. One query."""
    rows = _counted(lesson, version).annotate(staff_share=staff_share()).values_list(
        "draw__reading__learner", "draw__question", "response", "error", "share", "source", "staff_share",
        "confidence", "how", "draw__shown_at", "committed_at", "draw__key",
    )  # fmt: skip
    found = []
    for student, stop, response, error, *marks, confidence, how, shown_at, committed_at, key in rows:
        credit = _credit(*marks)
        made = Made(
            student=student, question=stop, answered=response is not None, judged=is_judged(credit),
            share=float(credit.share), confidence=confidence, seconds=_took(how, shown_at, committed_at),
        )  # fmt: skip
        alike = None if response is None else _alike(response, marks[0], error)
        found.append(Answer(made, alike, key, overruled=credit.share != marks[0]))
    return found


@dataclass(frozen=True)
class Row:
    """A prediction with whose it is. number: of its draw; 0 counts, later ones are for practice.

    seconds: from when it was shown to the commit; None where the time limit committed it.
    """

    pk: int
    learner: User
    section: str
    version: LessonVersion
    stop: str
    number: int
    given: Any
    key: dict[str, Any]
    response: dict[str, Any] | None
    error: str
    credit: Credit
    confidence: int | None
    how: str
    committed_at: datetime
    seconds: float | None


def answers_at(lesson: Lesson, version: LessonVersion, stop: str) -> list[Row]:
    """Those that count, by name."""
    return list(_rows(_counted(lesson, version).filter(draw__question=stop), lesson.course))


def all_rows(lesson: Lesson) -> Iterator[Row]:
    """Every prediction under every version, practice as well, by name and in the order in which they were made."""
    return _rows(_of_students(lesson), lesson.course)


def is_judged(credit: Credit) -> bool:
    """By a rule or by the staff: a mark of one's own says only that something was written."""
    return credit.source != Source.SELF


def _rows(predictions: QuerySet[Prediction], course: Course) -> Iterator[Row]:
    sections = dict(
        Enrolment.objects.filter(course=course, section__isnull=False).values_list("user", "section__name")
    )
    found = (
        predictions.annotate(staff_share=staff_share())
        .select_related("draw__reading__learner", "draw__reading__version")
        .defer(*LessonVersion.large("draw__reading__version__"), "draw__facts", "draw__draft", "posted")
        .order_by("draw__reading__learner__name", "draw__reading__learner__email", "committed_at", "pk")
    )  # fmt: skip
    for each in found:
        draw, reading = each.draw, each.draw.reading
        yield Row(
            pk=each.pk, learner=reading.learner, section=sections.get(reading.learner_id, ""), version=reading.version,
            stop=draw.question, number=draw.number, given=draw.given, key=draw.key, response=each.response,
            error=each.error, credit=_credit(each.share, each.source, each.staff_share),
            confidence=each.confidence, how=each.how, committed_at=each.committed_at,
            seconds=_took(each.how, draw.shown_at, each.committed_at),
        )  # fmt: skip


def _of_students(lesson: Lesson) -> QuerySet[Prediction]:
    return Prediction.objects.filter(
        draw__reading__lesson=lesson, draw__reading__trial=False, draw__reading__learner__in=_students(lesson.course)
    )  # fmt: skip


def _counted(lesson: Lesson, version: LessonVersion) -> QuerySet[Prediction]:
    return _of_students(lesson).filter(draw__number=0, draw__reading__version=version)


def _students(course: Course) -> QuerySet[Enrolment, int]:
    return students_of(course).order_by().values_list("user", flat=True)


def _alike(response: dict[str, Any], share: Decimal, error: str, count: int = 1, mine: bool = False) -> Alike:
    """By its own mark: what staff said of one answer is not said of those like it."""
    return Alike(response, share == 1, 0 < share < 1, error, count, mine)


def _credit(share: Decimal, source: str, staff_share: Decimal | None) -> Credit:
    return credited(share, source, [staff_share])


def _took(how: str, shown_at: datetime, committed_at: datetime) -> float | None:
    return (committed_at - shown_at).total_seconds() if how == Prediction.How.LEARNER else None
