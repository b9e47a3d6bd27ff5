"""Who may read a lesson and predict, and when. Pure: the page shows the answer, and the action asks under its lock."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from softmark.courses.deadlines import Deadline
from softmark.courses.late_policy import end_of_minute
from softmark.courses.models import Course, Item, Role
from softmark.courses.policies import Allowed, Decision, Denied
from softmark.lessons.models import LessonVersion
from softmark.ui.words import shown_instant


@dataclass(frozen=True)
class Circumstances:
    """What decides, for one person and one lesson.

    role:    theirs in its course; None: not enrolled.
    visible: students see the item.
    ends_at: where their time limit ends, if they have begun and there is one.
    called:  what the lesson is: a lesson, or a quiz.
    trial:   it is for a trial of staff, which counts nowhere.
    """

    role: Role | None
    visible: bool
    deadline: Deadline
    zone: ZoneInfo
    ends_at: datetime | None = None
    trial: bool = False
    called: str = "lesson"


def time_ends(ends_at: datetime | None, deadline: Deadline, *, trial: bool) -> datetime | None:
    """When somebody's time is over who has a time limit: where it ends, or sooner, where the lesson closes.

    None: there is no time limit, or they have not begun. A trial goes by no dates.
    """
    if ends_at is None or trial or deadline.closes_at is None:
        return ends_at
    return min(ends_at, end_of_minute(deadline.closes_at))


@dataclass(frozen=True)
class Holdings:
    """What a course has, by name. lessons: its lessons' items, by the id of the lesson; items: all its items."""

    course: Course
    lessons: Mapping[str, Item]
    items: Mapping[str, Item]


def may_read(now: Circumstances, at: datetime) -> Decision:
    """Whether what somebody has opened so far is shown to them; also after the lesson has closed.

    Staff try a lesson whether it is hidden or not, and outside of its dates.
    """
    if now.role is None:
        return Denied("You are not enrolled in this course, so its lessons are not open to you.")
    if now.trial:
        if now.role.is_staff:
            return Allowed()
        return Denied(
            "Only the staff of the course try a lesson. Students begin it, and their predictions count."
        )
    if now.role is not Role.STUDENT:
        return Denied("Only students predict here. You belong to the staff of the course.")
    if not now.visible:
        return Denied(
            f"This {now.called} is hidden at the moment. The staff of your course can show it again."
        )
    if now.deadline.opens_at is not None and now.deadline.is_early(at):
        return Denied(f"This {now.called} opens on {_shown(now.deadline.opens_at, now.zone)}.")
    return Allowed()


def may_begin(now: Circumstances, at: datetime) -> Decision:
    decision = may_read(now, at)
    if (
        decision.allowed
        and not now.trial
        and now.deadline.closes_at is not None
        and now.deadline.is_closed(at)
    ):
        return Denied(
            f"This {now.called} closed on {_shown(now.deadline.closes_at, now.zone)}, and no prediction is taken "
            "after that. If something kept you from it, write to the staff of your course."
        )
    return decision


def may_commit(now: Circumstances, at: datetime) -> Decision:
    """Whether a prediction or a draft that is received at this instant is taken."""
    decision = may_begin(now, at)
    if decision.allowed and now.ends_at is not None and at >= now.ends_at:
        return Denied(f"Your time for this {now.called} ran out on {_shown(now.ends_at, now.zone)}.")
    return decision


def may_try(role: Role) -> Decision:
    """Whether somebody sees a whole lesson, with all its variants, and tries it where nothing counts."""
    if role.is_staff:
        return Allowed()
    return Denied(
        "This page is for the staff of the course, who try a lesson here. You read it on its own page."
    )


def may_author(role: Role) -> Decision:
    """Whether somebody adds lessons to a course, and sets them up."""
    if role is Role.INSTRUCTOR:
        return Allowed()
    if role is Role.TA:
        return Denied(
            "Only instructors add lessons and set them up. Tell one of them what should be changed."
        )
    return Denied("Only the instructors of the course add lessons and set them up.")


def may_add(version: LessonVersion, holds: Holdings) -> Decision:
    """Whether a course takes a lesson that it does not have."""
    if version.slug in holds.lessons:
        return Denied(f"{holds.course} has this lesson already.")
    if (item := holds.items.get(version.slug)) is not None:
        return Denied(
            f"The name “{version.slug}” is taken in {holds.course}: its item “{item}” is called so. Give that one "
            "another name first."
        )
    return Allowed()


def may_mark(role: Role) -> Decision:
    """Whether somebody reads what the students of a course predicted, and says what it is worth."""
    if role.is_staff:
        return Allowed()
    return Denied(
        "Only the staff of the course mark predictions. Yours are on the page of the lesson, with their marks."
    )


def has_revisits(role: Role) -> Decision:
    """Whether questions that were missed come back to somebody."""
    if role is Role.STUDENT:
        return Allowed()
    return Denied("Only students have predictions to revisit. You belong to the staff of the course.")


def may_revisit(now: Circumstances) -> Decision:
    """Whether a question that came back is answered: as practice, whatever the dates of its lesson are."""
    if now.role is None:
        return Denied("You are not enrolled in this course any more, so nothing is taken from you.")
    if now.role is Role.STUDENT and not now.visible:
        return Denied(
            "The lesson that this question is from is hidden at the moment, so it cannot be answered. "
            "The staff of your course can show the lesson again."
        )
    return has_revisits(now.role)


def may_see_results(role: Role) -> Decision:
    if role.is_staff:
        return Allowed()
    return Denied(
        "What the whole class predicted is for the staff of the course. Your own stands in each lesson."
    )


def may_see_calibration(role: Role) -> Decision:
    if role is Role.STUDENT:
        return Allowed()
    return Denied("Only students predict here. How sure the class is stands in the results of each lesson.")


def _shown(instant: datetime, zone: ZoneInfo) -> str:
    return shown_instant(instant.astimezone(zone))
