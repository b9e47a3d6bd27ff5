"""What somebody sent that was not taken, and how it is handed back to them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from softmark.lessons.models import Prediction
from softmark.ui.typed import together

_PICKED = ("choice", "choices", "token", "order")


@dataclass(frozen=True)
class Typed:
    """What was sent and could not be taken. stop: where it belongs; sure: as it was picked.

    returned: it was kept while they were signed out, so they come back to the top of the page.
    """

    stop: str
    texts: tuple[str, ...]
    sure: int | None
    sentence: str
    returned: bool = False

    def handed_back(self, kind: str) -> list[str]:
        """What was typed, where there is no form for it. kind: of the stop; where things are picked there is none."""
        return [] if kind in _PICKED else together(text for text in self.texts if text.strip())


@dataclass(frozen=True)
class NotTaken:
    """What was sent to a stop that had its answer by then, and why that one stays."""

    sentence: str
    handed_back: list[str]


def not_taken_at(stop: str, kind: str, typed: Typed | None) -> NotTaken | None:
    """What a stop that is answered tells. kind: of the stop. typed: what was sent last, wherever it belongs."""
    if typed is None or typed.stop != stop or typed.returned:
        return None
    return NotTaken(typed.sentence, typed.handed_back(kind))


def repeats(before: Prediction, texts: Sequence[str]) -> bool:
    """Whether these texts are the answer that counts already: a double click, of which there is nothing to tell."""
    return before.response is not None and before.posted == list(texts)
