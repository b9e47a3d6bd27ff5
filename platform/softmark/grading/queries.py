"""Where a submission stands in its queue."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils import timezone

from softmark.grading import queue, workers
from softmark.submissions.models import Submission


@dataclass(frozen=True)
class Place:
    """ahead: submissions that come first, counting those that run; waiting: since it was received."""

    ahead: int
    waiting: timedelta
    last_worker_at: datetime | None
    worker_is_there: bool


def place(submission: Submission) -> Place:
    """Where a waiting submission stands."""
    seen_at = workers.last_seen(submission.queue)
    return Place(
        ahead=queue.ahead(submission),
        waiting=timezone.now() - submission.received_at,
        last_worker_at=seen_at,
        worker_is_there=workers.is_there(submission.queue, seen_at),
    )
