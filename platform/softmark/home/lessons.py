"""The lessons of a course, as its front page lists them."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Q

from softmark.courses.deadlines import Deadline, effective_deadline
from softmark.courses.models import Course, Enrolment, Item
from softmark.courses.queries import current_extensions, current_schedules, students_of
from softmark.lessons.models import Lesson, Reading
from softmark.lessons.queries import lessons_of, ran_out


@dataclass(frozen=True)
class LessonLine:
    """reading: the student's own, if they have begun; done: how many predictions it has. excused: it is not graded.
    ran_out: their time did, before the end.
    """

    lesson: Lesson
    deadline: Deadline
    reading: Reading | None
    done: int
    excused: bool
    ran_out: bool

    @property
    def item(self) -> Item:
        return self.lesson.item

    @property
    def course(self) -> Course:
        return self.lesson.course

    def is_due(self, now: datetime) -> bool:
        """There is a date to come, and a prediction to make until then."""
        return self.deadline.due_at is not None and not self.deadline.is_past_due(now) and self._is_left(now)

    def is_overdue(self, now: datetime) -> bool:
        """The date has passed, and predictions that are missing are still taken."""
        return self.deadline.is_past_due(now) and self.deadline.is_open(now) and self._is_left(now)

    def _is_left(self, now: datetime) -> bool:
        if self.excused:
            return False
        reading = self.reading
        if reading is None:
            return True
        return reading.finished_at is None and (reading.ends_at is None or now < reading.ends_at)


@dataclass(frozen=True)
class StaffLessonLine:
    """begun, finished: students. Those whose time ran out before the end have begun, and no more."""

    lesson: Lesson
    deadline: Deadline
    begun: int
    finished: int

    @property
    def item(self) -> Item:
        return self.lesson.item


def own_lessons(enrolment: Enrolment, excused: Container[int]) -> list[LessonLine]:
    """Those that a student sees. excused: from which items. Four queries, one where there are none."""
    course, user = enrolment.course, enrolment.user_id
    found = list(lessons_of(course).filter(item__visible=True))
    if not found:
        return []
    items = [each.item for each in found]
    schedules, extensions = current_schedules(items), current_extensions(items, enrolment.user)
    readings = {
        each.lesson_id: each
        for each in Reading.objects.filter(lesson__in=found, learner=user, trial=False).annotate(
            done=Count("draws__prediction", filter=Q(draws__number=0)), ran_out=ran_out()
        )
    }
    lines = []
    for each in found:
        place = each.item_id
        deadline = effective_deadline(schedules.get(place), extensions.get((place, user)), course.zone)
        reading = readings.get(each.pk)
        done = reading.done if reading else 0
        is_over = reading is not None and reading.ran_out
        lines.append(LessonLine(each, deadline, reading, done, place in excused, is_over))
    return lines


def all_lessons(course: Course) -> list[StaffLessonLine]:
    """All, those that students do not see as well. Three queries, one where there are none."""
    found = list(lessons_of(course))
    if not found:
        return []
    schedules = current_schedules([each.item for each in found])
    counted = (
        Reading.objects.filter(
            lesson__in=found, trial=False, learner__in=students_of(course).order_by().values("user")
        )
        .alias(over=ran_out())
        .values("lesson")
        .annotate(begun=Count("pk"), finished=Count("finished_at", filter=Q(over=False)))
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
