"""Writing courses: who is in them, when their items are due."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal

from django.db import transaction

from softmark.accounts.models import User
from softmark.courses.models import Course, Enrolment, Extension, Item, Role, Schedule, Section


@transaction.atomic
def enrol(course: Course, user: User, role: Role, section: str | None = None) -> Enrolment:
    """Puts somebody into a course, or changes their role there."""
    group = Section.objects.get_or_create(course=course, name=section)[0] if section else None
    enrolment, _ = Enrolment.objects.update_or_create(
        course=course, user=user, defaults={"role": role, "section": group, "active": True}
    )
    return enrolment


@transaction.atomic
def set_schedule(
    item: Item, *, opens_at: datetime | None = None, due_at: datetime | None = None,
    closes_at: datetime | None = None, grace_minutes: int = 0, percent_per_day: Decimal = Decimal(0),
    floor_percent: Decimal = Decimal(0), by: User | None = None,
) -> Schedule:  # fmt: skip
    """Puts a new schedule in force; the old ones stay as they were. Raises ValidationError."""
    schedule = Schedule(
        item=item, opens_at=opens_at, due_at=due_at, closes_at=closes_at, grace_minutes=grace_minutes,
        percent_per_day=percent_per_day, floor_percent=floor_percent, created_by=by,
    )  # fmt: skip
    schedule.full_clean()
    schedule.save()
    return schedule


def extend(item: Item, user: User, due_at: datetime | None, *, reason: str, by: User | None) -> Extension:
    """Gives somebody a later due date, or (None) takes that back; the earlier ones stay as they were."""
    return Extension.objects.create(item=item, user=user, due_at=due_at, reason=reason, created_by=by)
