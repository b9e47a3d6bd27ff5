"""Who may read a lesson and predict, and when. Pure: the page shows the answer, and the action asks under its lock."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from softmark.courses.deadlines import Deadline
from softmark.courses.models import Role
from softmark.courses.policies import Allowed, Decision, Denied
from softmark.ui.words import shown_instant


@dataclass(frozen=True)
class Circumstances:
    """What decides, for one person and one lesson.

    role:    theirs in its course; None: not enrolled.
    visible: students see the item.
    ends_at: when their time limit runs out, if they have begun and there is one.
    """

    role: Role | None
    visible: bool
    deadline: Deadline
    zone: ZoneInfo
    ends_at: datetime | None = None


def may_read(now: Circumstances, at: datetime) -> Decision:
    """Whether what somebody has opened so far is shown to them; also after the lesson has closed."""
    if now.role is None:
        return Denied("You are not enrolled in this course, so its lessons are not open to you.")
    if now.role is not Role.STUDENT:
        return Denied("Only students predict here. You belong to the staff of the course.")
    if not now.visible:
        return Denied("This lesson is hidden at the moment. The staff of your course can show it again.")
    if now.deadline.opens_at is not None and now.deadline.is_early(at):
        return Denied(f"This lesson opens on {_shown(now.deadline.opens_at, now.zone)}.")
    return Allowed()


def may_begin(now: Circumstances, at: datetime) -> Decision:
    decision = may_read(now, at)
    if decision.allowed and now.deadline.closes_at is not None and now.deadline.is_closed(at):
        return Denied(
            f"This lesson closed on {_shown(now.deadline.closes_at, now.zone)}, and no prediction is taken after that. "
            "If something kept you from it, write to the staff of your course."
        )
    return decision


def may_commit(now: Circumstances, at: datetime) -> Decision:
    """Whether a prediction or a draft that is received at this instant is taken."""
    decision = may_begin(now, at)
    if decision.allowed and now.ends_at is not None and at >= now.ends_at:
        return Denied(f"Your time for this lesson ran out on {_shown(now.ends_at, now.zone)}.")
    return decision


def _shown(instant: datetime, zone: ZoneInfo) -> str:
    return shown_instant(instant.astimezone(zone))
