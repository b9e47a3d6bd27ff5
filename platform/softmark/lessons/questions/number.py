"""A number, within a tolerance."""

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
    the_only,
    wrong,
)
from softmark.lessons.questions.numerals import (
    HOW,
    MINUS,
    Numeral,
    number_from_json,
    number_in,
    number_to_json,
    read_number,
    shown_number,
)
from softmark.lessons.questions.raw import Raw, exact_number
from softmark.lessons.questions.tolerance import EXACT, Tolerance, read_tolerance


@dataclass(frozen=True)
class Settings:
    tolerance: Tolerance = EXACT


@dataclass(frozen=True)
class Key:
    """fraction: as its author wrote it, where that is one."""

    value: Fraction
    fraction: str = ""

    @property
    def numbers(self) -> tuple[Fraction, ...]:
        """What must not be read before the commit."""
        return (self.value,)


class Number(QuestionType[Settings, Numeral, Key]):
    name = "number"
    settings_keys = frozenset({"atol", "rtol"})

    def settings(self, raw: Mapping[str, Any], complain: Complain) -> Settings | None:
        reading = Raw(raw, complain)
        settings = Settings(read_tolerance(reading))
        return settings if reading.sound else None

    def key(self, value: Any, settings: Settings, complain: Complain) -> Key | None:
        number = exact_number(value)
        if number is None:
            complain("The answer of a number question must be one finite number.")
            return None
        fraction = value.strip() if isinstance(value, str) and "/" in value else ""
        return Key(number, fraction) if settings.tolerance.suits(number, complain) else None

    def mistake(self, value: Any, settings: Settings) -> Key | None:
        number = exact_number(value)
        return Key(number) if number is not None and settings.tolerance.reaches(number) else None

    def read(self, posted: Sequence[str], settings: Settings, seal: Seal) -> Numeral:
        return read_number(the_only(posted, f"Nothing is typed yet. {HOW}"))

    def grade(self, response: Numeral, key: Key, settings: Settings) -> Mark:
        return RIGHT if settings.tolerance.holds(response.value, key.value) else wrong()

    def understands(self, said: str, settings: Settings) -> bool:
        return number_in(said) is not None

    def matches(self, said: str, response: Numeral, settings: Settings) -> bool:
        number = number_in(said)
        return number is not None and settings.tolerance.holds(response.value, number)

    def all_right(self, said: str, key: Key, settings: Settings) -> bool | None:
        """None where the tolerance around a wrong number holds right ones, too."""
        number, tolerance = number_in(said), settings.tolerance
        if number is None:
            return False
        if tolerance.holds(number, key.value):
            return True
        reach = tolerance.allowed(number) + tolerance.allowed(key.value)
        return None if abs(number - key.value) <= reach else False

    def response_texts(self, response: Numeral, settings: Settings) -> tuple[str, ...]:
        return (response.raw,)

    def fill_in(self, key: Key, settings: Settings) -> str:
        return shown_number(key.value, settings.tolerance.allowed(key.value))

    def key_texts(self, key: Key, settings: Settings) -> tuple[str, ...]:
        shown = self.fill_in(key, settings)
        if not key.fraction or "/" in shown:
            return (shown,)
        fraction = key.fraction.replace("-", MINUS)
        return (f"{fraction} {'=' if read_number(shown).value == key.value else '≈'} {shown}",)

    def response_to_json(self, response: Numeral) -> Json:
        return {"raw": response.raw, "value": number_to_json(response.value)}

    def response_from_json(self, kept: Json) -> Numeral:
        return Numeral(kept["raw"], number_from_json(kept["value"]))

    def key_to_json(self, key: Key) -> Json:
        kept: Json = {"value": number_to_json(key.value)}
        return kept | {"fraction": key.fraction} if key.fraction else kept

    def key_from_json(self, kept: Json) -> Key:
        return Key(number_from_json(kept["value"]), kept.get("fraction", ""))
