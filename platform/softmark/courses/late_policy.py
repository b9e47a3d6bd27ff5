"""What a late submission loses: a pure rule, derived whenever a grade is, and never stored."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

_FULL = Decimal(100)


@dataclass(frozen=True)
class LatePolicy:
    """grace_minutes: how long after the deadline nothing is lost yet. percent_per_day: lost for each day begun.
    floor_percent: what is kept at least, however late.
    """

    grace_minutes: int = 0
    percent_per_day: Decimal = Decimal(0)
    floor_percent: Decimal = Decimal(0)


@dataclass(frozen=True)
class Lateness:
    """How late a submission is. days: begun, by the wall clock of the course; percent_kept: of its points."""

    by: timedelta
    days: int
    percent_kept: Decimal

    @property
    def is_late(self) -> bool:
        return self.by > timedelta(0)

    @property
    def percent_lost(self) -> Decimal:
        return _FULL - self.percent_kept


ON_TIME = Lateness(timedelta(0), 0, _FULL)


def end_of_minute(instant: datetime) -> datetime:
    """The deadline's minute is on time up to its last moment: the first instant that is late."""
    return instant.replace(second=0, microsecond=0) + timedelta(minutes=1)


def lateness(due_at: datetime | None, policy: LatePolicy, received_at: datetime, zone: ZoneInfo) -> Lateness:
    """How late something is that was received at this instant.

    A day is a day on the wall clock of the course: over a change of the clocks it has 23 or 25 hours.
    """
    if due_at is None or received_at < end_of_minute(due_at):
        return ON_TIME
    by = received_at - due_at
    if received_at < end_of_minute(due_at + timedelta(minutes=policy.grace_minutes)):
        return Lateness(by, 0, _FULL)
    days = _days_begun(due_at, received_at, zone)
    kept = max(_FULL - policy.percent_per_day * days, policy.floor_percent)
    return Lateness(by, days, min(kept, _FULL))


def _days_begun(due_at: datetime, received_at: datetime, zone: ZoneInfo) -> int:
    """1 from the end of the deadline's minute on, 2 from the same minute of the next day, and so on."""
    days = max(1, (received_at - due_at).days)  # never more than one short
    while received_at >= end_of_minute(later_on_the_wall(due_at, timedelta(days=days), zone)):
        days += 1
    while days > 1 and received_at < end_of_minute(later_on_the_wall(due_at, timedelta(days=days - 1), zone)):
        days -= 1
    return days


def later_on_the_wall(instant: datetime, by: timedelta, zone: ZoneInfo) -> datetime:
    """So much later on a clock on the wall of that zone: by a day, it is the same time of day; in UTC."""
    return (on_the_wall(instant, zone) + by).replace(tzinfo=zone).astimezone(UTC)


def on_the_wall(instant: datetime, zone: ZoneInfo) -> datetime:
    """What a clock on the wall of that zone shows."""
    return instant.astimezone(zone).replace(tzinfo=None)
