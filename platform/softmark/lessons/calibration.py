"""Whether people are right as often as they say: the Brier score, and the reliability of each of the four words.

Only predictions count that somebody said how sure they were of, and that a rule or the staff judged. Right is all of
the credit: a part of it is not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from math import sqrt

LEAST = 10  # predictions, before anything is said of one person

# What the four words are taken for. They are no numbers for whoever picks them, so the steps are plain; "certain" is
# not 100 %, as everybody slips.
LIKELY = {1: 0.25, 2: 0.5, 3: 0.75, 4: 0.95}

_Z = 1.96  # 95 %


@dataclass(frozen=True)
class Said:
    """One prediction: how sure somebody was, from 1 to 4, and what came of it."""

    confidence: int
    right: bool


@dataclass(frozen=True)
class Level:
    """All predictions of one word. low, high: where the share of right ones may well be (Wilson, 95 %)."""

    confidence: int
    likely: float
    count: int
    right: int
    low: float
    high: float

    @property
    def observed(self) -> float:
        return self.right / self.count


@dataclass(frozen=True)
class Calibration:
    """brier: the mean of (said - outcome)^2; 0 is perfect, and always saying 50 % gives 0.25.

    levels: those that were picked, from the least sure.
    said:   the mean of what was said. right: the share of what was right.
    chance: how far these two may be apart although every word is right as often as it says (95 %).
    """

    count: int
    brier: float
    levels: tuple[Level, ...]
    said: float
    right: float
    chance: float

    @property
    def lean(self) -> str:
        """over: surer than right; under: the other way round; or nothing, where chance may be all there is to it."""
        if abs(self.said - self.right) <= self.chance:
            return ""
        return "over" if self.said > self.right else "under"


def calibrated(predictions: Iterable[Said]) -> Calibration | None:
    """None where there are none."""
    counts = Counter(predictions)
    levels = tuple(
        _level(confidence, counts[Said(confidence, True)], counts[Said(confidence, False)])
        for confidence in LIKELY
        if counts[Said(confidence, True)] + counts[Said(confidence, False)]
    )
    count = sum(each.count for each in levels)
    if not count:
        return None
    squares = sum(
        each.right * (1 - each.likely) ** 2 + (each.count - each.right) * each.likely**2 for each in levels
    )
    spread = sum(each.count * each.likely * (1 - each.likely) for each in levels)
    return Calibration(
        count=count,
        brier=squares / count,
        levels=levels,
        said=sum(each.count * each.likely for each in levels) / count,
        right=sum(each.right for each in levels) / count,
        chance=_Z * sqrt(spread) / count,
    )


def _level(confidence: int, right: int, wrong: int) -> Level:
    count = right + wrong
    centre = (right + _Z**2 / 2) / (count + _Z**2)
    half = _Z / (count + _Z**2) * sqrt(right * wrong / count + _Z**2 / 4)
    return Level(
        confidence, LIKELY[confidence], count, right, max(0.0, centre - half), min(1.0, centre + half)
    )
