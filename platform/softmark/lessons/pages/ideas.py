"""The ideas of a model answer, to be ticked by whoever finds them in their own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from softmark.lessons.standing import Answered


@dataclass(frozen=True)
class Idea:
    """place: from 0, as it is posted."""

    place: int
    text: str
    ticked: bool = False


@dataclass(frozen=True)
class Ideas:
    """said: whether the author of an answer has ticked theirs. opens: whether they still can."""

    each: tuple[Idea, ...]
    said: bool = False
    opens: bool = False

    @property
    def found(self) -> int:
        return sum(idea.ticked for idea in self.each)


def ideas_of(stop: Answered) -> Ideas | None:
    """None where the question has none."""
    texts: tuple[str, ...] = getattr(stop.settings, "ideas", ())
    if not texts:
        return None
    ticked = stop.ticked or ()
    return Ideas(
        tuple(Idea(place, text, place in ticked) for place, text in enumerate(texts)),
        said=stop.ticked is not None, opens=stop.ticked is None and stop.response is not None,
    )  # fmt: skip


def previewed_ideas(settings: Any) -> Ideas | None:
    """As staff see them before there is any answer."""
    texts: tuple[str, ...] = getattr(settings, "ideas", ())
    return Ideas(tuple(Idea(place, text) for place, text in enumerate(texts))) if texts else None
