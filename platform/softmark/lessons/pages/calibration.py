"""How sure people were against how often they were right, as templates show it: words, a table and a plot."""

from __future__ import annotations

from dataclasses import dataclass

from softmark.courses.models import Course
from softmark.lessons.calibration import LEAST, LIKELY, Calibration, Level
from softmark.lessons.words import SURE_WORDS, percent

_LEFT, _TOP, _SIDE = 52, 30, 260  # of the plot's square, in its own units


@dataclass(frozen=True)
class Tick:
    """x: from the left; y: from the top."""

    label: str
    x: float
    y: float


@dataclass(frozen=True)
class Point:
    """low, high: the ends of its interval, from the top. side: where its number stands, beside it."""

    x: float
    y: float
    low: float
    high: float
    side: float
    count: int


@dataclass(frozen=True)
class Plot:
    """In the units of its viewBox."""

    left: int
    right: int
    top: int
    bottom: int
    ticks: tuple[Tick, ...]
    points: tuple[Point, ...]

    @property
    def line(self) -> str:
        """Through the points."""
        return " ".join(f"{each.x:g},{each.y:g}" for each in self.points)


@dataclass(frozen=True)
class Word:
    """A row of the table. low, high: in percent. verdict: in words, whether it is right as often as it says."""

    word: str
    likely: str
    count: int
    right: int
    observed: str
    low: int
    high: int
    verdict: str


@dataclass(frozen=True)
class CalibrationPage:
    """found: None while fewer than `least` predictions can be counted; missing: how many more it takes."""

    course: Course
    count: int
    found: Calibration | None
    least: int = LEAST

    @property
    def missing(self) -> int:
        return max(0, LEAST - self.count)

    @property
    def stands_for(self) -> tuple[tuple[str, str], ...]:
        """The four words, and the percentages that they are taken for."""
        return tuple((word, percent(LIKELY[each])) for each, word in SURE_WORDS.items())

    @property
    def brier(self) -> str:
        return "" if self.found is None else f"{self.found.brier:.2f}"

    @property
    def lean(self) -> str:
        return "" if self.found is None else lean_words(self.found, "you were", "your words")

    @property
    def words(self) -> tuple[Word, ...]:
        return () if self.found is None else tuple(map(_word, self.found.levels))

    @property
    def plot(self) -> Plot | None:
        return None if self.found is None else plot_of(self.found)


def calibration_page(course: Course, found: Calibration | None) -> CalibrationPage:
    count = found.count if found else 0
    return CalibrationPage(course, count, found if count >= LEAST else None)


def lean_words(found: Calibration, who_were: str, whose_words: str) -> str:
    """Whether somebody is too sure, in a sentence."""
    said, right = percent(found.said), percent(found.right)
    told = f"On the whole {whose_words} stood for {said}, and {right} were right"
    if found.lean == "over":
        return f"{told}: {who_were} surer than right."
    if found.lean == "under":
        return f"{told}: {who_were} right more often than sure."
    return f"{told}. A difference of this size may be chance."


def plot_of(found: Calibration) -> Plot:
    quarters = (0, 25, 50, 75, 100)
    return Plot(
        left=_LEFT, right=_LEFT + _SIDE, top=_TOP, bottom=_TOP + _SIDE,
        ticks=tuple(Tick(f"{each}\N{NO-BREAK SPACE}%", _x(each / 100), _y(each / 100)) for each in quarters),
        points=tuple(
            Point(_x(each.likely), _y(each.observed), _y(each.low), _y(each.high), _x(each.likely) + 9, each.count)
            for each in found.levels
        ),
    )  # fmt: skip


def _word(level: Level) -> Word:
    verdict = "Fits"
    if not level.low <= level.likely <= level.high:
        verdict = "Too sure" if level.likely > level.observed else "Not sure enough"
    return Word(
        SURE_WORDS[level.confidence], percent(level.likely), level.count, level.right, percent(level.observed),
        round(100 * level.low), round(100 * level.high), verdict,
    )  # fmt: skip


def _x(share: float) -> float:
    return round(_LEFT + _SIDE * share, 1)


def _y(share: float) -> float:
    return round(_TOP + _SIDE * (1 - share), 1)
