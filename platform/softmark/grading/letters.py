"""Letters to the staff of a course when an assignment's own checks have failed. The reaper sends what is due."""

from __future__ import annotations

from datetime import timedelta
from smtplib import SMTPException

import structlog
from django.core.mail import send_mail
from django.db.models import Exists, OuterRef
from django.template.loader import render_to_string
from django.utils import timezone

from grader.report import Verdict
from softmark.courses.models import Enrolment, Role
from softmark.grading.models import Run

log = structlog.get_logger(__name__)

ONE_LETTER_IN = timedelta(days=1)  # of one version: a broken one fails under every student


def send_due() -> int:
    """Writes of each version that failed since, unless a letter went out lately. Returns how many letters.

    A letter that cannot be sent stays due, and is tried in the next round.
    """
    since = timezone.now() - ONE_LETTER_IN
    faults = Run.objects.filter(verdict=str(Verdict.ASSIGNMENT_FAULT))
    same = faults.filter(
        submission__version=OuterRef("submission__version"),
        submission__assignment=OuterRef("submission__assignment"),
    )
    due = faults.filter(
        ~Exists(same.filter(staff_told_at__gt=since)), finished_at__gt=since, staff_told_at=None
    )
    sent = 0
    for run in (
        due.select_related("submission__assignment__item__course", "submission__version")
        .order_by("submission__assignment_id", "submission__version_id", "pk")
        .distinct("submission__assignment_id", "submission__version_id")
    ):
        try:
            _write(run)
        except (SMTPException, OSError) as error:
            log.error("letter_not_sent", run=run.pk, error=str(error))
            continue
        Run.objects.filter(pk=run.pk).update(staff_told_at=timezone.now())
        sent += 1
    return sent


def _write(run: Run) -> None:
    submission = run.submission
    course = submission.assignment.course
    instructors = Enrolment.objects.filter(
        course=course, role=Role.INSTRUCTOR, active=True, user__is_active=True
    )
    context = {"course": course, "submission": submission, "fault": run.report["provenance"].get("fault", "")}
    subject = f"{submission.assignment}: its checks failed"
    body = render_to_string("grading/fault_letter.txt", context)
    send_mail(subject, body, None, list(instructors.values_list("user__email", flat=True)))
