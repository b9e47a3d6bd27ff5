"""What the staff's home and course pages show: what waits for them, who is stuck where, which mistakes are common."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, F, Max, Q, QuerySet

from softmark.courses.deadlines import Deadline, effective_deadline
from softmark.courses.models import Course, Enrolment, Item
from softmark.courses.queries import current_schedules, students_of
from softmark.coursework.models import Assignment
from softmark.grading.models import Run
from softmark.lessons.queries import ToRead, free_texts_to_read
from softmark.submissions.models import Status, Submission

WEEK = timedelta(days=7)
MANY_TRIES = 3
MOST_MISTAKES = 5
MOST_STUCK = 8
MOST_FAULTS = 5


@dataclass(frozen=True)
class Mistake:
    """A known mistake, and how many students made it."""

    item: Item
    name: str
    hint: str
    students: int


@dataclass(frozen=True)
class Stuck:
    """A student who tried several times and is not there yet. best: of the full marks, in percent."""

    enrolment: Enrolment
    item: Item
    tries: int
    best: int


@dataclass(frozen=True)
class StaffLine:
    """An assignment, and how many students came how far."""

    item: Item
    deadline: Deadline
    attempts: int
    handed_in: int
    all_right: int


@dataclass(frozen=True)
class Glance:
    """A course at a glance."""

    enrolment: Enrolment
    students: int
    waiting: int
    held: tuple[Submission, ...]
    faults: tuple[Submission, ...]
    to_read: tuple[ToRead, ...]

    @property
    def course(self) -> Course:
        return self.enrolment.course


@dataclass(frozen=True)
class Week:
    """What happened in the last seven days."""

    mistakes: tuple[Mistake, ...]
    stuck: tuple[Stuck, ...]


def glance(enrolment: Enrolment, now: datetime) -> Glance:
    """How a course stands, and what waits for its staff. Five queries."""
    course = enrolment.course
    handed_in = _submissions(course).select_related("student", "assignment__item__course")
    return Glance(
        enrolment=enrolment,
        students=students_of(course).count(),
        waiting=_submissions(course).filter(status__in=(Status.WAITING, Status.RUNNING)).count(),
        held=tuple(handed_in.filter(status=Status.HELD, returned=False).order_by("received_at")),
        faults=tuple(
            handed_in.filter(status=Status.FAULT, finished_at__gt=now - WEEK).order_by("-finished_at")[
                :MOST_FAULTS
            ]
        ),
        to_read=free_texts_to_read(course),
    )


def week(course: Course, now: datetime) -> Week:
    """Four queries."""
    since = now - WEEK
    return Week(mistakes(course, since), stuck(course, since))


def lines(course: Course) -> list[StaffLine]:
    """The assignments of a course, those that students do not see as well. Three queries."""
    assignments = list(
        Assignment.objects.filter(item__course=course)
        .select_related("item")
        .order_by("item__position", "item__title")
    )
    schedules = current_schedules([each.item for each in assignments])
    counted = (
        _of_students(_submissions(course), course)
        .values("assignment")
        .annotate(
            handed_in=Count("student", distinct=True),
            all_right=Count(
                "student", distinct=True,
                filter=Q(returned=False, status=Status.GRADED, runs__points=F("runs__max_points")),
            ),
        )
        .order_by()
    )  # fmt: skip
    counts = {each["assignment"]: (each["handed_in"], each["all_right"]) for each in counted}
    return [
        StaffLine(
            each.item,
            effective_deadline(schedules.get(each.item_id), None, course.zone),
            each.attempts,
            *counts.get(each.pk, (0, 0)),
        )
        for each in assignments
    ]


def mistakes(course: Course, since: datetime) -> tuple[Mistake, ...]:
    """The known mistakes that most students made since then, whichever of their attempts showed it. Two queries."""
    runs = (
        Run.objects.filter(submission__assignment__item__course=course, submission__received_at__gt=since)
        .order_by()
        .values_list("submission__assignment__item_id", "submission__student_id", "report__mistakes")
    )
    who: set[tuple[int, str, int]] = set()
    hints: dict[tuple[int, str], str] = {}
    for item, student, named in runs:
        for each in named if isinstance(named, list) else []:
            who.add((item, str(each["id"]), student))
            hints[item, str(each["id"])] = str(each["hint"])
    common = Counter((item, name) for item, name, _ in who)
    ranked = sorted(common.items(), key=lambda pair: (-pair[1], pair[0]))[:MOST_MISTAKES]
    items = Item.objects.in_bulk({item for (item, _), _ in ranked})
    return tuple(Mistake(items[item], name, hints[item, name], count) for (item, name), count in ranked)


def stuck(course: Course, since: datetime) -> tuple[Stuck, ...]:
    """Students who tried several times, last since then, and have not got everything right. Three queries."""
    tried = (
        _of_students(_submissions(course), course)
        .filter(status=Status.GRADED)
        .values("student", "assignment__item")
        .annotate(
            tries=Count("pk", distinct=True),
            last=Max("received_at"),
            best=Max(F("runs__points") / F("runs__max_points")),
        )
        .filter(tries__gte=MANY_TRIES, last__gt=since, best__lt=1)
        .order_by("-tries", "best", "student")[:MOST_STUCK]
    )
    rows = list(tried)
    people = {
        each.user_id: each for each in students_of(course).filter(user__in=[row["student"] for row in rows])
    }
    items = Item.objects.in_bulk([row["assignment__item"] for row in rows])
    return tuple(
        Stuck(people[row["student"]], items[row["assignment__item"]], row["tries"], int(row["best"] * 100))
        for row in rows
    )


def _submissions(course: Course) -> QuerySet[Submission]:
    """Those of a course, without their texts."""
    return Submission.objects.filter(assignment__item__course=course).defer("text", "cells", "notes")


def _of_students(submissions: QuerySet[Submission], course: Course) -> QuerySet[Submission]:
    """Those of students who are still in the course."""
    return submissions.filter(student__in=students_of(course).order_by().values("user"))
