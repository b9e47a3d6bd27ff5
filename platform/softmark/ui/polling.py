"""When a page that waits for something asks again: a pure rule.

The next look is due the later the longer it has taken. The server says when, so that a page keeps no count, and one
that is opened late does not begin with a hurry.
"""

from __future__ import annotations

from datetime import timedelta

SOONEST = 0.3  # seconds until the next look
LATEST = 5.0
_SHARE = 0.15  # of the time that it has taken so far


def next_look(taken: timedelta) -> float:
    """Seconds until the page asks again, after so long a wait."""
    return round(min(LATEST, max(SOONEST, taken.total_seconds() * _SHARE)), 1)
