"""Totals and means: pure rules."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

from softmark.gradebook.grade import Grade


@dataclass(frozen=True, slots=True)
class Total:
    """A running total: points of max, over as many items as count so far."""

    points: Decimal
    max: Decimal
    items: int

    @property
    def percent(self) -> Decimal | None:
        """None as long as there is nothing to divide by."""
        return self.points * 100 / self.max if self.max else None


def total(grades: Iterable[Grade]) -> Total:
    """The total that a student sees, and staff with them: over what is released and has come to a result.

    What is excused, waiting, under way or not yet due is out of both sums. What nobody handed in counts as 0 once it
    is over.
    """
    points, most, items = Decimal(0), Decimal(0), 0
    for grade in grades:
        if grade.released and grade.worth is not None:
            points += grade.worth
            most += grade.max
            items += 1
    return Total(points, most, items)


def mean(grades: Iterable[Grade]) -> Decimal | None:
    """The mean of those who have points and have come to a result."""
    known = [grade.points for grade in grades if grade.points is not None and grade.worth is not None]
    return sum(known, Decimal(0)) / len(known) if known else None
