"""The page of questions that come back, as its template shows it: one at a time."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from softmark.courses.models import Course, Item
from softmark.lessons.pages.lesson import Stop
from softmark.lessons.pages.sent import Typed


@dataclass(frozen=True)
class LeftOut:
    """A lesson whose questions cannot be shown now, and why."""

    lesson: str
    sentence: str


@dataclass(frozen=True)
class CameBackPage:
    """due: how many wait now. next_at: when the first of those comes back that do not; None: there is none.

    draw: which draw the stop is, by its number in the addresses. token: names its form. item: the lesson it is from.
    again_at: when a stop that was answered here comes back.
    failed: whether something sent was not taken. problem: why; of the stop that waits it is told there.
    """

    course: Course
    due: int
    next_at: datetime | None
    left_out: tuple[LeftOut, ...] = ()
    draw: int = 0
    token: str = ""
    item: Item | None = None
    stop: Stop | None = None
    again_at: datetime | None = None
    failed: bool = False
    problem: Typed | None = None

    @property
    def handed_back(self) -> list[str]:
        """What was typed into a form that is no longer there."""
        return self.problem.handed_back(self.stop.kind if self.stop else "") if self.problem else []
