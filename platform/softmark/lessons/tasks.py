"""What is done for learners who are not there. Every process of the queue imports this, so what reads lessons, and
numpy with it, is imported only where there is something to do.
"""

from __future__ import annotations

from datetime import timedelta

import structlog
from celery import shared_task
from django.db.models import Q
from django.utils import timezone

log = structlog.get_logger(__name__)

_UNDER_WAY = timedelta(seconds=10)  # what was received in time, and is being committed, comes first


@shared_task(name="softmark.lessons.tasks.settle_overdue")
def settle_overdue() -> None:
    """Settles the readings whose time ran out, if nobody has looked at them since: the gradebook waits for them."""
    from softmark.courses.models import Schedule
    from softmark.lessons.models import Reading

    now = timezone.now() - _UNDER_WAY
    closed = Schedule.objects.filter(closes_at__lte=now).values("item")  # for most: settling asks for each
    under_limit = Reading.objects.filter(ends_at__isnull=False, finished_at=None)
    overdue = list(under_limit.filter(Q(ends_at__lte=now) | Q(lesson__item__in=closed)).order_by("pk"))
    if not overdue:
        return
    from softmark.lessons.actions import Refused, settle

    for reading in overdue:
        try:
            settle(reading, now)
        except Refused as refused:  # its version cannot be shown by this release
            log.warning("reading_not_settled", reading=reading.pk, reason=refused.reason)
        except Exception:  # a fault of ours in one is no reason that the others wait
            log.exception("reading_not_settled", reading=reading.pk)
