"""When something is open and due for one person: one pure function, for the page, the policy and the export."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol
from zoneinfo import ZoneInfo

from softmark.courses.late_policy import (
    ON_TIME,
    Lateness,
    LatePolicy,
    end_of_minute,
    lateness,
    later_on_the_wall,
    on_the_wall,
)  # fmt: skip


class ScheduleLike(Protocol):
    """What a schedule says: a row of the database, or a plain value in a test."""

    @property
    def opens_at(self) -> datetime | None: ...
    @property
    def due_at(self) -> datetime | None: ...
    @property
    def closes_at(self) -> datetime | None: ...
    @property
    def late_policy(self) -> LatePolicy: ...


@dataclass(frozen=True)
class Deadline:
    """Instants in UTC; None: no limit. After closes_at nothing is taken any more."""

    opens_at: datetime | None = None
    due_at: datetime | None = None
    closes_at: datetime | None = None
    late_policy: LatePolicy = field(default_factory=LatePolicy)
    extended: bool = False

    @property
    def can_be_later(self) -> bool:
        """Whether there is anything that an extension could move."""
        return self.due_at is not None or self.closes_at is not None

    def is_open(self, now: datetime) -> bool:
        return not self.is_early(now) and not self.is_closed(now)

    def is_early(self, now: datetime) -> bool:
        return self.opens_at is not None and now < self.opens_at

    def is_closed(self, now: datetime) -> bool:
        return self.closes_at is not None and now >= end_of_minute(self.closes_at)

    def is_past_due(self, now: datetime) -> bool:
        return self.due_at is not None and now >= end_of_minute(self.due_at)

    def lateness(self, received_at: datetime, zone: ZoneInfo) -> Lateness:
        """How late something is that was received then. Mostly it is not: a gradebook asks a hundred thousand times."""
        if self.due_at is None or received_at <= self.due_at:
            return ON_TIME
        return lateness(self.due_at, self.late_policy, received_at, zone)


def effective_deadline(
    schedule: ScheduleLike | None, extended_to: datetime | None, zone: ZoneInfo
) -> Deadline:
    """The deadline that counts for somebody whose due date was extended to an instant, or not at all (None).

    An extension never takes anything away: a due date before the ordinary one has no effect. It moves the end by as
    much as it moves the due date, on the clocks of the course's zone. Where nothing is due, it moves the end to itself.
    """
    if schedule is None:
        return Deadline()
    due_at, closes_at = schedule.due_at, schedule.closes_at
    ordinary = due_at or closes_at
    if extended_to is None or ordinary is None or extended_to <= ordinary:
        return Deadline(schedule.opens_at, due_at, closes_at, schedule.late_policy)
    if closes_at is not None:
        by = on_the_wall(extended_to, zone) - on_the_wall(ordinary, zone)
        # In the hour that the clocks show twice, later may look earlier.
        closes_at = max(later_on_the_wall(closes_at, by, zone), closes_at, extended_to)
    due_at = extended_to if due_at is not None else None
    return Deadline(schedule.opens_at, due_at, closes_at, schedule.late_policy, extended=True)
