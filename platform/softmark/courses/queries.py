"""Reading courses, roles and deadlines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from django.db.models import Case, QuerySet, When

from softmark.accounts.models import User
from softmark.courses.deadlines import Deadline, effective_deadline
from softmark.courses.models import Accommodation, Course, Enrolment, Extension, Item, Role, Schedule


def enrolments_of(user: User) -> QuerySet[Enrolment]:
    """The courses of a person, with their role in each."""
    return user.enrolments.filter(active=True).select_related("course", "section").order_by("course__title")


def enrolment_in(user: User, slug: str) -> Enrolment | None:
    return (
        Enrolment.objects.filter(user=user, course__slug=slug, active=True)
        .select_related("course", "section")
        .first()
    )


def role_in(user: User, course: Course) -> Role | None:
    found = (
        Enrolment.objects.filter(user=user, course=course, active=True).values_list("role", flat=True).first()
    )
    return Role(found) if found is not None else None


def students_of(course: Course) -> QuerySet[Enrolment]:
    """The students of a course in the order of lists."""
    return (
        course.enrolments.filter(role=Role.STUDENT, active=True)
        .select_related("user", "section")
        .order_by("user__name", "user__email")
    )


def people_of(course: Course) -> QuerySet[Enrolment]:
    """Everybody in a course: instructors, teaching assistants, students, and last those who have left."""
    rank = Case(When(role=Role.INSTRUCTOR, then=0), When(role=Role.TA, then=1), default=2)
    return course.enrolments.select_related("user", "section").order_by(
        "-active", rank, "user__name", "user__email"
    )


def current_schedule(item: Item) -> Schedule | None:
    return item.schedules.order_by("-id").first()


def current_schedules(items: Iterable[Item]) -> dict[int, Schedule]:
    """By item: the schedule in force, in one query."""
    newest = Schedule.objects.filter(item__in=items).order_by("item_id", "-id").distinct("item_id")
    return {schedule.item_id: schedule for schedule in newest}


def current_extensions(items: Iterable[Item], user: User | None = None) -> dict[tuple[int, int], datetime]:
    """By item and user: the due date that somebody was given, in one query."""
    found = Extension.objects.filter(item__in=items)
    if user is not None:
        found = found.filter(user=user)
    newest = found.order_by("item_id", "user_id", "-id").distinct("item_id", "user_id")
    return {(each.item_id, each.user_id): each.due_at for each in newest if each.due_at is not None}


@dataclass(frozen=True)
class Due:
    """An item that has a due date or an end: the deadline of everybody, and that of one person."""

    item: Item
    ordinary: Deadline
    own: Deadline


def all_due(course: Course, user: User) -> list[Due]:
    """What is due in a course, for everybody and for one person. Three queries."""
    items = list(course.items.all())
    schedules, extensions = current_schedules(items), current_extensions(items, user)
    found = []
    for item in items:
        schedule, extended_to = schedules.get(item.pk), extensions.get((item.pk, user.pk))
        ordinary = effective_deadline(schedule, None, course.zone)
        if ordinary.can_be_later:
            found.append(Due(item, ordinary, effective_deadline(schedule, extended_to, course.zone)))
    return found


def extended(course: Course) -> Counter[int]:
    """How many due dates are later for somebody than for the others, by person. Three queries."""
    items = list(course.items.all())
    schedules = current_schedules(items)
    return Counter(
        user
        for (item, user), until in current_extensions(items).items()
        if effective_deadline(schedules.get(item), until, course.zone).extended
    )


def extensions_of(course: Course, user: User) -> QuerySet[Extension]:
    """All that somebody was given, newest first."""
    given = Extension.objects.filter(item__course=course, user=user)
    return given.select_related("item", "created_by").order_by("-id")


def deadline_for(user: User, item: Item) -> Deadline:
    """The deadline that counts for this person."""
    extensions = current_extensions([item], user)
    return effective_deadline(current_schedule(item), extensions.get((item.pk, user.pk)), item.course.zone)


def accommodations_of(course: Course, user: User) -> QuerySet[Accommodation]:
    """All that somebody was granted, newest first."""
    return course.accommodations.filter(user=user).select_related("created_by").order_by("-id")


def time_factor_of(course: Course, user: User) -> Decimal:
    """How many times the time of the others somebody has."""
    newest = course.accommodations.filter(user=user).order_by("-id").values_list("time_factor", flat=True)
    return newest.first() or Decimal(1)


def time_factors(course: Course) -> dict[int, Decimal]:
    """By user, of those who have more time than the others; in one query."""
    newest = course.accommodations.order_by("user_id", "-id").distinct("user_id")
    return {user: factor for user, factor in newest.values_list("user_id", "time_factor") if factor != 1}
