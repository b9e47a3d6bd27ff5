"""Writing what staff do with a lesson: trying it, taking it into a course, setting it up."""

from __future__ import annotations

from datetime import datetime, timedelta
from decimal import Decimal
from typing import TypedDict

import structlog
from django.db import transaction

from softmark.accounts.history import record
from softmark.accounts.models import User
from softmark.courses.actions import Terms, held_course, reschedule
from softmark.courses.models import Course
from softmark.courses.queries import role_in
from softmark.lessons import library, queries
from softmark.lessons.actions import Refused, content_of
from softmark.lessons.compiled import Unshowable
from softmark.lessons.importing import place
from softmark.lessons.models import Lesson, LessonVersion, Reading
from softmark.lessons.policies import may_add, may_author, may_begin

log = structlog.get_logger(__name__)

_NOT_THEIRS = "You are not an instructor of that course, so you cannot add lessons to it."


class Changes(TypedDict, total=False):
    """What a lesson is to be set to. What is left out stays as it is."""

    counts: str
    time_limit: int | None
    points: Decimal
    visible: bool


@transaction.atomic
def begin_trial(lesson: Lesson, person: User, now: datetime) -> Reading:
    """Begins a trial with the newest version, which is the one that goes on from then. Raises Refused."""
    lesson = queries.lessons_of(lesson.item.course).get(pk=lesson.pk)
    decision = may_begin(queries.circumstances(lesson, person, trial=True), now)
    if not decision.allowed:
        raise Refused(decision.reason)
    content_of(lesson.version)
    limit = lesson.time_limit
    return Reading.objects.create(
        lesson=lesson, learner=person, version=lesson.version, trial=True, started_at=now, limit=limit,
        ends_at=None if limit is None else now + timedelta(minutes=limit),
    )  # fmt: skip


@transaction.atomic
def add_to(course: Course, version: LessonVersion, by: User, like: Lesson | None = None) -> Lesson:
    """Puts a version into a course that does not have the lesson: hidden, and otherwise set up like another one.

    Locks the course, so that of two who add it at once one is told. Raises Refused.
    """
    held_course(course)
    role = role_in(by, course)
    if role is None or not may_author(role).allowed:
        raise Refused(_NOT_THEIRS)
    decision = may_add(version, library.holdings([course])[course.pk])
    if not decision.allowed:
        raise Refused(decision.reason)
    try:
        lesson = place(course, version).lesson
    except Unshowable:
        raise Refused(
            "The site reads lessons in another way now, and cannot read this one. Import it again."
        ) from None
    item = lesson.item
    item.visible = False
    if like is not None:
        item.title, item.points = like.item.title, like.item.points
        lesson.counts, lesson.time_limit = like.counts, like.time_limit
        lesson.save(update_fields=["counts", "time_limit"])
    item.save(update_fields=["title", "points", "visible"])
    source = "" if like is None else f" from {like.course.slug}"
    record(item, f"{item} in {course}", by, f"Added the lesson {version}{source}.")
    log.info(
        "lesson_added", lesson=lesson.pk, course=course.slug, version=version.pk, by=by.pk,
        copied_from=like.pk if like else None,
    )  # fmt: skip
    return lesson


@transaction.atomic
def set_up(lesson: Lesson, by: User, changes: Changes, terms: Terms) -> None:
    """Changes how a lesson counts and when it is due. Holds the lock on the lesson. Raises ValidationError."""
    held = (
        Lesson.objects.select_for_update(of=("self", "item")).select_related("item__course").get(pk=lesson.pk)
    )
    for name, value in changes.items():
        setattr(held.item if name in ("points", "visible") else held, name, value)
    held.save(update_fields=["counts", "time_limit"])
    held.item.save(update_fields=["points", "visible"])
    _, rescheduled = reschedule(held.item, terms, by)
    if not changes and not rescheduled:
        return
    said = [f"{name}: {value}" for name, value in changes.items()] + ["new dates"] * rescheduled
    record(held.item, f"{held.item} in {held.course}", by, f"Set up the lesson; {', '.join(said)}.")
    log.info(
        "lesson_set_up", lesson=held.pk, by=by.pk, changed=sorted(changes), rescheduled=rescheduled
    )  # fmt: skip
