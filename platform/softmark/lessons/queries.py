"""Reading lessons, and how far somebody has come."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import QuerySet

from softmark.accounts.models import User
from softmark.courses.models import Course
from softmark.courses.queries import deadline_for, role_in
from softmark.lessons.compiled import compiled
from softmark.lessons.models import Draw, Lesson, Prediction, Reading
from softmark.lessons.policies import Circumstances
from softmark.lessons.standing import Standing, standing_of

_LARGE = ("version__text", "version__data")


def lessons_of(course: Course) -> QuerySet[Lesson]:
    """Those of a course, hidden or not, without their texts."""
    return Lesson.objects.filter(item__course=course).select_related("item__course", "version").defer(*_LARGE)


def lesson_in(course: Course, slug: str) -> Lesson | None:
    """The lesson whose item has this name."""
    return lessons_of(course).filter(item__slug=slug).first()


def readings() -> QuerySet[Reading]:
    """With all that is asked of one, without the texts."""
    return Reading.objects.select_related("lesson__item__course", "learner", "version").defer(*_LARGE)


def reading_of(lesson: Lesson, learner: User) -> Reading | None:
    return readings().filter(lesson=lesson, learner=learner).first()


def circumstances(lesson: Lesson, person: User, reading: Reading | None = None) -> Circumstances:
    """What decides whether this person may read on and predict."""
    item = lesson.item
    return Circumstances(
        role=role_in(person, item.course),
        visible=item.visible,
        deadline=deadline_for(person, item),
        zone=item.course.zone,
        ends_at=reading.ends_at if reading else None,
    )


@dataclass(frozen=True)
class Counted:
    """What was drawn for a reading and counts, and what was predicted: by stop."""

    draws: dict[str, Draw]
    predictions: dict[str, Prediction]


def counted(reading: Reading) -> Counted:
    draws = {each.question: each for each in reading.draws.filter(number=0).select_related("prediction")}
    # Django fills in None where there is none, but says it by an error
    found = {question: getattr(draw, "prediction", None) for question, draw in draws.items()}
    return Counted(draws, {question: each for question, each in found.items() if each is not None})


def standing(reading: Reading) -> Standing:
    """What the reader may see, and nothing else. Raises Unshowable.

    A stop that was never shown has no draw, and is left out: actions.look draws it first.
    """
    now = counted(reading)
    return standing_of(reading, compiled(reading.version), now.draws, now.predictions)
