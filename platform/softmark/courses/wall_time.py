"""Times as people of a course write them: on the clock on their wall, without a zone."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

# What is reckoned from an instant must be one as well: the minute's end, days later, the same on another clock.
FIRST, LAST = datetime(1900, 1, 1, tzinfo=UTC), datetime(9000, 1, 1, tzinfo=UTC)
FAR = "is not a time that can be used here. Where there is to be no date, leave it empty."


def is_usable(instant: datetime) -> bool:
    """Whether it can be the date of anything: it is not at the ends of the calendar."""
    return FIRST <= instant <= LAST


def instant_at(text: str, zone: ZoneInfo) -> datetime:
    """The instant, in UTC, at which the clocks of a zone show this: "2026-12-01 23:59".

    What they show twice, where they are put back, is its first time: take the other by an offset, as in
    "2026-10-25 02:30+01:00". Raises ValueError with a sentence.
    """
    try:
        wall = datetime.fromisoformat(text.strip())
    except ValueError:
        raise ValueError(f"“{text}” is not a time. Write it like 2026-12-01 23:59.") from None
    if len(text.strip()) <= len("2026-12-01"):
        raise ValueError(f"“{text}” is a day without a time. Write it like 2026-12-01 23:59.")
    try:
        instant = (wall if wall.tzinfo is not None else wall.replace(tzinfo=zone)).astimezone(UTC)
    except OverflowError:  # the first and the last day that there are
        raise ValueError(f"“{text}” {FAR}") from None
    if not is_usable(instant):
        raise ValueError(f"“{text}” {FAR}")
    if wall.tzinfo is None and instant.astimezone(zone).replace(tzinfo=None) != wall:
        raise ValueError(f"“{text}” does not exist in {zone.key}: the clocks are put forward over it.")
    return instant
