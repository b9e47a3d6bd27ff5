"""Who may do what in a course. Each rule answers Allowed, or Denied with the reason that is shown."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from zoneinfo import ZoneInfo

from softmark.courses.deadlines import ScheduleLike, effective_deadline
from softmark.courses.models import Role
from softmark.ui.words import shown_instant


@dataclass(frozen=True)
class Allowed:
    """Yes."""

    allowed: Literal[True] = True


@dataclass(frozen=True)
class Denied:
    """No, and why: a sentence for the person who asked."""

    reason: str
    allowed: Literal[False] = False


Decision = Allowed | Denied


def may_see_course(role: Role) -> Decision:
    """Everybody who is enrolled."""
    return Allowed()


def may_see_people(role: Role) -> Decision:
    if role.is_staff:
        return Allowed()
    return Denied("The list of people is for the staff of the course.")


def may_accommodate(role: Role) -> Decision:
    """Whether somebody gives a student more time: of a time limit, or until a later due date."""
    if role is Role.INSTRUCTOR:
        return Allowed()
    return Denied("Only instructors give somebody more time.")


def may_extend(
    schedule: ScheduleLike | None, extended_to: datetime | None, until: datetime | None, zone: ZoneInfo
) -> Decision:
    """Whether a due date makes any difference to somebody who was given one before, extended_to, or none was.

    until: the new one; None takes the old one back.
    """
    ordinary = None if schedule is None else schedule.due_at or schedule.closes_at
    if ordinary is None:
        return Denied("Nothing is due there, so there is nothing to extend.")
    if until is None:
        if extended_to is None:
            return Denied("Say until when. There is no extension yet that an empty date could take back.")
    elif until == extended_to:
        return Denied("They have until then already.")
    elif not effective_deadline(schedule, until, zone).extended:
        others = shown_instant(ordinary.astimezone(zone))
        return Denied(f"That is no later than for the others, who have until {others}. Write a later time.")
    return Allowed()


def may_see_own_grades(role: Role) -> Decision:
    if role is Role.STUDENT:
        return Allowed()
    return Denied("Only students have grades of their own. You find everybody's in the gradebook.")


def may_see_gradebook(role: Role) -> Decision:
    if role.is_staff:
        return Allowed()
    return Denied("The gradebook is for the staff of the course. Your own grades are under “My grades”.")


def may_change_grades(role: Role) -> Decision:
    if role is Role.INSTRUCTOR:
        return Allowed()
    if role is Role.TA:
        return Denied("Only instructors change grades. Tell one of them what should be changed, and why.")
    return Denied("Only instructors change grades.")
