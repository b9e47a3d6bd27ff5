"""Writing assignments: publishing a version, putting it into a course."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from importlib import metadata
from typing import Any, TypedDict

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from grader.assignment import digest_of
from grader.verify import Verification
from softmark.courses.actions import set_schedule
from softmark.courses.models import Course, Item, Schedule
from softmark.courses.queries import current_schedule
from softmark.coursework.models import Assignment, AssignmentVersion


class NotFit(Exception):
    """The assignment did not pass the publish gate; `problems` says why, in sentences."""

    def __init__(self, problems: tuple[str, ...]) -> None:
        super().__init__(problems)
        self.problems = problems


class Misplaced(Exception):
    """The item is taken by something else. Holds a sentence."""


class Terms(TypedDict, total=False):
    """What a schedule is to say. What is left out stays as it was; None takes a date away."""

    opens_at: datetime | None
    due_at: datetime | None
    closes_at: datetime | None
    grace_minutes: int
    percent_per_day: Decimal
    floor_percent: Decimal


@dataclass(frozen=True)
class Placed:
    """What putting a version into a course did."""

    assignment: Assignment
    is_new: bool
    moved_from: AssignmentVersion | None
    schedule: Schedule | None
    rescheduled: bool


@transaction.atomic
def publish(verification: Verification) -> AssignmentVersion:
    """Freezes a folder that passed the gate. One with the same files is there once. Raises NotFit."""
    if verification.problems:
        raise NotFit(verification.problems)
    folder = verification.assignment
    version, _ = AssignmentVersion.objects.get_or_create(
        slug=folder.slug,
        digest=digest_of(folder.files),
        defaults={
            "version": folder.version,
            "title": folder.title,
            "summary": folder.summary,
            "function": folder.function,
            "signature": folder.signature,
            "points": folder.points,
            "files": dict(folder.files),
            "verification": as_json(verification),
        },
    )
    return version


def as_json(verification: Verification) -> dict[str, Any]:
    """The table mistake x check, as it is kept with a version."""
    return {
        "grader": metadata.version("softmark"),
        "at": timezone.now().isoformat(timespec="seconds"),
        "checks": [check.id for check in verification.assignment.checks],
        "table": [
            {"name": row.name, "marks": [str(mark) for mark in row.marks], "result": row.result}
            for row in verification.table
        ],
        "problems": list(verification.problems),
        "notes": list(verification.notes),
    }


@transaction.atomic
def place(
    course: Course, version: AssignmentVersion, *, item_slug: str | None = None, attempts: int | None = None,
    terms: Terms | None = None,
) -> Placed:  # fmt: skip
    """Puts a version into a course, or moves the assignment that is there to it: submissions keep theirs.

    Full marks and title are the version's at first, and the course's own from then on. The course's row is locked,
    so that two imports at once do not both make the item. Raises Misplaced, or ValidationError by the schedule.
    """
    Course.objects.select_for_update().get(pk=course.pk)
    item_slug = item_slug or version.slug
    item = Item.objects.filter(course=course, slug=item_slug).first()
    assignment = Assignment.objects.filter(item=item).select_related("version").first() if item else None
    was = assignment.version if assignment else None
    if was is not None and was.slug != version.slug:
        raise Misplaced(
            f"The item “{item_slug}” of {course} is the assignment {was.slug}, which {version.slug} cannot replace: "
            "its submissions would belong to another task. Choose another name for the item."
        )
    if item is None:
        last = course.items.aggregate(last=Max("position"))["last"]
        item = Item.objects.create(
            course=course,
            slug=item_slug,
            title=version.title,
            points=version.points,
            position=(last or 0) + 1,
        )
    if assignment is None:
        assignment = Assignment.objects.create(item=item, version=version, attempts=attempts or 0)
    elif was != version or attempts not in (None, assignment.attempts):
        assignment.version = version
        assignment.attempts = assignment.attempts if attempts is None else attempts
        assignment.save()
    schedule, rescheduled = _reschedule(item, terms or {})
    return Placed(
        assignment=assignment,
        is_new=was is None,
        moved_from=was if was != version else None,
        schedule=schedule,
        rescheduled=rescheduled,
    )


def _reschedule(item: Item, terms: Terms) -> tuple[Schedule | None, bool]:
    """The schedule in force afterwards, and whether it is a new one."""
    current = current_schedule(item)
    if not terms:
        return current, False
    values = Terms(
        opens_at=current.opens_at if current else None,
        due_at=current.due_at if current else None,
        closes_at=current.closes_at if current else None,
        grace_minutes=current.grace_minutes if current else 0,
        percent_per_day=current.percent_per_day if current else Decimal(0),
        floor_percent=current.floor_percent if current else Decimal(0),
    )
    wanted = values | terms
    if current is not None and wanted == values:
        return current, False
    return set_schedule(item, **wanted), True
