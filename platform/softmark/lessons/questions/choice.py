"""One of several options."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from softmark.lessons.questions.common import (
    RIGHT,
    Complain,
    Invalid,
    Json,
    Mark,
    QuestionType,
    Seal,
    wrong,
)
from softmark.lessons.questions.offered import MOST, opened, text_of
from softmark.lessons.questions.raw import Named, Raw
from softmark.lessons.questions.wording import listed, quoted

_ASK = "Pick one of the options."


@dataclass(frozen=True)
class Settings:
    options: tuple[Named, ...]


@dataclass(frozen=True)
class Picked:
    """An answer or a key: the author's id of an option."""

    option: str


class Choice(QuestionType[Settings, Picked, Picked]):
    name = "choice"
    settings_keys = frozenset({"options"})

    def settings(self, raw: Mapping[str, Any], complain: Complain) -> Settings | None:
        reading = Raw(raw, complain)
        settings = Settings(reading.named("options", 2, MOST))
        return settings if reading.sound else None

    def key(self, value: Any, settings: Settings, complain: Complain) -> Picked | None:
        """A reference may give a list of one: where ties would make it longer, a choice has no single answer."""
        ids = value if isinstance(value, list) else [value]
        if len(ids) > 1:
            right = listed(ids)
            complain(f"A choice has one right option, and here there are {len(ids)} ({right}).")
            return None
        if not ids or ids[0] not in [option.id for option in settings.options]:
            complain(f"The answer {quoted(str(value))} is none of the options.")
            return None
        return Picked(ids[0])

    def read(self, posted: Sequence[str], settings: Settings, seal: Seal) -> Picked:
        picked = opened(posted, settings.options, seal, _ASK)
        if len(picked) > 1:
            raise Invalid(f"{len(picked)} options came. {_ASK}")
        return Picked(picked[0])

    def grade(self, response: Picked, key: Picked, settings: Settings) -> Mark:
        return RIGHT if response == key else wrong()

    def understands(self, said: str, settings: Settings) -> bool:
        return said in [option.id for option in settings.options]

    def matches(self, said: str, response: Picked, settings: Settings) -> bool:
        return said == response.option

    def all_right(self, said: str, key: Picked, settings: Settings) -> bool | None:
        return said == key.option

    def response_texts(self, response: Picked, settings: Settings) -> tuple[str, ...]:
        return (text_of(response.option, settings.options),)

    def key_texts(self, key: Picked, settings: Settings) -> tuple[str, ...]:
        return (text_of(key.option, settings.options),)

    def response_to_json(self, response: Picked) -> Json:
        return {"option": response.option}

    def response_from_json(self, kept: Json) -> Picked:
        return Picked(kept["option"])

    def key_to_json(self, key: Picked) -> Json:
        return {"option": key.option}

    def key_from_json(self, kept: Json) -> Picked:
        return Picked(kept["option"])
