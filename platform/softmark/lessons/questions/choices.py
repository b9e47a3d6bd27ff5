"""Several of the options: max(0, (hits - false picks) / right ones)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from softmark.lessons.questions.common import Complain, Json, Mark, QuestionType, Seal
from softmark.lessons.questions.offered import MOST, opened, text_of
from softmark.lessons.questions.raw import Named, Raw
from softmark.lessons.questions.wording import listed

_ASK = "Pick all the options that hold; at least one does."


@dataclass(frozen=True)
class Settings:
    options: tuple[Named, ...]


@dataclass(frozen=True)
class Picked:
    """An answer or a key: the authors' ids of options, at least one."""

    options: frozenset[str]


class Choices(QuestionType[Settings, Picked, Picked]):
    name = "choices"
    settings_keys = frozenset({"options"})
    between = " · "

    def settings(self, raw: Mapping[str, Any], complain: Complain) -> Settings | None:
        reading = Raw(raw, complain)
        settings = Settings(reading.named("options", 2, MOST))
        return settings if reading.sound else None

    def key(self, value: Any, settings: Settings, complain: Complain) -> Picked | None:
        if not isinstance(value, list) or not value:
            complain(
                "The answer of a choices question must be a list of the options that hold, at least one."
            )
            return None
        ids = [option.id for option in settings.options]
        unknown = [each for each in value if each not in ids]
        if unknown:
            complain(f"The answer names what is none of the options: {listed(unknown)}.")
            return None
        return Picked(frozenset(value))

    def read(self, posted: Sequence[str], settings: Settings, seal: Seal) -> Picked:
        return Picked(frozenset(opened(posted, settings.options, seal, _ASK)))

    def grade(self, response: Picked, key: Picked, settings: Settings) -> Mark:
        hits = len(response.options & key.options)
        false_picks = len(response.options - key.options)
        return Mark(Fraction(max(0, hits - false_picks), len(key.options)))

    def understands(self, said: str, settings: Settings) -> bool:
        return said in [option.id for option in settings.options]

    def matches(self, said: str, response: Picked, settings: Settings) -> bool:
        """Whether this option is among those picked."""
        return said in response.options

    def all_right(self, said: str, key: Picked, settings: Settings) -> bool | None:
        return said in key.options

    def response_texts(self, response: Picked, settings: Settings) -> tuple[str, ...]:
        return _texts(response, settings)

    def key_texts(self, key: Picked, settings: Settings) -> tuple[str, ...]:
        return _texts(key, settings)

    def response_to_json(self, response: Picked) -> Json:
        return {"options": sorted(response.options)}

    def response_from_json(self, kept: Json) -> Picked:
        return Picked(frozenset(kept["options"]))

    def key_to_json(self, key: Picked) -> Json:
        return {"options": sorted(key.options)}

    def key_from_json(self, kept: Json) -> Picked:
        return Picked(frozenset(kept["options"]))


def _texts(picked: Picked, settings: Settings) -> tuple[str, ...]:
    """In the author's order, whatever order they were picked in."""
    known = [option.id for option in settings.options]
    lost = sorted(picked.options.difference(known))
    return tuple(
        text_of(id, settings.options) for id in [*(id for id in known if id in picked.options), *lost]
    )
