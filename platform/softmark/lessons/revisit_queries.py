"""Reading what comes back to a learner, and what they were asked then."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Exists, Min, OuterRef, Q, QuerySet

from softmark.accounts.models import User
from softmark.courses.models import Course
from softmark.lessons.models import Draw, LessonVersion, Prediction, Revisit
from softmark.lessons.queries import staff_share

_OF_A_READING = ("reading__lesson__item__course", "reading__learner", "reading__version")
_LARGE = LessonVersion.large("reading__version__")


def revisits_of(course: Course, learner: User) -> QuerySet[Revisit]:
    """What a learner missed in the lessons that they see, in the order in which it comes back; not what staff have said
    is right after all, as far as their marks are shown.
    """
    right_after_all = (
        Prediction.objects.filter(
            draw__reading=OuterRef("reading"), draw__question=OuterRef("question"), draw__number=0,
            draw__reading__lesson__item__released=True,
        )
        .annotate(staff_share=staff_share())
        .filter(staff_share=1)
    )  # fmt: skip
    return (
        Revisit.objects.filter(
            ~Exists(right_after_all), reading__lesson__item__course=course, reading__lesson__item__visible=True,
            reading__learner=learner, reading__trial=False,
        )
        .select_related(*_OF_A_READING)
        .defer(*_LARGE)
    )  # fmt: skip


@dataclass(frozen=True)
class Planned:
    """due: how many wait now. next_at: when the first of those comes back that do not; None: there is none."""

    due: int
    next_at: datetime | None


def planned(revisits: QuerySet[Revisit], now: datetime) -> Planned:
    """One query."""
    later = Q(due_at__gt=now)
    return Planned(**revisits.aggregate(due=Count("pk", filter=~later), next_at=Min("due_at", filter=later)))


def due_one_by_one(revisits: QuerySet[Revisit], now: datetime) -> Iterator[Revisit]:
    """What waits longest comes first. One query each, as the first is mostly all that is asked for."""
    left = revisits.filter(due_at__lte=now)
    while (each := left.first()) is not None:
        yield each
        left = left.exclude(pk=each.pk)


def newest_draw(revisit: Revisit) -> Draw:
    """What its learner was asked last."""
    drawn = Draw.objects.filter(reading=revisit.reading_id, question=revisit.question)
    return drawn.select_related("prediction").latest("number")


def later_draws() -> QuerySet[Draw]:
    """Those for practice, each with its prediction and what was said about it."""
    return (
        Draw.objects.filter(number__gte=1)
        .select_related(*_OF_A_READING, "prediction__self_review")
        .prefetch_related("prediction__staff_marks")
        .defer(*_LARGE)
    )


def later_draw(course: Course, learner: User, pk: int) -> Draw | None:
    """The learner's own, also of a lesson that is hidden by now."""
    its = later_draws().filter(reading__lesson__item__course=course, reading__learner=learner)
    return its.filter(pk=pk).first()


def waits(draw: Draw) -> bool:
    """Whether it is one for practice without a prediction."""
    return draw.number > 0 and draw.made is None
