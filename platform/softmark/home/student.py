"""What a student's home and course pages show: what is due, and what came back. The same few queries for any course."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Q

from softmark.courses.deadlines import Deadline
from softmark.courses.models import Course, Enrolment, Item
from softmark.coursework.models import Assignment
from softmark.gradebook.grade import Attempt, Grade, State
from softmark.gradebook.queries import own
from softmark.gradebook.totals import Total
from softmark.home.lessons import LessonLine, own_lessons
from softmark.lessons.revisit_queries import revisits_of
from softmark.submissions.models import Status, Submission, Work

CAME_BACK = (Status.GRADED, Status.FAULT, Status.HELD)
MOST_CAME_BACK = 5


@dataclass(frozen=True)
class Line:
    """An assignment as it stands for one student. most: attempts, 0: as many as they like."""

    course: Course
    item: Item
    grade: Grade
    used: int
    most: int
    has_draft: bool

    @property
    def deadline(self) -> Deadline:
        return self.grade.deadline

    def is_due(self, now: datetime) -> bool:
        """There is a date to come, more to be had, and an attempt left to get it."""
        dated = self.deadline.due_at is not None and not self.deadline.is_past_due(now)
        return dated and not self.is_complete and self.attempts_left != 0

    def is_overdue(self, now: datetime) -> bool:
        """It was due, has nothing to show for it, and is still taken."""
        missing = self.grade.state is State.NOT_SUBMITTED and self.attempts_left != 0
        return missing and self.deadline.is_open(now)

    @property
    def is_complete(self) -> bool:
        return self.grade.state is State.EXCUSED or (
            self.grade.points is not None and self.grade.points >= self.grade.max
        )

    @property
    def attempts_left(self) -> int | None:
        """None: as many as they like."""
        return max(0, self.most - self.used) if self.most else None


@dataclass(frozen=True)
class Back:
    """A submission that came back. attempt: its points, where they are released and there are some."""

    course: Course
    submission: Submission
    grade: Grade

    @property
    def attempt(self) -> Attempt | None:
        return next((each for each in self.grade.attempts if each.submission == self.submission.pk), None)


@dataclass(frozen=True)
class StudentCourse:
    """A course as one student sees it. revisits: how many missed predictions wait to be made again."""

    enrolment: Enrolment
    lines: tuple[Line, ...]
    lessons: tuple[LessonLine, ...]
    revisits: int
    back: tuple[Back, ...]
    total: Total

    @property
    def course(self) -> Course:
        return self.enrolment.course


def student_course(enrolment: Enrolment, now: datetime) -> StudentCourse:
    """Everything about one course of a student. Fifteen queries, twelve where there are no lessons."""
    columns, row = own(enrolment, now)
    by_item = {column.item.pk: grade for column, grade in zip(columns, row.grades, strict=True)}
    used, drafts = _used(enrolment), _drafts(enrolment)
    most = dict(Assignment.objects.filter(item__in=by_item).values_list("item_id", "attempts"))
    lines = tuple(
        Line(
            course=enrolment.course,
            item=column.item,
            grade=by_item[column.item.pk],
            used=used.get(column.item.pk, 0),
            most=most[column.item.pk],
            has_draft=column.item.pk in drafts,
        )
        for column in columns
        if column.item.pk in most
    )
    back = tuple(
        Back(enrolment.course, submission, by_item[submission.assignment.item_id])
        for submission in _back(enrolment)
    )
    excused = {item for item, grade in by_item.items() if grade.state is State.EXCUSED}
    return StudentCourse(
        enrolment=enrolment,
        lines=lines,
        lessons=tuple(own_lessons(enrolment, excused)),
        revisits=revisits_of(enrolment.course, enrolment.user).filter(due_at__lte=now).count(),
        back=back,
        total=row.total,
    )


def next_due(courses: Iterable[StudentCourse], now: datetime) -> list[Line | LessonLine]:
    """What is still to be done in time, the most urgent first."""
    return [line for line in _by_date(courses, now) if line.is_due(now)]


def overdue(courses: Iterable[StudentCourse], now: datetime) -> list[Line | LessonLine]:
    """What was due, and is still taken, what was due first before the rest."""
    return [line for line in _by_date(courses, now) if line.is_overdue(now)]


def newest_back(courses: Iterable[StudentCourse]) -> list[Back]:
    """What came back last, over all courses."""
    back = [each for course in courses for each in course.back]
    back.sort(key=lambda each: each.submission.finished_at or each.submission.received_at, reverse=True)
    return back[:MOST_CAME_BACK]


def _by_date(courses: Iterable[StudentCourse], now: datetime) -> list[Line | LessonLine]:
    lines: list[Line | LessonLine] = []
    for each in courses:
        lines += [*each.lines, *each.lessons]
    return sorted(lines, key=lambda line: line.deadline.due_at or now)


def _used(enrolment: Enrolment) -> dict[int, int]:
    """By item: attempts that count."""
    counted = (
        Submission.objects.filter(assignment__item__course=enrolment.course_id, student=enrolment.user_id)
        .values("assignment__item")
        .annotate(used=Count("pk", filter=Q(returned=False)))
    )
    return dict(counted.values_list("assignment__item", "used").order_by())


def _drafts(enrolment: Enrolment) -> set[int]:
    """The items for which something stands in the editor."""
    works = Work.objects.filter(assignment__item__course=enrolment.course_id, student=enrolment.user_id)
    return set(works.exclude(draft="").values_list("assignment__item", flat=True))


def _back(enrolment: Enrolment) -> list[Submission]:
    return list(
        Submission.objects.filter(
            assignment__item__course=enrolment.course_id, assignment__item__visible=True,
            student=enrolment.user_id, status__in=CAME_BACK,
        )
        .select_related("assignment__item")
        .defer("text", "cells", "notes")
        .order_by("-finished_at", "-pk")[:MOST_CAME_BACK]
    )  # fmt: skip
