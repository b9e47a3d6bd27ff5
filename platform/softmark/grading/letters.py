"""The letter to the staff of a course when an assignment's own checks have failed."""

from __future__ import annotations

from datetime import timedelta

from django.core.mail import send_mail
from django.template.loader import render_to_string

from softmark.courses.models import Enrolment, Role
from softmark.grading.models import Run
from softmark.submissions.models import Status

ONE_LETTER_IN = timedelta(days=1)  # of one version: a broken one fails under every student


def tell_staff(run: Run) -> bool:
    """Writes to the instructors of the course, unless they know already. Returns whether it did."""
    submission = run.submission
    course = submission.assignment.course
    told = Run.objects.filter(
        pk__lt=run.pk, submission__version=submission.version_id, submission__assignment=submission.assignment_id,
        submission__status=Status.FAULT, finished_at__gt=run.finished_at - ONE_LETTER_IN,
    )  # fmt: skip
    if told.exists():
        return False
    instructors = Enrolment.objects.filter(
        course=course, role=Role.INSTRUCTOR, active=True, user__is_active=True
    )
    addresses = list(instructors.values_list("user__email", flat=True))
    if not addresses:
        return False
    context = {"course": course, "submission": submission, "fault": run.report["provenance"].get("fault", "")}
    send_mail(
        f"{submission.assignment}: its checks failed", render_to_string("grading/fault_letter.txt", context), None,
        addresses,
    )  # fmt: skip
    return True
