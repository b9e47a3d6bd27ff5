"""What staff decide about a submission that was held. Each decision is entered in the administration's history."""

from __future__ import annotations

from django.db import transaction

from softmark.accounts.history import record
from softmark.accounts.models import User
from softmark.submissions.models import Status, Submission
from softmark.submissions.signals import requeued


class NotHeld(Exception):
    """Somebody has decided already."""


@transaction.atomic
def regrade_held(submission: Submission, by: User) -> None:
    """Puts it back into its queue, its deaths forgotten. Locks the submission; raises NotHeld."""
    held = _lock_held(submission)
    held.status, held.deaths, held.finished_at = Status.WAITING, 0, None
    held.save(update_fields=["status", "deaths", "finished_at"])
    record(held, f"submission {held.pk}", by, "Held submission put back into the queue.")
    requeued.send(sender=Submission, submission=held)


@transaction.atomic
def return_attempt(submission: Submission, by: User) -> None:
    """Lets the attempt not count; the submission stays held. Locks the submission; raises NotHeld."""
    held = _lock_held(submission)
    held.returned = True
    held.save(update_fields=["returned"])
    record(held, f"submission {held.pk}", by, "Attempt of a held submission given back.")


def _lock_held(submission: Submission) -> Submission:
    locked = Submission.objects.select_for_update().defer("text").get(pk=submission.pk)
    if locked.state is not Status.HELD or locked.returned:
        raise NotHeld
    return locked
