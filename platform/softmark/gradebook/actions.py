"""Writing grades: each a new event, in one transaction with the check that nobody else was quicker."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Max, Q

from softmark.accounts.models import User
from softmark.courses.models import Enrolment, Item
from softmark.gradebook.entries import RESULTS, Kind
from softmark.gradebook.models import Event
from softmark.ui.words import shown_points


class Conflict(Exception):
    """Something happened to the cell after it was shown."""


@dataclass(frozen=True)
class Change:
    """Who changes which cell. seen: the newest event of the cell that they know of, 0 for none."""

    item: Item
    student: User
    by: User
    seen: int


@transaction.atomic
def set_points(change: Change, points: Decimal, reason: str) -> Event:
    """Sets a grade by hand, whatever the automatic one is. Raises Conflict or ValidationError."""
    full = change.item.points
    if not 0 <= points <= full:
        raise ValidationError(
            {"points": f"Points are from 0 to {shown_points(full)[0]}, the full marks of the item."}
        )
    _required(reason, "Say why: the next person who reads this grade will ask.")
    return _append(change, Kind.OVERRIDE, points=points, reason=reason)


@transaction.atomic
def excuse(change: Change, reason: str) -> Event:
    """Takes the item out of the student's totals. Raises Conflict or ValidationError."""
    _required(reason, "Say why: the next person who reads this grade will ask.")
    return _append(change, Kind.EXCUSE, reason=reason)


@transaction.atomic
def comment(change: Change, text: str) -> Event:
    """Writes something to the student. Raises Conflict or ValidationError."""
    _required(text, "Write something first.")
    return _append(change, Kind.COMMENT, reason=text)


@transaction.atomic
def take_back(change: Change, event_id: int, reason: str) -> Event:
    """Undoes an event of the cell, by one more. Raises Conflict or ValidationError."""
    _lock(change)
    event = Event.objects.filter(pk=event_id, item=change.item, student=change.student).first()
    if event is None or event.kind == Kind.REVOKE:
        raise ValidationError("There is no such event here that could be taken back.")
    if event.mark_id is not None:
        raise ValidationError("A mark is taken back where it was given: on the page of its prediction.")
    if event.kind in RESULTS:
        _required(reason, "Say why this result shall not count.")
    if Event.objects.filter(revokes=event).exists():
        raise ValidationError("This has been taken back already.")
    return _append(change, Kind.REVOKE, revokes=event, reason=reason)


@transaction.atomic
def set_released(item: Item, released: bool, by: User) -> bool:
    """Shows the grades of an item to students, or hides them. False where it was so already. Locks the item.

    The item says how it is now, for every page that asks; the event says who did it and when.
    """
    locked = Item.objects.select_for_update().get(pk=item.pk)
    if locked.released == released:
        return False
    locked.released = released
    locked.save(update_fields=["released"])
    kind = Kind.RELEASE if released else Kind.HIDE
    Event.objects.create(course_id=locked.course_id, item=locked, kind=kind.value, actor=by)
    return True


def _lock(change: Change) -> None:
    """The student's enrolment, so that of two people who change their grades one comes after the other."""
    Enrolment.objects.select_for_update().get(course=change.item.course_id, user=change.student)


def _append(change: Change, kind: Kind, **fields: Any) -> Event:
    """Adds to a cell what somebody did, under its lock."""
    _lock(change)
    of_cell = Q(course=change.item.course_id, item=change.item, student=change.student)
    newest = Event.objects.filter(of_cell).aggregate(newest=Max("pk"))["newest"] or 0
    if newest != change.seen:
        raise Conflict
    return Event.objects.create(
        course_id=change.item.course_id, item=change.item, student=change.student, kind=kind.value, actor=change.by,
        **fields,
    )  # fmt: skip


def _required(reason: str, otherwise: str) -> None:
    if not reason.strip():
        raise ValidationError({"reason": otherwise})
