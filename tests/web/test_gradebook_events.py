"""Events come in by themselves, and never change."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from grader.report import Verdict
from softmark.courses.queries import enrolment_in
from softmark.coursework.routing import Queue
from softmark.gradebook import queries
from softmark.gradebook.entries import Kind
from softmark.gradebook.grade import State
from softmark.gradebook.models import Event
from softmark.grading.models import Run
from softmark.grading.signals import run_finished
from softmark.submissions.models import Status
from tests.factories import (
    enrol,
    make_assignment,
    make_assignment_version,
    make_extension,
    make_report,
    make_run,
    make_schedule,
    make_submission,
)  # fmt: skip

pytestmark = pytest.mark.django_db


def test_a_run_that_ends_becomes_an_event() -> None:
    run = make_run(points=7)
    event = Event.objects.get()
    submission = run.submission
    assert (event.kind, event.run, event.submission, event.student) == (
        Kind.AUTO, run, submission, submission.student
    )  # fmt: skip
    assert (event.item, event.course) == (submission.assignment.item, submission.assignment.course)
    assert (event.points, event.max_points, event.number) == (7, run.max_points, 1)
    assert event.received_at == submission.received_at


def test_a_grade_keeps_the_instant_to_the_microsecond() -> None:
    submission = make_submission(received_at=datetime(2026, 11, 29, 22, 59, 59, 999_999, tzinfo=UTC))
    make_run(submission)
    enrolment = enrolment_in(submission.student, submission.assignment.course.slug)
    assert enrolment is not None
    _, grade = queries.cell(submission.assignment.item, enrolment, timezone.now())
    assert [attempt.received_at for attempt in grade.attempts] == [submission.received_at]


def test_it_takes_three_statements(django_assert_num_queries: Any) -> None:
    run = make_run(announce=False)
    run = Run.objects.get(pk=run.pk)  # as bare as it is where runs end
    with django_assert_num_queries(3):  # what it is about, the lock of the cell, the event
        run_finished.send(sender=Run, run=run)


def test_a_fault_leaves_no_event_and_costs_nothing() -> None:
    submission = make_submission()
    report = make_report(submission.version, points=0, failed=Verdict.ASSIGNMENT_FAULT)
    make_run(submission, report=report)
    assert not Event.objects.exists()
    enrolment = enrolment_in(submission.student, submission.assignment.course.slug)
    assert enrolment is not None
    _, grade = queries.cell(submission.assignment.item, enrolment, timezone.now())
    assert (grade.state, grade.worth) == (State.NO_RESULT, None)


def test_a_run_of_a_batch_waits_until_the_batch_is_applied() -> None:
    make_run(make_submission(queue=Queue.BATCH))
    assert not Event.objects.exists()


def test_an_attempt_that_was_given_back_does_not_count() -> None:
    submission = make_submission()
    make_run(submission, points=3)
    submission.returned = True
    submission.save()
    enrolment = enrolment_in(submission.student, submission.assignment.course.slug)
    assert enrolment is not None
    _, grade = queries.cell(submission.assignment.item, enrolment, timezone.now())
    assert (grade.state, grade.points) == (State.NO_RESULT, None)


def test_what_waits_and_what_is_held_are_no_zeros() -> None:
    assignment = make_assignment()
    states = {}
    for status in (Status.WAITING, Status.RUNNING, Status.HELD):
        student = enrol(assignment.course)
        make_submission(assignment, student, status=status)
        enrolment = enrolment_in(student, assignment.course.slug)
        assert enrolment is not None
        states[status] = queries.cell(assignment.item, enrolment, timezone.now())[1].state
    assert states == {
        Status.WAITING: State.WAITING, Status.RUNNING: State.WAITING, Status.HELD: State.NO_RESULT
    }  # fmt: skip


def test_events_are_neither_changed_nor_deleted() -> None:
    make_run()
    event = Event.objects.get()
    event.points = Decimal(1)
    for forbidden in (event.save, event.delete, Event.objects.update, Event.objects.all().delete):
        with pytest.raises(IntegrityError, match="add one that takes it back"), transaction.atomic():
            forbidden(**({"reason": "other"} if forbidden == Event.objects.update else {}))


def test_schedules_extensions_and_versions_are_not_changed() -> None:
    assignment = make_assignment()
    student = enrol(assignment.course)
    rows = [
        make_schedule(assignment.item),
        make_extension(assignment.item, student, timezone.now()),
        make_assignment_version(),
    ]
    for row in rows:
        with pytest.raises(IntegrityError, match="never changed"), transaction.atomic():
            row.save()


def test_an_item_that_nobody_was_graded_in_can_be_removed() -> None:
    """Its schedule goes with it: only changing one is refused."""
    item = make_schedule(make_assignment().item).item
    item.delete()
