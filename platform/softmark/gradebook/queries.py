"""Reading grades: the whole of a course, somebody's own, or one cell. The number of queries depends on none of them."""

from __future__ import annotations

import gc
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from operator import itemgetter

from django.db.models import FloatField, Q, QuerySet
from django.db.models.functions import Cast, Extract

from softmark.courses.deadlines import Deadline, effective_deadline
from softmark.courses.models import Course, Enrolment, Item, Role
from softmark.courses.queries import current_extensions, current_schedules, students_of
from softmark.gradebook.entries import Entry, Happening, Kind, Predicted, standing
from softmark.gradebook.grade import SETTLED, Grade, Unsettled, grade, seen_by_student
from softmark.gradebook.models import Event
from softmark.gradebook.totals import Total, mean, total
from softmark.lessons.models import LessonVersion, Reading
from softmark.submissions.models import Status, Submission

_FIELDS = ("id", "kind", "points", "max_points", "revokes_id", "submission_id", "number")
_OF_PREDICTIONS = ("id", "kind", "prediction_id", "number", "stops", "share", "source", "answered")
# Of an instant, as a float, which holds its microseconds: Django reads instants ten times slower.
_SECONDS = Cast(Extract("received_at", "epoch"), FloatField())
_WAITING = (Status.WAITING, Status.RUNNING)

Place = tuple[int, int]  # student, item


@dataclass(frozen=True)
class Column:
    """An item of the gradebook. released: students see its grades; deadline: of those who have no extension."""

    item: Item
    released: bool
    deadline: Deadline


@dataclass(frozen=True)
class Row:
    """The grades of one student, in the order of the columns."""

    enrolment: Enrolment
    grades: tuple[Grade, ...]
    total: Total


@dataclass(frozen=True)
class Grid:
    """Everybody's grades."""

    columns: tuple[Column, ...]
    rows: tuple[Row, ...]

    @property
    def means(self) -> list[Decimal | None]:
        """Of each column, over those who have points."""
        return [mean(row.grades[number] for row in self.rows) for number in range(len(self.columns))]


def graded_items(course: Course) -> QuerySet[Item]:
    """A lesson is graded where it has full marks."""
    is_graded = Q(kind=Item.Kind.ASSIGNMENT) | Q(lesson__isnull=False, points__gt=0)
    return Item.objects.filter(is_graded, course=course).select_related("lesson__version").defer(
        *LessonVersion.large("lesson__version__")
    )  # fmt: skip


def grid(course: Course, now: datetime, students: Sequence[Enrolment] | None = None) -> Grid:
    """The gradebook as staff see it, of all students or of some. Six queries, and one for all the students."""
    everybody = students is None
    with _collector_at_rest():
        columns, rows = _table(
            course, list(graded_items(course)), list(students_of(course)) if students is None else students, now,
            everybody=everybody,
        )  # fmt: skip
    return Grid(tuple(columns), tuple(rows))


def own(enrolment: Enrolment, now: datetime) -> tuple[list[Column], Row]:
    """The grades of a student as they themselves see them."""
    course = enrolment.course
    columns, (row,) = _table(course, list(graded_items(course).filter(visible=True)), [enrolment], now)
    grades = tuple(map(seen_by_student, row.grades))
    return columns, Row(enrolment, grades, total(grades))


def cell(item: Item, enrolment: Enrolment, now: datetime) -> tuple[Column, Grade]:
    """One grade as staff see it."""
    (column,), (row,) = _table(enrolment.course, [item], [enrolment], now)
    return column, row.grades[0]


def comments_for(enrolment: Enrolment) -> dict[int, list[Event]]:
    """By item: what staff wrote to a student, and nobody took back."""
    found = Event.objects.filter(
        course=enrolment.course_id,
        student=enrolment.user_id,
        kind=Kind.COMMENT.value,
        revoked_by__isnull=True,
    ).select_related("actor")
    by_item = defaultdict(list)
    for event in found:
        by_item[event.item_id].append(event)
    return by_item


def history(item: Item, student: int) -> list[Event]:
    """What happened to a cell, oldest first."""
    events = Event.objects.filter(course=item.course_id, item=item, student=student)
    return list(
        events.select_related("actor", "submission", "revokes", "revoked_by__actor", "mark")
        .order_by("id")
        .defer("submission__text")
    )


def attempts(item: Item, student: int) -> list[Submission]:
    """What a student handed in for an item, newest first, without the code."""
    return list(
        Submission.objects.filter(assignment__item=item, student=student)
        .defer("text", "cells")
        .order_by("-number")
    )


def student_in(course: Course, user: int) -> Enrolment | None:
    """A student of the course; also one who has left."""
    return course.enrolments.filter(user=user, role=Role.STUDENT).select_related("user", "section").first()


