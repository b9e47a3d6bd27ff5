"""When a question that was missed comes back: what fsrs says, and what it is told. Pure; times are instants.

There are no steps within a day, and nothing is left to chance: the first return is a day after the miss.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any, cast

from softmark.lessons.questions import Source

if TYPE_CHECKING:  # it takes a tenth of a second to import, and most requests do without it
    from fsrs import Card, Scheduler

AGAIN, HARD, GOOD, EASY = 1, 2, 3, 4  # as fsrs counts its ratings
GUESSED, CERTAIN = 1, 4  # of how sure somebody was


@dataclass(frozen=True)
class Return:
    """When it comes back, and the card: what fsrs knows of somebody's memory of it, as JSON."""

    card: dict[str, Any]
    due_at: datetime


def is_missed(share: Decimal, source: str) -> bool:
    """A rule judged it, and gave less than all of the credit."""
    return share < 1 and source == Source.RULE


def rating_of(right: bool, confidence: int | None) -> int:
    """How well it was known. Right by a guess is hardly known; not all of it right is not known."""
    if not right:
        return AGAIN
    return {GUESSED: HARD, CERTAIN: EASY}.get(confidence or 0, GOOD)


def first_return(missed_at: datetime) -> Return:
    """Of a question that was missed just now."""
    from fsrs import Card

    at = missed_at.astimezone(UTC)
    return _reviewed(Card(card_id=0, due=at), AGAIN, at)  # a row has one card: it needs no number of its own


def next_return(card: Mapping[str, Any], right: bool, confidence: int | None, at: datetime) -> Return:
    """Of one that came back, and was answered just now."""
    from fsrs import Card

    return _reviewed(Card.from_dict(cast(Any, card)), rating_of(right, confidence), at.astimezone(UTC))


def _reviewed(card: Card, rating: int, at: datetime) -> Return:
    from fsrs import Rating

    reviewed, _ = _scheduler().review_card(card, Rating(rating), at)
    return Return(dict(reviewed.to_dict()), reviewed.due)


def _scheduler() -> Scheduler:
    from fsrs import Scheduler

    return Scheduler(learning_steps=(), relearning_steps=(), enable_fuzzing=False)
