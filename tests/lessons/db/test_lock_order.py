"""Whoever writes about one student takes the locks in one order, so no two of them wait for each other:

a course's row (imports; without its key, so that nobody who only names the course waits), or a person's (beginning, and
more time; likewise); then readings, by number; then a prediction (of its marks); then the enrolment (all events of a
student's grades). A lesson's and an item's rows are held by those only who set them up, who take none of the others.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from fractions import Fraction

import pytest
from django.db import connection, transaction
from django.utils import timezone

from softmark.accounts.models import User
from softmark.courses.actions import accommodate
from softmark.courses.models import Role
from softmark.gradebook import actions as grades
from softmark.gradebook.models import Event
from softmark.lessons.actions import Committed, begin, commit, look, settle
from softmark.lessons.authoring import set_up
from softmark.lessons.importing import place
from softmark.lessons.marking import Conflict, Marking, mark
from softmark.lessons.models import Lesson, LessonVersion, Prediction, Reading, StaffMark
from tests.factories import enrol, make_lesson, make_lesson_version, make_reading
from tests.lessons.db.steps import at_once, option, predict
from tests.lessons.small_lesson import small_data, small_lesson

pytestmark = pytest.mark.django_db(transaction=True)

ROUNDS = 3


def test_all_who_write_about_one_student_at_once() -> None:
    edited = make_lesson_version(small_lesson(edit=1), small_data(edit=1))
    for _ in range(ROUNDS):
        lesson = make_lesson(time_limit=30)  # anew, so that each has something to change
        course = lesson.course
        other = make_lesson(
            course, version=make_lesson_version(small_lesson(id="other", title="Other"), small_data())
        )
        staff = enrol(course, role=Role.TA), enrol(course, role=Role.INSTRUCTOR)
        everything_at_once(lesson, other, edited, staff)


def everything_at_once(
    lesson: Lesson, other: Lesson, edited: LessonVersion, staff: tuple[User, User]
) -> None:
    """About a student who reads a lesson, and whose time has just run out in another."""
    now, course, (tutor, ada) = timezone.now(), lesson.course, staff
    reading = begin(lesson, enrol(course), now)
    learner = reading.learner
    first = predict(reading, "8", now=now).prediction
    chosen = option(look(reading, now), "The latter")
    over = make_reading(other, learner, started_at=now - timedelta(minutes=11), minutes=10)
    change = grades.Change(lesson.item, learner, ada, Event.objects.latest("pk").pk)
    writers: list[Callable[[], object]] = [
        lambda: commit(reading, "which-one", [chosen], None, now),
        lambda: commit(reading, "which-one", [chosen], None, now),
        lambda: settle(over, now),
        lambda: accommodate(course, learner, Decimal(2), reason="Slow", by=ada, at=now),
        lambda: begin(lesson, learner, now),
        lambda: mark(Marking(first, tutor, 0), Fraction(1, 2), "", now),
        lambda: mark(Marking(first, tutor, 0), Fraction(1, 2), "", now),
        lambda: grades.comment(change, "Well done."),
        lambda: set_up(lesson, ada, {"points": Decimal(5)}, {}),
        lambda: place(course, edited),
        lambda: grades.set_released(lesson.item, False, ada),
    ]

    def write(index: int) -> object:
        try:
            return writers[index]()
        except (Conflict, grades.Conflict) as slower:
            return slower

    done = at_once(len(writers), write)
    lesson.refresh_from_db()
    assert (lesson.version, lesson.item.released, lesson.item.points) == (edited, False, 5), "all wrote"
    assert sum(isinstance(each, Committed) and each.is_new for each in done) == 1
    assert sum(isinstance(each, StaffMark) for each in done) == 1
    assert Prediction.objects.filter(draw__reading=over).count() == 3
    assert Reading.objects.get(pk=reading.pk).ends_at == now + timedelta(minutes=60)
    assert Event.objects.filter(student=learner, prediction__isnull=False).count() == 2 + 3 + 1


def test_an_import_keeps_nobody_waiting_who_predicts() -> None:
    reading = make_reading()
    now = timezone.now()
    look(reading, now)
    with transaction.atomic():
        place(reading.lesson.course, reading.version)  # as long as an import takes

        def quickly(_: int) -> object:
            with connection.cursor() as cursor:
                cursor.execute("SET lock_timeout = '2s'")
            return commit(reading, "how-many", ["7"], None, now)

        (done,) = at_once(1, quickly)
    assert isinstance(done, Committed)
