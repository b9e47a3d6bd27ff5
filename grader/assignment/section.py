"""One table of the manifest, read key by key: every fault becomes a sentence, and reading goes on."""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import Decimal
from enum import StrEnum
from typing import Any, TypeVar

from grader.assignment.folder import MANIFEST
from grader.assignment.lines import TOP, Lines, Place
from grader.assignment.model import Problems
from grader.assignment.wording import did_you_mean, kind, quoted
from grader.report import printable, shown_points

_ID = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
MAX_ID = 60

Choice = TypeVar("Choice", bound=StrEnum)


class Section:
    """A table with what is needed to talk about it.

    `called` is the table in words, to start a sentence: 'The check "scores"'. Where a value is
    missing or wrong, its reader adds a problem and returns "", None or the default.
    """

    def __init__(
        self, called: str, place: Place, table: dict[str, Any], lines: Lines, problems: Problems
    ) -> None:
        self.called = called
        self._place = place
        self._table = table
        self._lines = lines
        self._problems = problems

    def complain(self, sentence: str, key: str | None = None) -> None:
        """Add a problem at the line of `key`, or of the whole table."""
        self._problems.add(MANIFEST, self._lines.of(self._place, key), sentence)

    def refuse_unknown(self, known: Iterable[str], elsewhere: Iterable[str] = ()) -> None:
        """Complain of every key that is not `known`; keys known `elsewhere` slipped into the wrong table."""
        known = tuple(known)
        for key in self._table:
            if key in known:
                continue
            if self._place != TOP and key in elsewhere:
                advice = " It belongs at the top of the file, above the first line in square brackets."
            else:
                advice = did_you_mean(key, known) or f" Known are: {', '.join(known)}."
            self.complain(f"{self.called} has an unknown key {quoted(key)}.{advice}", key)

    def text(self, key: str, most: int, *, one_line: bool = True) -> str:
        """Text of 1 to `most` characters that may be shown anywhere."""
        value = self._needed(key)
        if value is None:
            return ""
        if not isinstance(value, str):
            self.complain(f'{self.called}: "{key}" must be text in quotes, not {kind(value)}.', key)
            return ""
        value = value.strip()
        if not value:
            self.complain(f'{self.called}: "{key}" is empty.', key)
        elif len(value) > most:
            self.complain(
                f'{self.called}: "{key}" has {len(value)} characters; at most {most} are allowed.', key
            )
        elif one_line and "\n" in value:
            self.complain(f'{self.called}: "{key}" must be on one line.', key)
        elif printable(value) != value:
            self.complain(f'{self.called}: "{key}" holds a control character, which cannot be shown.', key)
        else:
            return value
        return ""

    def id(self, key: str = "id") -> str:
        """A short name like "worked-example"."""
        value = self.text(key, MAX_ID)
        if not value or _ID.fullmatch(value):
            return value
        better = re.sub(r"[^a-z0-9]+", "-", value.lower()).strip("-")
        advice = f" For example {quoted(better)}." if better else ""
        self.complain(
            f'{self.called}: "{key}" is {quoted(value)}, but may hold only small letters a to z and digits, '
            f"with single hyphens between words.{advice}",
            key,
        )
        return ""

    def one_of(self, key: str, choices: type[Choice]) -> Choice | None:
        """One of the values of an enumeration."""
        value = self.text(key, 40)
        if not value:
            return None
        known = [str(choice) for choice in choices]
        if value in known:
            return choices(value)
        advice = did_you_mean(value, known) or f" It may be {', '.join(known)}."
        self.complain(f'{self.called}: "{key}" is {quoted(value)}.{advice}', key)
        return None

    def points(self, key: str, least: Decimal) -> Decimal | None:
        """Points: an exact decimal from `least` to 1000, with at most three places."""
        value = self._needed(key)
        if value is None or (number := self._number(key, value)) is None:
            return None
        if not least <= number <= 1000:
            self.complain(f'{self.called}: "{key}" must be from {shown_points(least)} to 1000.', key)
        elif number != round(number, 3):
            self.complain(f'{self.called}: "{key}" has more than three decimal places.', key)
        else:
            return number
        return None

    def limit(
        self, key: str, default: float, least: float, most: float, unit: str, *, whole: bool = False
    ) -> float:
        """A number with a range; the default where the key is absent."""
        if key not in self._table:
            return default
        number = self._number(key, self._table[key])
        if number is None:
            return default
        if not least <= number <= most:
            self.complain(f'{self.called}: "{key}" must be from {least:g} to {most:g} {unit}.', key)
            return default
        if whole and number != round(number):
            self.complain(f'{self.called}: "{key}" must be a whole number of {unit}.', key)
            return default
        return float(number)

    def ids(self, key: str) -> tuple[str, ...]:
        """A list of ids, which may be absent."""
        value = self._table.get(key, [])
        if isinstance(value, list) and all(isinstance(item, str) for item in value):
            return tuple(value)
        self.complain(f'{self.called}: "{key}" must be a list of ids in quotes, like ["one", "two"].', key)
        return ()

    def has(self, key: str) -> bool:
        return key in self._table

    def texts(self, key: str, most: int) -> tuple[str, ...]:
        """A list of short texts, which may be absent; where it is there, it holds at least one."""
        if not self.has(key):
            return ()
        value = self._table[key]
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            self.complain(
                f'{self.called}: "{key}" must be a list of names in quotes, like ["one", "two"].', key
            )
        elif not value:
            self.complain(f'{self.called}: "{key}" is empty.', key)
        elif any(not 0 < len(item) <= most for item in value):
            self.complain(f'{self.called}: each of "{key}" must have 1 to {most} characters.', key)
        else:
            return tuple(value)
        return ()

    def flag(self, key: str) -> bool:
        """true or false; false where it is absent."""
        value = self._table.get(key, False)
        if not isinstance(value, bool):
            self.complain(f'{self.called}: "{key}" must be true or false, not {kind(value)}.', key)
            return False
        return value

    def _needed(self, key: str) -> Any:
        if key not in self._table:
            self.complain(f'{self.called} has no "{key}".')
        return self._table.get(key)

    def _number(self, key: str, value: Any) -> Decimal | None:
        if isinstance(value, str):
            self.complain(f'{self.called}: "{key}" must be a number without quotes, not text.', key)
        elif isinstance(value, bool) or not isinstance(value, (int, Decimal)):
            self.complain(f'{self.called}: "{key}" must be a number, not {kind(value)}.', key)
        # A huge integer would take for ever to become a decimal, and NaN cannot be compared.
        elif isinstance(value, int) and value.bit_length() > 64:
            self.complain(f'{self.called}: "{key}" is far too large.', key)
        elif isinstance(value, Decimal) and not (value.is_finite() and abs(value.adjusted()) < 64):
            self.complain(f'{self.called}: "{key}" is not a number that can be used here.', key)
        else:
            return Decimal(value)
        return None
