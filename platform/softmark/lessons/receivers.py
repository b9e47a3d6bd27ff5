"""More time for somebody whose time runs."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.dispatch import receiver

from softmark.courses.extra_time import time_for
from softmark.courses.models import Accommodation
from softmark.courses.signals import accommodated
from softmark.lessons.models import Reading


@receiver(accommodated)
def prolong(accommodation: Accommodation, at: datetime, **kwargs: Any) -> None:
    """What they are reading under a time limit by now. Nothing is ever cut short. Holds the readings' locks."""
    going_on = Reading.objects.select_for_update().filter(
        lesson__item__course=accommodation.course_id, learner=accommodation.user_id, limit__isnull=False,
        ends_at__gt=at, finished_at=None,
    ).order_by("pk")  # fmt: skip
    for reading in going_on:
        assert reading.limit is not None
        ends_at = reading.started_at + time_for(reading.limit, accommodation.time_factor)
        if reading.ends_at is not None and ends_at > reading.ends_at:
            reading.ends_at = ends_at
            reading.save(update_fields=["ends_at"])
