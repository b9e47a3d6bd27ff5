"""What instructors do to a grade."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from threading import Barrier, Thread

import pytest
from django.core.exceptions import ValidationError
from django.db import connection
from django.utils import timezone

from softmark.courses.models import Role
from softmark.courses.queries import enrolment_in
from softmark.gradebook import actions, queries
from softmark.gradebook.actions import Change, Conflict
from softmark.gradebook.grade import Grade, State
from softmark.gradebook.models import Event
from tests.factories import enrol, make_assignment, make_run, make_submission

pytestmark = pytest.mark.django_db


@pytest.fixture
def change() -> Change:
    """Of a cell with one automatic result, 6 of 10, which has been seen."""
    assignment = make_assignment()
    student = enrol(assignment.course)
    make_run(make_submission(assignment, student), points=6)
    assignment.item.refresh_from_db()
    return Change(
        assignment.item, student, enrol(assignment.course, role=Role.INSTRUCTOR), Event.objects.get().pk
    )


def now_seen(change: Change) -> Change:
    return replace(change, seen=Event.objects.latest("pk").pk)


def grade_of(change: Change) -> Grade:
    enrolment = enrolment_in(change.student, change.item.course.slug)
    assert enrolment is not None
    return queries.cell(change.item, enrolment, timezone.now())[1]


def test_points_by_hand_and_back(change: Change) -> None:
    event = actions.set_points(change, Decimal("7.5"), "Oral exam")
    assert (event.actor, event.reason) == (change.by, "Oral exam")
    assert (grade_of(change).points, grade_of(change).automatic) == (Decimal("7.5"), 6)
    actions.take_back(now_seen(change), event.pk, "")
    assert (grade_of(change).points, grade_of(change).overridden) == (6, False)


def test_excused_and_back(change: Change) -> None:
    event = actions.excuse(change, "Ill")
    assert grade_of(change).state is State.EXCUSED
    actions.take_back(now_seen(change), event.pk, "")
    assert grade_of(change).points == 6


@pytest.mark.parametrize("points", ["-0.001", "10.001"])
def test_points_are_within_full_marks(change: Change, points: str) -> None:
    with pytest.raises(ValidationError, match="from 0 to 10"):
        actions.set_points(change, Decimal(points), "Because")


def test_a_reason_is_asked_for(change: Change) -> None:
    auto = Event.objects.get()
    for act in (
        lambda: actions.set_points(change, Decimal(1), " "),
        lambda: actions.excuse(change, ""),
        lambda: actions.comment(change, ""),
        lambda: actions.take_back(change, auto.pk, ""),
    ):
        with pytest.raises(ValidationError):
            act()
    assert Event.objects.count() == 1


def test_who_saw_an_older_state_is_told(change: Change) -> None:
    actions.set_points(change, Decimal(7), "First")
    with pytest.raises(Conflict):
        actions.set_points(change, Decimal(8), "Second")
    assert grade_of(change).points == 7


def test_an_event_is_taken_back_once_and_only_from_its_own_cell(change: Change) -> None:
    event = actions.excuse(change, "Ill")
    actions.take_back(now_seen(change), event.pk, "")
    revoke = Event.objects.latest("pk")
    elsewhere = make_run(points=1).submission.events.get()
    for id in (event.pk, revoke.pk, elsewhere.pk, 0, 10**30):
        with pytest.raises(ValidationError):
            actions.take_back(replace(change, seen=revoke.pk), id, "")


def test_an_item_is_released_once(change: Change) -> None:
    assert not actions.set_released(change.item, True, change.by)
    assert actions.set_released(change.item, False, change.by)
    assert not actions.set_released(change.item, False, change.by)
    change.item.refresh_from_db()
    assert grade_of(change).state is State.UNRELEASED
    assert actions.set_released(change.item, True, change.by)
    change.item.refresh_from_db()
    assert grade_of(change).state is State.GRADED


@pytest.mark.django_db(transaction=True)
def test_of_two_at_the_same_instant_one_is_told(change: Change) -> None:
    start, told = Barrier(2), []

    def set_to(points: int) -> None:
        try:
            start.wait()
            actions.set_points(change, Decimal(points), "At once")
        except Conflict:
            told.append(points)
        finally:
            connection.close()

    both = [Thread(target=set_to, args=[points]) for points in (2, 9)]
    for each in both:
        each.start()
    for each in both:
        each.join()
    assert len(told) == 1
    assert grade_of(change).points in {2, 9} - set(told)


def test_comments_reach_the_student_until_they_are_taken_back(change: Change) -> None:
    enrolment = enrolment_in(change.student, change.item.course.slug)
    assert enrolment is not None
    event = actions.comment(change, "Look at the mask again.")
    assert [each.reason for each in queries.comments_for(enrolment)[change.item.pk]] == [
        "Look at the mask again."
    ]
    actions.take_back(now_seen(change), event.pk, "")
    assert not queries.comments_for(enrolment)
