"""An answer in one's own words: its author compares it with a model answer; it counts as made until staff mark it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from softmark.lessons.questions.common import (
    Complain,
    Invalid,
    Json,
    Mark,
    QuestionType,
    Seal,
    Source,
    the_only,
)
from softmark.lessons.questions.raw import Raw
from softmark.lessons.questions.wording import counted, typed_lines

MOST = 5_000  # characters
LEAST = 20  # letters and digits, unless the directive asks for more or fewer
_ASK = "Write your answer in a sentence or two."


@dataclass(frozen=True)
class Settings:
    """model: an answer as it might be. ideas: 3 to 5, to be ticked by whoever finds them in their own.

    min_length: in letters and digits, so that no row of dots will do.
    """

    model: str
    ideas: tuple[str, ...]
    min_length: int = LEAST


@dataclass(frozen=True)
class Written:
    text: str


@dataclass(frozen=True)
class Key:
    """There is none: the model and the ideas are settings."""


class FreeText(QuestionType[Settings, Written, Key]):
    name = "free_text"
    settings_keys = frozenset({"model", "ideas", "min_length"})
    secret_keys = frozenset({"model", "ideas"})
    takes_answer = False

    def settings(self, raw: Mapping[str, Any], complain: Complain) -> Settings | None:
        reading = Raw(raw, complain)
        settings = Settings(
            reading.text("model"), reading.texts("ideas", 3, 5), reading.whole("min_length", 1, 500, LEAST)
        )
        return settings if reading.sound else None

    def key(self, value: Any, settings: Settings, complain: Complain) -> Key | None:
        if value is None:
            return Key()
        complain('A free text takes no "answer": its "model" is one.')
        return None

    def read(self, posted: Sequence[str], settings: Settings, seal: Seal) -> Written:
        text = typed_lines(the_only(posted, _ASK), MOST)
        letters = sum(letter.isalnum() for letter in text)
        if letters < settings.min_length:
            raise Invalid(
                f"Write a little more: {counted(settings.min_length, 'letter')} at least, and so far there "
                f"{'is' if letters == 1 else 'are'} {letters}."
            )
        return Written(text)

    def grade(self, response: Written, key: Key, settings: Settings) -> Mark:
        """All the credit there is for having written it; nobody has judged it."""
        return Mark(Fraction(1), source=Source.SELF)

    def response_texts(self, response: Written, settings: Settings) -> tuple[str, ...]:
        return (response.text.strip(),)

    def key_texts(self, key: Key, settings: Settings) -> tuple[str, ...]:
        return (settings.model,)

    def response_to_json(self, response: Written) -> Json:
        return {"text": response.text}

    def response_from_json(self, kept: Json) -> Written:
        return Written(kept["text"])

    def key_to_json(self, key: Key) -> Json:
        return {}

    def key_from_json(self, kept: Json) -> Key:
        return Key()


def ticked(posted: Sequence[str], settings: Settings) -> tuple[int, ...]:
    """Which ideas were ticked after the commit, counted from 0; none is an answer, too. Raises Invalid."""
    known = {str(place): place for place in range(len(settings.ideas))}
    if len(posted) > len(known) or not all(each in known for each in posted):
        raise Invalid("What came is none of the ideas that this page shows. Load it again.")
    return tuple(sorted({known[each] for each in posted}))
