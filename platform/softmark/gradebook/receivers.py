"""A run that ends becomes an event, in the transaction that finishes it."""

from __future__ import annotations

from typing import Any

from django.dispatch import receiver

from softmark.courses.models import Enrolment
from softmark.coursework.routing import Queue
from softmark.gradebook.entries import Kind
from softmark.gradebook.models import Event
from softmark.grading.models import Run
from softmark.grading.signals import run_finished
from softmark.submissions.models import Status, Submission


@receiver(run_finished)
def append_result(run: Run, **kwargs: Any) -> None:
    """Not of a fault, which must cost nobody anything, nor of a batch, which counts only once it is applied."""
    student, item, course, number, received_at, status, queue = Submission.objects.values_list(
        "student_id",
        "assignment__item_id",
        "assignment__item__course_id",
        "number",
        "received_at",
        "status",
        "queue",
    ).get(pk=run.submission_id)
    if status != Status.GRADED or queue == Queue.BATCH:
        return
    # As whoever changes the cell by hand does: one of the two is first, and the other sees it.
    Enrolment.objects.select_for_update().filter(course=course, user=student).first()
    Event.objects.create(
        kind=Kind.AUTO.value, course_id=course, item_id=item, student_id=student, submission_id=run.submission_id,
        number=number, received_at=received_at, run=run, points=run.points, max_points=run.max_points,
    )  # fmt: skip
