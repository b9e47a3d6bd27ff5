"""Writing courses: who is in them, when their items are due."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import TypedDict

from django.core.exceptions import ValidationError
from django.db import transaction

from softmark.accounts.models import User
from softmark.courses.models import (
    Accommodation,
    Course,
    Enrolment,
    Extension,
    Item,
    Role,
    Schedule,
    Section,
)
from softmark.courses.policies import may_extend
from softmark.courses.queries import current_extensions, current_schedule, time_factor_of
from softmark.courses.signals import accommodated


class Terms(TypedDict, total=False):
    """What a schedule is to say. What is left out stays as it was; None takes a date away."""

    opens_at: datetime | None
    due_at: datetime | None
    closes_at: datetime | None
    grace_minutes: int
    percent_per_day: Decimal
    floor_percent: Decimal


@transaction.atomic
def enrol(course: Course, user: User, role: Role, section: str | None = None) -> Enrolment:
    """Puts somebody into a course, or changes their role there."""
    group = Section.objects.get_or_create(course=course, name=section)[0] if section else None
    enrolment, _ = Enrolment.objects.update_or_create(
        course=course, user=user, defaults={"role": role, "section": group, "active": True}
    )
    return enrolment


def held_course(course: Course) -> None:
    """Until the end of the transaction nobody else puts items into the course. Its key stays as it is, so whatever is
    only written about the course, such as everybody's grades, does not wait meanwhile.
    """
    Course.objects.select_for_update(no_key=True).get(pk=course.pk)


def held_person(user: User) -> None:
    """Until the end of the transaction nobody else gives them more time; whoever only names them does not wait."""
    User.objects.select_for_update(no_key=True).get(pk=user.pk)


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


def reschedule(item: Item, terms: Terms, by: User | None = None) -> tuple[Schedule | None, bool]:
    """The schedule in force afterwards, and whether it is a new one. Raises ValidationError."""
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
    return set_schedule(item, by=by, **wanted), True


@transaction.atomic
def extend(item: Item, user: User, due_at: datetime | None, *, reason: str, by: User | None) -> Extension:
    """Gives somebody a later due date, or (None) takes that back; the earlier ones stay as they were.

    Raises ValidationError, also where it would change nothing. Holds the lock on the person.
    """
    held_person(user)
    extended_to = current_extensions([item], user).get((item.pk, user.pk))
    decision = may_extend(current_schedule(item), extended_to, due_at, item.course.zone)
    if not decision.allowed:
        raise ValidationError({"due_at": decision.reason})
    extension = Extension(item=item, user=user, due_at=due_at, reason=reason.strip(), created_by=by)
    extension.full_clean()
    extension.save()
    return extension


@transaction.atomic
def accommodate(
    course: Course, user: User, time_factor: Decimal, *, reason: str, by: User | None, at: datetime
) -> Accommodation:
    """Gives somebody so many times the time of the others from now on, also where their time runs already; the
    earlier ones stay as they were. Holds what `held_time_factor` holds. Raises ValidationError.
    """
    held_time_factor(course, user)
    accommodation = Accommodation(
        course=course, user=user, time_factor=time_factor, reason=reason.strip(), created_by=by
    )
    accommodation.full_clean()
    accommodation.save()
    accommodated.send(sender=Accommodation, accommodation=accommodation, at=at)
    return accommodation


def held_time_factor(course: Course, user: User) -> Decimal:
    """How many times the time of the others somebody has. It stays so until the end of the transaction: whoever
    grants more at the same instant comes before it, or finds what was begun with it.
    """
    held_person(user)
    return time_factor_of(course, user)
