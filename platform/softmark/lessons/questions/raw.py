"""The settings in a directive's YAML, read one by one: every fault becomes a sentence, and reading goes on."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from softmark.lessons.questions.common import Complain, Invalid
from softmark.lessons.questions.numerals import exact, read_number
from softmark.lessons.questions.wording import counted, quoted, storable

MOST_TEXT = 2_000  # characters
MOST_LABEL = 200
_ID = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")


@dataclass(frozen=True)
class Named:
    """An option, or an item of an order: what an author calls it, and what is shown, in Markdown."""

    id: str
    text: str


class Raw:
    """`sound` is False once anything has been complained of."""

    def __init__(self, raw: Mapping[str, Any], complain: Complain) -> None:
        self._raw = raw
        self._complain = complain
        self.sound = True

    def complain(self, sentence: str) -> None:
        self.sound = False
        self._complain(sentence)

    def __contains__(self, name: str) -> bool:
        return self._raw.get(name) is not None

    def number(self, name: str) -> Fraction | None:
        """A number of 0 or more; None where it is not said."""
        if name not in self:
            return None
        value = exact_number(self._raw[name])
        if value is None or value < 0:
            self.complain(f'"{name}" must be a number, 0 or more.')
            return None
        return value

    def whole(self, name: str, least: int, most: int, otherwise: int) -> int:
        value = self._raw.get(name, otherwise)
        if type(value) is not int or not least <= value <= most:
            self.complain(f'"{name}" must be a whole number from {least} to {most}.')
            return otherwise
        return value

    def flag(self, name: str) -> bool:
        """False where it is not said."""
        value = self._raw.get(name, False)
        if not isinstance(value, bool):
            self.complain(f'"{name}" must be true or false.')
            return False
        return value

    def text(self, name: str) -> str:
        """Text that must be there."""
        if name not in self:
            self.complain(f'"{name}" is empty.' if name in self._raw else f'there is no "{name}".')
            return ""
        return self._text(f'"{name}"', self._raw[name], MOST_TEXT)

    def texts(self, name: str, least: int, most: int) -> tuple[str, ...]:
        """A list of texts."""
        value = self._raw.get(name)
        if not isinstance(value, list) or not least <= len(value) <= most:
            self.complain(f'"{name}" must be a list of {least} to {most} texts.')
            return ()
        return tuple(
            self._text(f'Number {place} of "{name}"', each, MOST_LABEL) for place, each in enumerate(value, 1)
        )

    def named(self, name: str, least: int, most: int) -> tuple[Named, ...]:
        """Texts with the ids they are called by: `{id: text}`, or a list of texts that are their own ids."""
        value = self._raw.get(name)
        if not isinstance(value, (dict, list)) or not least <= len(value) <= most:
            self.complain(
                f'"{name}" must hold {least} to {most} of them: texts by their ids, like "half: It halves.", or a '
                "list of texts."
            )
            return ()
        if isinstance(value, list):
            found = [Named(text, text) for text in self.texts(name, least, most)]
        else:
            found = []
            for id, text in value.items():
                if not isinstance(id, str) or not _ID.fullmatch(id):
                    self.complain(
                        f'{quoted(str(id))} cannot be an id in "{name}": take small letters, digits and hyphens, '
                        "and put what YAML reads as something else, like yes or 1, in quotation marks."
                    )
                else:
                    found.append(Named(id, self._text(f'"{id}" of "{name}"', text, MOST_LABEL)))
        for each in ("id", "text"):
            said = [getattr(item, each) for item in found if getattr(item, each)]
            for again in sorted({text for text in said if said.count(text) > 1}):
                self.complain(f'{quoted(again)} stands in "{name}" twice.')
        return tuple(found)

    def _text(self, called: str, value: Any, most: int) -> str:
        if not isinstance(value, str):
            self.complain(f"{called} must be text. Put what YAML reads as something else in quotation marks.")
        elif not value.strip():
            self.complain(f"{called} is empty.")
        elif len(value) > most:
            self.complain(f"{called} has {counted(len(value), 'character')}; at most {most:,} are allowed.")
        elif not storable(value):
            self.complain(f"{called} holds a control character, which cannot be shown.")
        else:
            return value.strip()
        return ""


def exact_number(value: Any) -> Fraction | None:
    """The number that an author wrote or a reference computed, to its last decimal; None where it is none."""
    if isinstance(value, bool):
        return None
    if isinstance(value, (int, float)):
        return exact(value)
    if isinstance(value, str):  # YAML leaves 1e-3 and 3/2 as text
        try:
            return read_number(value).value
        except Invalid:
            return None
    return None
