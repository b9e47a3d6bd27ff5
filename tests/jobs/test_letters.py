"""Staff are told of an assignment that fails by itself, once."""

from __future__ import annotations

from datetime import timedelta
from smtplib import SMTPException
from typing import Any

import pytest
from django.core import mail
from django.utils import timezone

from grader.report import Verdict
from softmark.courses.models import Role
from softmark.grading import letters, tasks
from softmark.grading.models import Run
from tests.factories import enrol, make_assignment, make_run, make_submission


@pytest.fixture
def faulty(db: None) -> list[Run]:
    """Two submissions under which the same version broke."""
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
    for _ in range(3):
        tasks.reap()
    [letter] = mail.outbox
    assert letter.to == ["ruth@example.org"]
    assert "ZeroDivisionError" in letter.body
    assert str(faulty[0].submission.student) not in letter.body


def test_a_letter_that_cannot_be_sent_stays_due(faulty: list[Run], monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: Any) -> None:
        raise SMTPException("no")

    with monkeypatch.context() as patch:
        patch.setattr(letters, "send_mail", refuse)
        assert letters.send_due() == 0
    assert letters.send_due() == 1


def test_another_letter_when_it_still_fails_days_later(faulty: list[Run]) -> None:
    letters.send_due()
    long_ago = timezone.now() - timedelta(days=2)
    Run.objects.update(finished_at=long_ago)
    Run.objects.exclude(staff_told_at=None).update(staff_told_at=long_ago)
    assert letters.send_due() == 0
    make_run(make_submission(faulty[0].submission.assignment), points=0, failed=Verdict.ASSIGNMENT_FAULT)
    assert letters.send_due() == 1


def test_a_wrong_submission_is_no_fault(db: None) -> None:
    make_run(make_submission(), points=3)
    assert letters.send_due() == 0
