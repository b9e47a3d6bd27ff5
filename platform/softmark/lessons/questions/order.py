"""Items to put in order: exactly; or by rank, where some share one and stand in any order among themselves.

Among the items there may be some that do not belong in the order at all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from softmark.lessons.questions.common import (
    RIGHT,
    Complain,
    Json,
    Mark,
    QuestionType,
    Seal,
)
from softmark.lessons.questions.offered import MOST, opened, text_of
from softmark.lessons.questions.raw import Named, Raw
from softmark.lessons.questions.wording import listed

_ASK = "Put the items in order, each at most once."
EXTRA, MISSING, REVERSED = "extra-items", "missing-items", "reversed"


@dataclass(frozen=True)
class Settings:
    """ties: whether items may share a rank; then each item at a place of its rank earns its part."""

    items: tuple[Named, ...]
    ties: bool = False


@dataclass(frozen=True)
class Ordered:
    """An answer: the authors' ids of items, first to last."""

    items: tuple[str, ...]


@dataclass(frozen=True)
class Key:
    """The authors' ids of items by rank, first to last; of several at one rank in any order."""

    ranks: tuple[frozenset[str], ...]

    @property
    def by_place(self) -> list[frozenset[str]]:
        """What may stand at each place: as long as the right answer."""
        return [rank for rank in self.ranks for _ in rank]


class Order(QuestionType[Settings, Ordered, Key]):
    name = "order"
    settings_keys = frozenset({"items", "ties"})
    between = " "

    def settings(self, raw: Mapping[str, Any], complain: Complain) -> Settings | None:
        reading = Raw(raw, complain)
        settings = Settings(reading.named("items", 2, MOST), reading.flag("ties"))
        return settings if reading.sound else None

    def key(self, value: Any, settings: Settings, complain: Complain) -> Key | None:
        """A list of ids, first to last, with a list in the place of those that share a rank: [a, [b, c], d]."""
        ranks = (
            [each if isinstance(each, list) else [each] for each in value] if isinstance(value, list) else []
        )
        said = [id for rank in ranks for id in rank]
        if len(said) < 2 or not all(ranks):
            complain("The answer of an order question must be a list of items, first to last, two at least.")
            return None
        known = [item.id for item in settings.items]
        unknown = [id for id in said if id not in known]
        sound = not unknown
        if unknown:
            complain(f"The answer names what is none of the items: {listed(unknown)}.")
        elif len(set(said)) < len(said):
            complain("The answer names an item twice.")
            sound = False
        tied = next((rank for rank in ranks if len(rank) > 1), None)
        if tied and not settings.ties:
            complain(f'Of {listed(tied)} any may come first: say "ties: true", or part them.')
            sound = False
        if len(ranks) < 2:
            complain("All items of the answer share one rank, so every order would be right.")
            sound = False
        return Key(tuple(frozenset(rank) for rank in ranks)) if sound else None

    def read(self, posted: Sequence[str], settings: Settings, seal: Seal) -> Ordered:
        return Ordered(opened(posted, settings.items, seal, _ASK))

    def grade(self, response: Ordered, key: Key, settings: Settings) -> Mark:
        wanted = key.by_place
        places = max(len(wanted), len(response.items))
        right = sum(item in rank for item, rank in zip(response.items, wanted, strict=False))
        if right == places:
            return RIGHT
        share = Fraction(right, places) if settings.ties else Fraction(0)
        return Mark(share, _error(response, wanted))

    def errors(self, settings: Settings) -> frozenset[str]:
        return frozenset({EXTRA, MISSING, REVERSED})

    def response_texts(self, response: Ordered, settings: Settings) -> tuple[str, ...]:
        return _texts([[item] for item in response.items], settings)

    def key_texts(self, key: Key, settings: Settings) -> tuple[str, ...]:
        known = [item.id for item in settings.items]
        in_order = [sorted(rank, key=lambda id: (id not in known, known.index(id) if id in known else 0, id))
                    for rank in key.ranks]  # fmt: skip
        return _texts(in_order, settings)

    def response_to_json(self, response: Ordered) -> Json:
        return {"items": list(response.items)}

    def response_from_json(self, kept: Json) -> Ordered:
        return Ordered(tuple(kept["items"]))

    def key_to_json(self, key: Key) -> Json:
        return {"ranks": [sorted(rank) for rank in key.ranks]}

    def key_from_json(self, kept: Json) -> Key:
        return Key(tuple(frozenset(rank) for rank in kept["ranks"]))


def _texts(ranks: Sequence[Sequence[str]], settings: Settings) -> tuple[str, ...]:
    """The items with what stands between them: an arrow, or a sign that they share a rank."""
    texts: list[str] = []
    for rank in ranks:
        for at, id in enumerate(rank):
            texts += ["=" if at else "→", text_of(id, settings.items)]
    return tuple(texts[1:])


def _error(response: Ordered, wanted: list[frozenset[str]]) -> str | None:
    belong = frozenset[str]().union(*wanted)
    if not belong.issuperset(response.items):
        return EXTRA
    if not belong.issubset(response.items):
        return MISSING
    backwards = zip(reversed(response.items), wanted, strict=True)
    return REVERSED if all(item in rank for item, rank in backwards) else None
