"""Who may do what in a course. Each rule answers Allowed, or Denied with the reason that is shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from softmark.courses.models import Role


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
