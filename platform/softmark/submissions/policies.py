"""Who may submit, and when. The answer is pure; the page shows it, and the action asks again under its lock."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import ceil
from zoneinfo import ZoneInfo

from softmark.courses.deadlines import Deadline
from softmark.courses.models import Role
from softmark.courses.policies import Allowed, Decision, Denied
from softmark.ui.words import shown_instant

_MINUTE = timedelta(minutes=1)


@dataclass(frozen=True)
class Standing:
    """Where somebody stands with an assignment.

    role:       theirs in its course; None: not enrolled.
    visible:    students see the item.
    deadline:   as it counts for them.
    zone:       of the course, for the sentences.
    used, most: attempts that count, and how many there are; 0: as many as they like.
    recent:     when their last submissions were received, to any assignment.
    per_minute: how many of those there may be within a minute.
    """

    role: Role | None
    visible: bool
    deadline: Deadline
    zone: ZoneInfo
    used: int
    most: int
    recent: Sequence[datetime] = ()
    per_minute: int = 1

    @property
    def left(self) -> int | None:
        """Attempts; None: as many as they like."""
        return max(0, self.most - self.used) if self.most else None


def may_submit(standing: Standing, at: datetime) -> Decision:
    """Whether what is received at this instant is taken."""
    deadline = standing.deadline
    if standing.role is None:
        return Denied("You are not enrolled in this course, so nothing can be handed in here.")
    if standing.role is not Role.STUDENT:
        return Denied(
            "Only students hand in. You belong to the staff of the course, so nothing of yours is graded."
        )
    if not standing.visible:
        return Denied("This assignment is hidden at the moment. The staff of your course can show it again.")
    if deadline.opens_at is not None and deadline.is_early(at):
        return Denied(
            f"This assignment opens on {_shown(deadline.opens_at, standing.zone)}. Nothing is taken before that."
        )
    if deadline.closes_at is not None and deadline.is_closed(at):
        return Denied(
            f"This assignment closed on {_shown(deadline.closes_at, standing.zone)}, and nothing is taken after that. "
            "If something kept you from it, write to the staff of your course."
        )
    if standing.left == 0:
        return Denied(_none_left(standing))
    if wait := _seconds_to_wait(standing, at):
        return Denied(
            f"You have submitted {_times(standing.per_minute)} within a minute, which is as often as it goes. "
            f"Submit again in {wait} {'second' if wait == 1 else 'seconds'}."
        )
    return Allowed()


def may_draft(role: Role) -> Decision:
    """Drafts are kept for those who hand something in."""
    if role is Role.STUDENT:
        return Allowed()
    return Denied("Drafts are kept for students only. What you type here stays in this page.")


def _none_left(standing: Standing) -> str:
    if standing.most == 1:
        return "You have used your only attempt, so nothing more can be handed in."
    return f"You have used all your attempts: {standing.used} of {standing.most}."


def _seconds_to_wait(standing: Standing, at: datetime) -> int:
    recent = sorted(instant for instant in standing.recent if instant > at - _MINUTE)
    if len(recent) < standing.per_minute:
        return 0
    return max(1, ceil((recent[-standing.per_minute] + _MINUTE - at).total_seconds()))


def _times(number: int) -> str:
    return {1: "once", 2: "twice"}.get(number, f"{number} times")


def _shown(instant: datetime, zone: ZoneInfo) -> str:
    return shown_instant(instant.astimezone(zone))
