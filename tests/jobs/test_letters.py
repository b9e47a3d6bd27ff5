"""Staff are told of an assignment that fails by itself, once."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.core import mail
from django.utils import timezone

from grader.report import Verdict
from softmark.courses.models import Role
from softmark.grading import bell, tasks
from softmark.grading.models import Run
from tests.factories import enrol, make_assignment, make_run, make_submission


@pytest.fixture
def faulty(db: None) -> list[Run]:
    assignment = make_assignment()
    enrol(assignment.course, role=Role.INSTRUCTOR, email="ruth@example.org")
    enrol(assignment.course, role=Role.TA, email="tom@example.org")
    runs = []
    for _ in range(2):
        run = make_run(make_submission(assignment), points=0, failed=Verdict.ASSIGNMENT_FAULT)
        run.report["provenance"]["fault"] = "check worked-example: ZeroDivisionError"
        run.save()
        runs.append(run)
    return runs


def test_one_letter_to_the_instructors(faulty: list[Run]) -> None:
    for run in faulty:
        tasks.tell_staff(run.pk)
    [letter] = mail.outbox
    assert letter.to == ["ruth@example.org"]
    assert "ZeroDivisionError" in letter.body
    assert str(faulty[0].submission.student) not in letter.body


def test_another_letter_when_it_still_fails_days_later(faulty: list[Run]) -> None:
    first, second = faulty
    Run.objects.filter(pk=first.pk).update(finished_at=timezone.now() - timedelta(days=2))
    for run in (first, second):
        tasks.tell_staff(run.pk)
    assert len(mail.outbox) == 2


def test_it_is_sent_once_the_fault_is_committed(
    db: None, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks
) -> None:  # type: ignore[no-untyped-def]
    sent = []
    monkeypatch.setattr(bell, "send", lambda task, *arguments, queue: sent.append((task, arguments, queue)))
    with django_capture_on_commit_callbacks(execute=True):
        make_run(make_submission(), points=3)
        run = make_run(make_submission(), points=0, failed=Verdict.ASSIGNMENT_FAULT)
    assert sent == [("softmark.grading.tasks.tell_staff", (run.pk,), "default")]
