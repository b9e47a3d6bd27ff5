"""Reading what lessons a course could take, and where a lesson could go."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cache

from django.conf import settings
from django.db.models import F, Func, IntegerField, Value

from softmark.accounts.models import User
from softmark.courses.models import Course, Item, Role
from softmark.lessons.importing import digests_in
from softmark.lessons.models import Lesson, LessonVersion
from softmark.lessons.policies import Holdings

_SHIPPED = settings.REPOSITORY / "fixtures" / "lessons"
_LARGE = LessonVersion.large("version__")
_STOP = r"^:::+[ \t]*\{[ \t]*predict[ \t]*\}"  # the line that opens one


@dataclass(frozen=True)
class Offer:
    """A lesson that could be taken. lesson: of another course, or None for one that comes with the site."""

    version: LessonVersion
    stops: int
    lesson: Lesson | None = None


def taught_courses(person: User, *, but: Course) -> list[Course]:
    """Those of which they are an instructor, by title."""
    teaching = person.enrolments.filter(role=Role.INSTRUCTOR, active=True).exclude(course=but)
    return [each.course for each in teaching.select_related("course").order_by("course__title")]


def holdings(courses: Collection[Course]) -> dict[int, Holdings]:
    """What courses have, by the number of the course. Two queries."""
    found = {each.pk: Holdings(each, {}, {}) for each in courses}
    items: dict[int, dict[str, Item]] = {pk: {} for pk in found}
    lessons: dict[int, dict[str, Item]] = {pk: {} for pk in found}
    for item in Item.objects.filter(course__in=found):
        items[item.course_id][item.slug] = item
    for lesson in (
        Lesson.objects.filter(item__course__in=found).select_related("item", "version").defer(*_LARGE)
    ):
        lessons[lesson.item.course_id][lesson.version.slug] = lesson.item
    return {pk: Holdings(each.course, lessons[pk], items[pk]) for pk, each in found.items()}


def taught_lessons(courses: Iterable[Course]) -> list[Offer]:
    """The lessons of courses. One query."""
    stops = _stops("version__text")
    lessons = Lesson.objects.filter(item__course__in=courses).select_related("item__course", "version")
    found = (
        lessons.defer(*_LARGE).annotate(stops=stops).order_by("item__course__title", "item__position", "pk")
    )
    return [Offer(each.version, each.stops, each) for each in found]


def shipped() -> list[Offer]:
    """The lessons that come with the site, as far as they were imported: exactly as they are now. One query."""
    versions = LessonVersion.objects.filter(digest__in=_shipped_digests()).defer(*LessonVersion.large())
    return [Offer(each, each.stops) for each in versions.annotate(stops=_stops("text")).order_by("title")]


def _stops(text: str) -> Func:
    """How many stops a text has, counted where it lies."""
    return Func(
        F(text), Value(_STOP), Value(1), Value("n"), function="regexp_count", output_field=IntegerField()
    )


@cache
def _shipped_digests() -> frozenset[str]:
    """Once a process: the files come with the program."""
    return frozenset(digests_in(_SHIPPED).values())
