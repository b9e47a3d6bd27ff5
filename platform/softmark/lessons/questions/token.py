"""A token of a sentence to pick: one of those that are right, since ties happen."""

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
    the_only,
    wrong,
)
from softmark.lessons.questions.raw import Raw
from softmark.lessons.questions.wording import quoted

MOST_TOKENS = 40
_ASK = "Pick one token of the sentence."


@dataclass(frozen=True)
class Settings:
    """tokens: the sentence, in reading order. Its places are counted from 0, and seen by everyone, so not sealed."""

    tokens: tuple[str, ...]

    def places(self, token: str) -> list[int]:
        return [place for place, each in enumerate(self.tokens) if each == token]


@dataclass(frozen=True)
class Picked:
    """The place of a token."""

    place: int


@dataclass(frozen=True)
class Key:
    """The places of the tokens that are right."""

    places: frozenset[int]


class Token(QuestionType[Settings, Picked, Key]):
    name = "token"
    settings_keys = frozenset({"tokens"})

    def settings(self, raw: Mapping[str, Any], complain: Complain) -> Settings | None:
        reading = Raw(raw, complain)
        settings = Settings(reading.texts("tokens", 2, MOST_TOKENS))
        return settings if reading.sound else None

    def key(self, value: Any, settings: Settings, complain: Complain) -> Key | None:
        """A token or a list of them; one that stands in the sentence twice by its place, counted from 0."""
        said = value if isinstance(value, list) else [value]
        places: set[int] = set()
        sound = bool(said)
        if not said:
            complain("No token is right.")
        for each in said:
            found = settings.places(each) if isinstance(each, str) else [each]
            if len(found) > 1:
                complain(
                    f"{quoted(each)} stands in the sentence {len(found)} times: say its place, counted from 0."
                )
            elif not found or type(found[0]) is not int or not 0 <= found[0] < len(settings.tokens):
                complain(f"The answer {quoted(str(each))} is no token of the sentence.")
            else:
                places.add(found[0])
                continue
            sound = False
        if sound and len(places) == len(settings.tokens):
            complain("Every token is right, so there is nothing to predict.")
            sound = False
        return Key(frozenset(places)) if sound else None

    def read(self, posted: Sequence[str], settings: Settings, seal: Seal) -> Picked:
        text = the_only(posted, _ASK)
        if len(text) > 3 or not (text.isascii() and text.isdigit()) or int(text) >= len(settings.tokens):
            raise Invalid(f"What came is no token of the sentence. {_ASK}")
        return Picked(int(text))

    def grade(self, response: Picked, key: Key, settings: Settings) -> Mark:
        return RIGHT if response.place in key.places else wrong()

    def understands(self, said: str, settings: Settings) -> bool:
        return said in settings.tokens

    def matches(self, said: str, response: Picked, settings: Settings) -> bool:
        return response.place in settings.places(said)

    def all_right(self, said: str, key: Key, settings: Settings) -> bool | None:
        right = {place in key.places for place in settings.places(said)}
        return None if len(right) > 1 else right == {True}

    def response_texts(self, response: Picked, settings: Settings) -> tuple[str, ...]:
        return (_shown(response.place, settings),)

    def key_texts(self, key: Key, settings: Settings) -> tuple[str, ...]:
        return (" or ".join(_shown(place, settings) for place in sorted(key.places)),)

    def response_to_json(self, response: Picked) -> Json:
        return {"place": response.place}

    def response_from_json(self, kept: Json) -> Picked:
        return Picked(kept["place"])

    def key_to_json(self, key: Key) -> Json:
        return {"places": sorted(key.places)}

    def key_from_json(self, kept: Json) -> Key:
        return Key(frozenset(kept["places"]))


def _shown(place: int, settings: Settings) -> str:
    """The token, with its place counted from 1 where it stands in the sentence several times."""
    token = settings.tokens[place]
    return token if len(settings.places(token)) == 1 else f"{token} ({place + 1})"
