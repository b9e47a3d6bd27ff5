"""How the points of one attempt come about, for its report: added up, less what late costs, on the item's scale.

Which attempt counts, and what staff changed by hand, is the gradebook's business.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from softmark.courses.late_policy import Lateness


@dataclass(frozen=True)
class Arithmetic:
    """points of max_points: what the grader gave. late: after what late costs; scaled of full: on the item's scale.

    Each of the two steps is None where it changes nothing.
    """

    points: Decimal
    max_points: Decimal
    late: Decimal | None
    scaled: Decimal | None
    full: Decimal


def arithmetic(points: Decimal, max_points: Decimal, lateness: Lateness, full: Decimal) -> Arithmetic:
    """max_points is above 0. Nothing is rounded here."""
    kept = points * lateness.percent_kept / 100
    return Arithmetic(
        points,
        max_points,
        late=kept if lateness.percent_lost else None,
        scaled=kept * full / max_points if full != max_points else None,
        full=full,
    )
