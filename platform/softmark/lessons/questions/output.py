"""What a snippet prints, line by line.

Spaces do not count at the end of a line, after commas and just inside brackets, and several count as one; nor do empty
lines at the end. Where a line begins, how its words are parted and where it is broken does count.
"""

from __future__ import annotations

import re
import unicodedata
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
from softmark.lessons.questions.wording import storable, typed_lines

MOST = 4_000  # characters
SPACES_ONLY = "spaces-only"
_ASK = "Type what the snippet prints, line by line."
# after a comma, inside brackets, and one of several; not what a line begins with, which is its indentation
_LOOSE = re.compile(r"(?<=[,(\[{])\s+|(?<=\S)\s+(?=[)\]}])")
_SEVERAL = re.compile(r"(?<=\S)\s+")


@dataclass(frozen=True)
class Settings:
    """snippet: the code that is shown; nobody runs it."""

    snippet: str


@dataclass(frozen=True)
class Printed:
    """An answer or a key, as it was typed, but for what ends its lines."""

    text: str

    @property
    def lines(self) -> tuple[str, ...]:
        """As it is shown."""
        text = unicodedata.normalize("NFC", self.text)
        return tuple(line.rstrip() for line in text.rstrip().split("\n"))

    @property
    def counting(self) -> tuple[str, ...]:
        """What counts of it."""
        return tuple(_SEVERAL.sub(" ", _LOOSE.sub("", line)) for line in self.lines)


class Output(QuestionType[Settings, Printed, Printed]):
    name = "output"
    settings_keys = frozenset({"snippet"})

    def settings(self, raw: Mapping[str, Any], complain: Complain) -> Settings | None:
        reading = Raw(raw, complain)
        reading.text("snippet")
        return Settings(str(raw["snippet"]).rstrip()) if reading.sound else None

    def key(self, value: Any, settings: Settings, complain: Complain) -> Printed | None:
        if not isinstance(value, str) or not value.strip():
            complain('The answer of an output question must be text; put it in quotation marks or after "|".')
        elif len(value) > MOST or not storable(value):
            complain(f"The answer is longer than {MOST:,} characters, or holds a control character.")
        else:
            return Printed(value)
        return None

    def read(self, posted: Sequence[str], settings: Settings, seal: Seal) -> Printed:
        text = typed_lines(the_only(posted, _ASK), MOST)
        if not text.strip():
            raise Invalid(_ASK)
        return Printed(text)

    def grade(self, response: Printed, key: Printed, settings: Settings) -> Mark:
        if response.counting == key.counting:
            return RIGHT
        same = ["".join(" ".join(each.lines).split()) for each in (response, key)]
        return wrong(SPACES_ONLY if same[0] == same[1] else None)

    def errors(self, settings: Settings) -> frozenset[str]:
        return frozenset({SPACES_ONLY})

    def response_texts(self, response: Printed, settings: Settings) -> tuple[str, ...]:
        return ("\n".join(response.lines),)

    def key_texts(self, key: Printed, settings: Settings) -> tuple[str, ...]:
        return ("\n".join(key.lines),)

    def response_to_json(self, response: Printed) -> Json:
        return {"text": response.text}

    def response_from_json(self, kept: Json) -> Printed:
        return Printed(kept["text"])

    def key_to_json(self, key: Printed) -> Json:
        return {"text": key.text}

    def key_from_json(self, kept: Json) -> Printed:
        return Printed(kept["text"])
