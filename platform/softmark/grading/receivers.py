"""What is to be graded rings the bell, once it is committed: submissions, and the files of an upload."""

from __future__ import annotations

from functools import partial
from typing import Any

from django.db import transaction
from django.dispatch import receiver

from softmark.coursework.models import Upload
from softmark.coursework.signals import awaits_verification
from softmark.grading import bell
from softmark.submissions.models import Submission
from softmark.submissions.signals import requeued, submitted


@receiver([submitted, requeued])
def ring_on_commit(submission: Submission, **kwargs: Any) -> None:
    transaction.on_commit(partial(bell.ring, submission.queue))


@receiver(awaits_verification)
def ring_for_upload(upload: Upload, **kwargs: Any) -> None:
    transaction.on_commit(partial(bell.ring, upload.queue))
