"""What follows once something is committed: the bell is rung, the staff are told of a fault."""

from __future__ import annotations

from functools import partial
from typing import Any

from django.db import transaction
from django.dispatch import receiver

from grader.report import Verdict
from softmark.grading import bell
from softmark.grading.models import Run
from softmark.grading.signals import run_finished
from softmark.submissions.models import Submission
from softmark.submissions.signals import requeued, submitted


@receiver([submitted, requeued])
def ring_on_commit(submission: Submission, **kwargs: Any) -> None:
    transaction.on_commit(partial(bell.ring, submission.queue))


@receiver(run_finished)
def tell_staff_on_commit(run: Run, **kwargs: Any) -> None:
    if run.verdict == Verdict.ASSIGNMENT_FAULT:
        task = "softmark.grading.tasks.tell_staff"
        transaction.on_commit(partial(bell.send, task, run.pk, queue=bell.DEFAULT))
