"""What a prediction is worth, and who says so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from softmark.lessons.questions import Source

CORRECTNESS = "correctness"  # the other is completion, as a Lesson has them
_PARTS = 4  # of a prediction that has no ideas by which to count


@dataclass(frozen=True)
class Credit:
    """share: from 0 to 1. source: rule, self or ta."""

    share: Decimal
    source: str

    @property
    def is_right(self) -> bool:
        """All of it, by a rule or by somebody: a mark of one's own says nothing about that."""
        return self.share == 1 and self.source != Source.SELF


def credited(own_share: Decimal, own_source: str, staff_shares: Sequence[Decimal | None] = ()) -> Credit:
    """staff_shares: of the staff's marks, oldest first. The newest counts; one of None takes back those before it."""
    newest = staff_shares[-1] if staff_shares else None
    if newest is None:
        return Credit(own_share, str(own_source))
    return Credit(newest, str(Source.TA))


def by_share(counts: str, source: str, *, is_text: bool, is_answered: bool) -> bool:
    """Whether a prediction earns its share, and not for being made. source: who marked it last.

    By completion too, what no rule can mark, a text and what has no answer, earns the share that staff give it. What
    only its learner has marked counts as made.
    """
    if source == Source.TA and (is_text or not is_answered):
        return True
    return counts == CORRECTNESS and source != Source.SELF


def steps(ideas: int) -> tuple[Fraction, ...]:
    """The shares that staff can give: nothing, half, all, and what each idea is worth."""
    parts = ideas or _PARTS
    return tuple(sorted({Fraction(1, 2), *(Fraction(part, parts) for part in range(parts + 1))}))


def as_decimal(share: Fraction) -> Decimal:
    """As the database keeps it."""
    return round(Decimal(share.numerator) / share.denominator, 6)
