"""What follows once something is committed: the bell is rung, the staff are told of a fault."""

from __future__ import annotations

from functools import partial
from typing import Any

from django.db import transaction
from django.dispatch import receiver

from softmark.grading import bell
from softmark.grading.models import Run
from softmark.grading.signals import run_finished
from softmark.submissions.models import Status, Submission
from softmark.submissions.signals import requeued, submitted


@receiver([submitted, requeued])
def ring_on_commit(submission: Submission, **kwargs: Any) -> None:
    transaction.on_commit(partial(bell.ring, submission.queue))


@receiver(run_finished)
def tell_staff_on_commit(run: Run, **kwargs: Any) -> None:
    if run.submission.status == Status.FAULT:
        task = "softmark.grading.tasks.tell_staff"
        transaction.on_commit(partial(bell.send, task, run.pk, queue=bell.DEFAULT))
