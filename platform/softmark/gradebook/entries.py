"""An event as the pure rules see it."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from typing import NamedTuple


class Kind(StrEnum):
    """What happened."""

    AUTO = "auto"
    QUIZ = "quiz"
    OVERRIDE = "override"
    EXCUSE = "excuse"
    COMMENT = "comment"
    RELEASE = "release"
    HIDE = "hide"
    REVOKE = "revoke"

    @property
    def label(self) -> str:
        return _LABELS[self]


RESULTS = (Kind.AUTO, Kind.QUIZ)  # of what students do; staff do the others

_LABELS = {
    Kind.AUTO: "graded by machine",
    Kind.QUIZ: "predicted",
    Kind.OVERRIDE: "set by hand",
    Kind.EXCUSE: "excused",
    Kind.COMMENT: "comment",
    Kind.RELEASE: "released",
    Kind.HIDE: "hidden",
    Kind.REVOKE: "taken back",
}


class Entry(NamedTuple):
    """One event; later ones have larger ids. A tuple, since a gradebook holds a hundred thousand of them.

    points:     of an override on the item's scale; of an automatic result out of max_points, before late costs.
    revokes:    the event that this one takes back.
    submission: the attempt that an automatic result is about; number and received_at are that attempt's.
    """

    id: int
    kind: str
    points: Decimal | None = None
    max_points: Decimal | None = None
    revokes: int | None = None
    submission: int | None = None
    number: int | None = None
    received_at: datetime | None = None


class Predicted(NamedTuple):
    """A prediction in a lesson, or a mark that staff gave it: the newest of its entries counts. Facts only: what it
    earns is the lesson's policy.

    place:       of its stop in the lesson, from 1; stops: how many the lesson has.
    share:       of the credit, from 0 to 1. source: who says so: rule, self or ta.
    answered:    whether there is an answer; none is what a time limit leaves.
    received_at: when it was committed.
    """

    id: int
    kind: str
    prediction: int
    place: int
    stops: int
    share: Decimal
    source: str
    answered: bool
    received_at: datetime
    revokes: None = None


Happening = Entry | Predicted


def standing(entries: list[Happening]) -> list[Happening]:
    """The events that nobody took back, oldest first. What takes back cannot itself be taken back."""
    revoked = {entry.revokes for entry in entries if entry.revokes is not None}
    if not revoked:
        return entries
    return [entry for entry in entries if entry.kind != Kind.REVOKE and entry.id not in revoked]
