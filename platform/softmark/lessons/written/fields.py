"""A table of values read key by key: every fault becomes a sentence with its line, and reading goes on."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from grader.assignment.model import Problems
from grader.assignment.wording import did_you_mean, kind, quoted
from grader.report import printable
from softmark.lessons.questions.numerals import exact
from softmark.lessons.written.yaml_values import Located

MAX_ID = 60
ID = re.compile(rf"(?=.{{1,{MAX_ID}}}\Z)[a-z0-9]+(?:-[a-z0-9]+)*")


class Fields:
    """`called` is the table in words, to start a sentence: 'The widget "arcs"'.

    Where a value is missing or wrong, its reader adds a problem and returns "", 0, () or None. `sound` is False then.
    """

    def __init__(self, called: str, file: str, values: Located, problems: Problems) -> None:
        self.called = called
        self._file = file
        self._values = values
        self._problems = problems
        self.sound = True

    def complain(self, sentence: str, *path: str | int) -> None:
        """Add a problem at the line of a value, or of the whole table."""
        self.sound = False
        self._problems.add(self._file, self._values.line(*path), f"{self.called}: {sentence}")

    def refuse_unknown(self, known: Iterable[str]) -> None:
        known = tuple(known)
        for key in self._values.value:
            if key not in known:
                advice = did_you_mean(key, known) or f" Known are: {', '.join(known)}."
                self.complain(f"{quoted(key)} is not known here.{advice}", key)

    def has(self, key: str) -> bool:
        return key in self._values.value

    def get(self, key: str) -> Any:
        return self._values.value.get(key)

    def needed(self, key: str) -> Any:
        if not self.has(key):
            self.complain(f'there is no "{key}".')
        return self.get(key)

    def text(self, key: str, most: int) -> str:
        """One line of 1 to `most` characters."""
        if not self.has(key):
            self.complain(f'there is no "{key}".')
            return ""
        value = self.get(key)
        if value is None:
            self.complain(f'"{key}" is empty.', key)
            return ""
        if not isinstance(value, str):
            self.complain(f'"{key}" must be text, not {said(value)}. Put it into quotes.', key)
            return ""
        value = value.strip()
        if not value:
            self.complain(f'"{key}" is empty.', key)
        elif len(value) > most:
            self.complain(f'"{key}" has {len(value)} characters; at most {most} are allowed.', key)
        elif "\n" in value:
            self.complain(f'"{key}" must be on one line.', key)
        elif printable(value) != value:
            self.complain(f'"{key}" holds a control character, which cannot be shown.', key)
        else:
            return value
        return ""

    def id(self, key: str) -> str:
        value = self.text(key, MAX_ID)
        if not value or ID.fullmatch(value):
            return value
        better = re.sub(r"[^a-z0-9]+", "-", value.lower()).strip("-")
        advice = f" For example {quoted(better)}." if better else ""
        self.complain(
            f'"{key}" is {quoted(value)}, but may hold only small letters a to z and digits, with single hyphens '
            f"between words.{advice}",
            key,
        )
        return ""

    def whole(self, key: str, least: int, most: int) -> int:
        value = self.needed(key)
        if type(value) is int and least <= value <= most:
            return value
        if self.has(key):
            self.complain(f'"{key}" must be a whole number from {least} to {most}.', key)
        return 0

    def one_of(self, key: str, choices: Iterable[str]) -> str:
        choices = tuple(choices)
        value = self.text(key, 80)
        if value and value not in choices:
            advice = did_you_mean(value, choices) or f" There are: {', '.join(choices)}."
            self.complain(f'"{key}" is {quoted(value)}, which is not known.{advice}', key)
            return ""
        return value

    def flag(self, key: str) -> bool:
        value = self.get(key)
        if value is not None and not isinstance(value, bool):
            self.complain(f'"{key}" must be true or false.', key)
        return value is True

    def texts(self, key: str, most: int, most_characters: int) -> tuple[str, ...]:
        """A list of 1 to `most` texts, each once."""
        value = self.needed(key)
        if not isinstance(value, list) or not 1 <= len(value) <= most:
            if self.has(key):
                self.complain(f'"{key}" must be a list of 1 to {most} texts.', key)
            return ()
        for at, each in enumerate(value):
            if not isinstance(each, str) or not each.strip() or len(each) > most_characters:
                self.complain(f'"{key}" must hold texts of 1 to {most_characters} characters.', key, at)
                return ()
        if len(set(value)) < len(value):
            self.complain(f'"{key}" holds a text twice.', key)
            return ()
        return tuple(value)

    def numbers(self, key: str, most: int) -> tuple[float, ...]:
        """A list of 1 to `most` numbers."""
        value = self.needed(key)
        if are_numbers(value, most):
            return tuple(value)
        if self.has(key):
            self.complain(f'"{key}" must be a list of 1 to {most} numbers.', key)
        return ()


def are_numbers(value: Any, most: int) -> bool:
    """Whether it is a list of 1 to `most` numbers that can be shown."""
    return isinstance(value, list) and 1 <= len(value) <= most and all(map(_is_number, value))


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and exact(value) is not None


def said(value: object) -> str:
    """What a value is, in words."""
    return "nothing" if value is None else kind(value)
