"""The rail beside a lesson: its open parts by name. What is locked is not even named."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from html import unescape

from django.utils.html import strip_tags

from softmark.lessons.pages.lesson import Part

_HEADING = re.compile(r"<h2[^>]*>(.*?)</h2>", re.DOTALL)


@dataclass(frozen=True)
class Entry:
    """anchor: where it leads. waits: its stop is the one to be answered. done: its stop is answered.

    unanswered: the time limit ran out at its stop, without an answer.
    """

    anchor: str
    title: str
    waits: bool = False
    done: bool = False
    unanswered: bool = False


def rail_of(parts: Sequence[Part], stop_word: str) -> tuple[Entry, ...]:
    """stop_word: what a stop is called."""
    return tuple(_entry(part, stop_word) for part in parts)


def _entry(part: Part, stop_word: str) -> Entry:
    heading = next(filter(None, (_HEADING.search(piece.html) for piece in part.pieces)), None)
    entry = Entry(part.id, "The rest")
    if part.stop is not None:
        behind = part.stop.behind
        unanswered = behind is not None and behind.is_unanswered
        entry = Entry(
            f"stop-{part.stop.id}", f"{stop_word.capitalize()} {part.stop.number}", waits=behind is None,
            done=behind is not None and not unanswered, unanswered=unanswered,
        )  # fmt: skip
    if heading is None:
        return entry
    return replace(entry, anchor=part.id, title=" ".join(unescape(strip_tags(heading[1])).split()))
