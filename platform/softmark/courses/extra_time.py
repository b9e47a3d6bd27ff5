"""How long somebody has who was given more time than the others: pure rules."""

from __future__ import annotations

from datetime import timedelta
from decimal import ROUND_CEILING, Decimal

_AGAIN = {
    Decimal("1.25"): "a quarter as much again",
    Decimal("1.5"): "half as much again",
    Decimal(2): "twice that",
    Decimal(3): "three times that",
}


def time_for(minutes: int, factor: Decimal) -> timedelta:
    """What a time limit comes to for somebody; a second that has begun is theirs."""
    return timedelta(seconds=int((minutes * 60 * factor).to_integral_value(ROUND_CEILING)))


def said_factor(factor: Decimal) -> str:
    """'1.5 times the time'."""
    return "the time of the others" if factor == 1 else f"{_plain(factor)} times the time"


def said_extensions(count: int) -> str:
    """'2 extensions'."""
    return "1 extension" if count == 1 else f"{count} extensions"


def said_limit(minutes: int, factor: Decimal) -> str:
    """'60 minutes', or '90 minutes for you: 60, and half as much again'."""
    if factor == 1:
        return _minutes(minutes)
    how = _AGAIN.get(factor, f"times {_plain(factor)}")
    joint = ", and " if how.endswith("again") else ", "
    return f"{_minutes(minutes * factor)} for you: {minutes}{joint}{how}"


def _minutes(number: Decimal | int) -> str:
    return "1 minute" if number == 1 else f"{_plain(Decimal(number))} minutes"


def _plain(number: Decimal) -> str:
    return f"{number.normalize() + 0:f}"
