"""What late costs, said before it does: pure rules."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from zoneinfo import ZoneInfo

from softmark.courses.deadlines import Deadline
from softmark.courses.late_policy import LatePolicy, lateness

_FULL = Decimal(100)


def cost_of_late(deadline: Deadline) -> str:
    """The rule, in a sentence or two; nothing where there is no deadline."""
    policy = deadline.late_policy
    if deadline.due_at is None:
        return ""
    if deadline.closes_at is not None and deadline.closes_at <= deadline.due_at:
        return "Nothing is taken after that."
    if not policy.percent_per_day or policy.floor_percent == _FULL:
        return "Late work loses nothing."
    return " ".join(filter(None, (_loss(policy), _grace(policy.grace_minutes))))


def cost_now(
    deadline: Deadline, now: datetime, zone: ZoneInfo, act: str = "submitting", still: str = "the checks still run"
) -> str:  # fmt: skip
    """What an act at this instant keeps; nothing while it is on time. still: what it does where it keeps no points."""
    if not deadline.is_past_due(now):
        return ""
    kept = lateness(deadline.due_at, deadline.late_policy, now, zone).percent_kept
    if kept == _FULL:
        return f"The deadline has passed, but {act} now still keeps all points."
    if kept == 0:
        return f"The deadline has passed. {act.capitalize()} now earns no points any more; {still}."
    return f"The deadline has passed. {act.capitalize()} now keeps {percent(kept)} of the points."


def percent(value: Decimal) -> str:
    return f"{value.normalize() + 0:f}\N{NO-BREAK SPACE}%"


def _loss(policy: LatePolicy) -> str:
    per_day, floor = policy.percent_per_day, policy.floor_percent
    if per_day >= _FULL - floor:  # the first day takes all that there is to lose
        return f"Late work keeps {percent(floor)} of the points." if floor else "Late work earns no points."
    loss = f"Late work loses {percent(per_day)} of the points for each day begun"
    return f"{loss}, but keeps at least {percent(floor)}." if floor else f"{loss}."


def _grace(minutes: int) -> str:
    if not minutes:
        return ""
    return f"The first {'minute costs' if minutes == 1 else f'{minutes} minutes cost'} nothing."
