"""The lessons of a course, as its front page lists them."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Count, Q

from softmark.courses.deadlines import Deadline, effective_deadline
from softmark.courses.models import Course, Enrolment, Item
from softmark.courses.queries import current_extensions, current_schedules, students_of
from softmark.lessons.models import Lesson, Reading
from softmark.lessons.queries import lessons_of


@dataclass(frozen=True)
class LessonLine:
    """reading: the student's own, if they have begun; done: how many predictions it has."""

    lesson: Lesson
    deadline: Deadline
    reading: Reading | None
    done: int

    @property
    def item(self) -> Item:
        return self.lesson.item


@dataclass(frozen=True)
class StaffLessonLine:
    """begun, finished: students."""

    lesson: Lesson
    deadline: Deadline
    begun: int
    finished: int

    @property
    def item(self) -> Item:
        return self.lesson.item


def own_lessons(enrolment: Enrolment) -> list[LessonLine]:
    """Those that a student sees. Four queries, one where there are none."""
    course, user = enrolment.course, enrolment.user_id
    found = list(lessons_of(course).filter(item__visible=True))
    if not found:
        return []
    items = [each.item for each in found]
    schedules, extensions = current_schedules(items), current_extensions(items, enrolment.user)
    readings = {
        each.lesson_id: each
        for each in Reading.objects.filter(lesson__in=found, learner=user).annotate(
            done=Count("draws__prediction", filter=Q(draws__number=0))
        )
    }
    lines = []
    for each in found:
        place = each.item_id
        deadline = effective_deadline(schedules.get(place), extensions.get((place, user)), course.zone)
        reading = readings.get(each.pk)
        lines.append(LessonLine(each, deadline, reading, reading.done if reading else 0))
    return lines


def all_lessons(course: Course) -> list[StaffLessonLine]:
    """All, those that students do not see as well. Three queries, one where there are none."""
    found = list(lessons_of(course))
    if not found:
        return []
    schedules = current_schedules([each.item for each in found])
    counted = (
        Reading.objects.filter(
            lesson__in=found, learner__in=students_of(course).order_by().values("user")
        )
        .values("lesson")
        .annotate(begun=Count("pk"), finished=Count("finished_at"))
        .order_by()
    )  # fmt: skip
    counts = {each["lesson"]: (each["begun"], each["finished"]) for each in counted}
    return [
        StaffLessonLine(
            each,
            effective_deadline(schedules.get(each.item_id), None, course.zone),
            *counts.get(each.pk, (0, 0)),
        )
        for each in found
    ]
