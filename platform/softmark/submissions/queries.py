"""Reading what was handed in."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Count, Max, Q, QuerySet

from softmark.accounts.models import User
from softmark.courses.models import Course, Role
from softmark.courses.queries import deadline_for
from softmark.coursework.models import Assignment
from softmark.submissions.models import Submission, Work
from softmark.submissions.policies import Standing


def assignment_in(course: Course, slug: str) -> Assignment | None:
    """The assignment of this name, hidden or not, with all that its page needs."""
    return (
        Assignment.objects.filter(item__course=course, item__slug=slug)
        .select_related("item__course", "version")
        .first()
    )


def assignment_now(assignment: Assignment) -> Assignment:
    """As it stands in the database by now, without the large texts of its version: whoever hands in waits for it."""
    return (
        Assignment.objects.select_related("item__course", "version")
        .defer("version__files", "version__verification")
        .get(pk=assignment.pk)
    )


def work_of(assignment: Assignment, student: User) -> Work | None:
    return Work.objects.filter(assignment=assignment, student=student).first()


def attempts_of(assignment: Assignment, student: User) -> QuerySet[Submission]:
    """Somebody's submissions, newest first, without their texts."""
    return (
        Submission.objects.filter(assignment=assignment, student=student)
        .defer("text", "cells", "notes")
        .order_by("-number")
    )


def newest(assignment: Assignment, student: User) -> Submission | None:
    return Submission.objects.filter(assignment=assignment, student=student).order_by("-number").first()


def attempts_used(assignment: Assignment, student: User) -> int:
    """Those that count: not those that were given back."""
    return attempts_used_and_last(assignment, student)[0]


def attempts_used_and_last(assignment: Assignment, student: User) -> tuple[int, int]:
    """How many attempts count, and the number of the last one; 0 where there is none."""
    found = Submission.objects.filter(assignment=assignment, student=student).aggregate(
        used=Count("pk", filter=Q(returned=False)), last=Max("number")
    )
    return found["used"], found["last"] or 0


def received_lately(student: User, at: datetime) -> list[datetime]:
    """When somebody's submissions within the last minute were received, whatever they were for."""
    since = at - timedelta(minutes=1)
    return list(
        Submission.objects.filter(student=student, received_at__gt=since).values_list(
            "received_at", flat=True
        )
    )


def standing_of(
    assignment: Assignment, person: User, role: Role | None, used: int, recent: Sequence[datetime] = ()
) -> Standing:
    """Where somebody stands, as may_submit wants to know it."""
    return Standing(
        role=role,
        visible=assignment.item.visible,
        deadline=deadline_for(person, assignment.item),
        zone=assignment.course.zone,
        used=used,
        most=assignment.attempts,
        recent=recent,
        per_minute=settings.SUBMISSIONS_PER_MINUTE,
    )