def _table(
    course: Course,
    items: Sequence[Item],
    students: Sequence[Enrolment],
    now: datetime,
    *,
    everybody: bool = False,
) -> tuple[list[Column], list[Row]]:
    """The grades of these students for these items. Four queries, and two more where there are lessons."""
    zone = course.zone
    ids = None if everybody else [each.user_id for each in students]
    schedules, extensions = current_schedules(items), current_extensions(items)
    by_place = _entries(course, items, ids)
    unsettled = _unsettled(items, ids)
    columns = [
        Column(
            item,
            item.shows_grades,
            effective_deadline(schedules.get(item.pk), None, zone),
        )
        for item in items
    ]
    counts = [item.lesson.counts if item.kind == Item.Kind.LESSON else None for item in items]
    # What is empty in a column is mostly the same.
    blank = [
        grade([], each.item.points, each.deadline, zone, now, released=each.released, counts=how)
        for each, how in zip(columns, counts, strict=True)
    ]
    known = list(zip((item.pk for item in items), columns, counts, blank, strict=True))
    rows = []
    for enrolment in students:
        student = enrolment.user_id
        grades = []
        for item_id, column, how, empty in known:
            place = student, item_id
            entries, more, extended_to = (
                by_place.get(place),
                unsettled.get(place),
                extensions.get((item_id, student)),
            )
            if entries is None and more is None and extended_to is None:
                grades.append(empty)
                continue
            deadline = column.deadline
            if extended_to is not None:
                deadline = effective_deadline(schedules.get(item_id), extended_to, zone)
            grades.append(
                grade(
                    entries or [], column.item.points, deadline, zone, now, released=column.released,
                    unsettled=more or SETTLED, counts=how,
                )
            )  # fmt: skip
        rows.append(Row(enrolment, tuple(grades), total(grades)))
    return columns, rows


def _entries(
    course: Course, items: Sequence[Item], students: list[int] | None
) -> dict[Place, list[Happening]]:
    """The events of each cell, oldest first. Predictions have facts of their own, and are asked for apart."""
    events = Event.objects.filter(course=course, item__in=items, student__isnull=False)
    if students is not None:
        events = events.filter(student__in=students)
    events = events.order_by().annotate(seconds=_SECONDS)
    others = events.exclude(kind=Kind.QUIZ.value)
    by_place: dict[Place, list[Happening]] = defaultdict(list)
    for student, item, seconds, *fields in others.values_list("student_id", "item_id", "seconds", *_FIELDS):
        received_at = datetime.fromtimestamp(seconds, UTC) if seconds is not None else None
        by_place[student, item].append(Entry._make((*fields, received_at)))
    if any(item.kind == Item.Kind.LESSON for item in items):
        made = events.filter(kind=Kind.QUIZ.value)
        rows = made.values_list("student_id", "item_id", "seconds", *_OF_PREDICTIONS)
        for student, item, seconds, *fields in rows:
            received_at = datetime.fromtimestamp(seconds, UTC)
            by_place[student, item].append(Predicted._make((*fields, received_at, None)))
    # Many small lists: sorted here more quickly than in the database.
    for entries in by_place.values():
        entries.sort(key=itemgetter(0))
    return by_place


def _unsettled(items: Sequence[Item], students: list[int] | None) -> dict[Place, Unsettled]:
    """What was handed in and has no result, or was given back; what has a time limit and is not done. Few at a time."""
    found = Submission.objects.filter(~Q(status=Status.GRADED) | Q(returned=True), assignment__item__in=items)
    if students is not None:
        found = found.filter(student__in=students)
    rows = found.values_list("student_id", "assignment__item_id", "pk", "status", "returned")
    by_place: dict[Place, list[tuple[int, str, bool]]] = defaultdict(list)
    for student, item, id_, status, returned in rows:
        by_place[student, item].append((id_, status, returned))
    unsettled = {
        place: Unsettled(
            waiting=sum(status in _WAITING for _, status, _ in submissions),
            without_result=sum(status not in (*_WAITING, Status.GRADED) for _, status, _ in submissions),
            returned=frozenset(id_ for id_, _, returned in submissions if returned),
        )
        for place, submissions in by_place.items()
    }
    lessons = [item for item in items if item.kind == Item.Kind.LESSON]
    if lessons:
        readings = Reading.objects.filter(
            lesson__item__in=lessons, trial=False, finished_at=None, ends_at__isnull=False
        )
        if students is not None:
            readings = readings.filter(learner__in=students)
        for student, item, ends_at in readings.values_list("learner_id", "lesson__item_id", "ends_at"):
            unsettled[student, item] = Unsettled(ends_at=ends_at)
    return unsettled


@contextmanager
def _collector_at_rest() -> Iterator[None]:
    """A whole course is some hundred thousand small values, none of them garbage: to look through them again and
    again while they are made takes as long as to make them.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def valid_events(events: Iterable[Event]) -> set[int]:
    """Of a cell's history: the ids of what still stands."""
    return {
        entry.id
        for entry in standing([Entry(event.pk, event.kind, revokes=event.revokes_id) for event in events])
    }
