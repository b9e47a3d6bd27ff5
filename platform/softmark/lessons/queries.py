"""Reading lessons, and how far somebody has come."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Subquery, prefetch_related_objects

from softmark.accounts.models import User
from softmark.courses.models import Course, Role
from softmark.courses.queries import deadline_for, role_in, students_of
from softmark.lessons.compiled import compiled
from softmark.lessons.models import Draw, Lesson, LessonVersion, Prediction, Reading, StaffMark
from softmark.lessons.policies import Circumstances
from softmark.lessons.questions import Source
from softmark.lessons.standing import Standing, standing_of

_LARGE = LessonVersion.large("version__")


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
    """The one that counts."""
    return readings().filter(lesson=lesson, learner=learner, trial=False).first()


def trial_of(lesson: Lesson, person: User) -> Reading | None:
    """The newest of somebody who tries the lesson as a student does."""
    return readings().filter(lesson=lesson, learner=person, trial=True).order_by("-pk").first()


def ran_out() -> Exists:
    """Of a reading: whether its time limit ended before all was predicted."""
    left = Prediction.How.TIME_LIMIT
    return Exists(Prediction.objects.filter(draw__reading=OuterRef("pk"), draw__number=0, how=left))


def own_reading(lesson: Lesson, person: User, role: Role) -> Reading | None:
    """The one that this person goes on with: of students the one that counts, of staff a trial."""
    return trial_of(lesson, person) if role.is_staff else reading_of(lesson, person)


def circumstances(
    lesson: Lesson, person: User, reading: Reading | None = None, *, trial: bool = False
) -> Circumstances:
    """What decides whether this person may read on and predict. trial: of what they have not begun."""
    item = lesson.item
    return Circumstances(
        role=role_in(person, item.course),
        visible=item.visible,
        deadline=deadline_for(person, item),
        zone=item.course.zone,
        ends_at=reading.ends_at if reading else None,
        trial=reading.trial if reading else trial,
        called=(reading or lesson).version.kind,
    )


@dataclass(frozen=True)
class Counted:
    """What was drawn for a reading and counts, and what was predicted: by stop."""

    draws: dict[str, Draw]
    predictions: dict[str, Prediction]


def counted(reading: Reading) -> Counted:
    drawn = reading.draws.filter(number=0).select_related("prediction__self_review")
    draws = {each.question: each for each in drawn}
    return Counted(draws, {question: draw.made for question, draw in draws.items() if draw.made is not None})


def standing(reading: Reading, now: Counted | None = None) -> Standing:
    """What the reader may see, and nothing else. now: where that is known. Raises Unshowable.

    A stop that was never shown has no draw, and is left out: actions.look draws it first.
    """
    now = now or counted(reading)
    prefetch_related_objects(list(now.predictions.values()), "staff_marks")
    return standing_of(reading, compiled(reading.version), now.draws, now.predictions)


# -- what staff mark

# Of what `counting` gives: those that nobody but their author has judged.
WAITS = Q(source=str(Source.SELF), staff_share=None)


def counting(course: Course) -> QuerySet[Prediction]:
    """The predictions of a course that count, of those who are its students now; with the share that staff gave last,
    as `staff_share`.
    """
    return Prediction.objects.filter(
        draw__number=0, draw__reading__trial=False, draw__reading__lesson__item__course=course,
        draw__reading__learner__in=students_of(course).order_by().values("user"),
    ).annotate(staff_share=staff_share())  # fmt: skip


def staff_share(**only: bool) -> Subquery:
    """Of the newest of a prediction's marks by staff, among these."""
    marks = StaffMark.objects.filter(prediction=OuterRef("pk"), **only).order_by("-pk")
    return Subquery(marks.values("share")[:1])


@dataclass(frozen=True)
class ToRead:
    """How many free texts of a lesson wait to be read by staff. slug, title: of its item."""

    course: Course
    slug: str
    title: str
    count: int


def free_texts_to_read(course: Course) -> tuple[ToRead, ...]:
    """By lesson, where there are any. One query."""
    item = "draw__reading__lesson__item__"
    counted = (
        counting(course)
        .filter(WAITS)
        .order_by(item + "position", item + "slug")
        .values_list(item + "slug", item + "title")
        .annotate(count=Count("pk"))
    )
    return tuple(ToRead(course, slug, title, count) for slug, title, count in counted)
