"""What putting an assignment into a course did, in sentences: for the command and for the page."""

from __future__ import annotations

from grader.report import shown_points
from softmark.courses.models import Course, Schedule
from softmark.coursework.actions import Placed
from softmark.coursework.models import AssignmentVersion


def what_was_done(course: Course, version: AssignmentVersion, placed: Placed) -> list[str]:
    """In the order of what matters: what stands where now, what became of earlier work, the terms."""
    item = placed.assignment.item
    told = []
    if placed.is_new:
        told.append(f"“{item}” is now an assignment of {course}, for {shown_points(item.points)} points.")
    elif placed.moved_from is not None:
        handed_in = placed.assignment.submissions.exclude(version=version).count()
        told.append(
            f"“{item}” in {course} moved from version {placed.moved_from.version} to {version.version}."
        )
        if handed_in:
            told.append(
                f"What was handed in before ({handed_in}) stays graded by the version that it was handed in for."
            )
        if version.points != placed.moved_from.points:
            before, now = shown_points(placed.moved_from.points), shown_points(version.points)
            told.append(
                f"The folder gave {before} points and gives {now} now; in the gradebook “{item}” still counts "
                f"{shown_points(item.points)}."
            )
    else:
        told.append(f"“{item}” is in {course} with this version already.")
    attempts = placed.assignment.attempts
    told.append(f"Attempts: {attempts or 'as many as they like'}. {_in_words(placed.schedule, course)}")
    return told


def _in_words(schedule: Schedule | None, course: Course) -> str:
    if schedule is None:
        return "It is always open."
    parts = [
        f"{word} {at.astimezone(course.zone):%Y-%m-%d %H:%M}"
        for word, at in (
            ("opens", schedule.opens_at),
            ("due", schedule.due_at),
            ("closes", schedule.closes_at),
        )
        if at is not None
    ]
    late = (
        f" Late costs {shown_points(schedule.percent_per_day)} % a day; at least "
        f"{shown_points(schedule.floor_percent)} % is kept."
        if schedule.percent_per_day
        else ""
    )
    return f"{', '.join(parts).capitalize() or 'No dates'} ({course.time_zone}).{late}"
