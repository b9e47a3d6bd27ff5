"""YAML between the --- lines of a lesson: plain values, and the line of each.

Read from PyYAML's events, not by its constructors. So there are no tags, anchors or aliases; a key stands once; and
plain words mean what YAML 1.2 says: `no` and `on` are words of a sentence here, not truth values.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml

from grader.assignment.model import Problems
from grader.assignment.wording import quoted

MAX_CHARACTERS = 16_000
MAX_VALUES = 4_000
MAX_DEPTH = 8
_MAX_NUMBER = 30  # characters
_MAX_KEY = 100

Path = tuple[str | int, ...]

_INTEGER = re.compile(r"[-+]?[0-9]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
# By what PyYAML says: what to do about it.
_ADVICE = {
    "mapping values are not allowed": "Text with a colon needs quotes, and names of one table begin in one column.",
    "character '\\t'": "Indent with spaces, not with a tab.",
    "cannot start any token": "Text that begins with such a sign needs quotes.",
    "expected ',' or": "A bracket that opens has to be closed, and commas stand between what it holds.",
    "unexpected end of stream": "A quotation mark that opens has to be closed.",
    "could not find expected ':'": "After a name comes a colon and a space.",
}
_HALF = re.compile("[\ud800-\udfff]")
_WORDS = {"": None, "~": None, "null": None, "true": True, "false": False}


@dataclass(frozen=True)
class Located:
    """A table of values, and the line of each by its path: ("given", "keys", "river", 0).

    unread: whether it is empty because of a fault that is told already.
    """

    value: Mapping[str, Any] = field(default_factory=dict)
    lines: Mapping[Path, int] = field(default_factory=dict, repr=False)
    unread: bool = False

    def line(self, *path: str | int) -> int | None:
        """The line of a value, else of what holds it."""
        for end in range(len(path), -1, -1):
            if path[:end] in self.lines:
                return self.lines[path[:end]]
        return None


class _Refused(Exception):
    """YAML that is refused, with the line (from 0) in it."""

    def __init__(self, line: int, sentence: str) -> None:
        super().__init__(sentence)
        self.line = line
        self.sentence = sentence


def half_in(text: str) -> str:
    """What is wrong with text that holds one of two halves of a character, which UTF-8 cannot write; or nothing."""
    half = _HALF.search(text)
    if half is None:
        return ""
    return f"\\u{ord(half[0]):x} is half a character, which no page can show. Write the character itself."


def read_yaml(text: str, file: str, line: int, problems: Problems) -> Located | None:
    """The table that starts at `line` of the file. None where there is none; then there is a problem."""
    try:
        if len(text) > MAX_CHARACTERS:
            raise _Refused(0, f"These values are longer than {MAX_CHARACTERS} characters, the most allowed.")
        return _Builder(text, file, line, problems).table()
    except _Refused as refused:
        problems.add(file, line + refused.line, refused.sentence)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        at = min(mark.line, text.count("\n")) if mark else 0
        reason = quoted(error.problem or error.context or "it cannot be read", 200)[1:-1].rstrip(".")
        advice = next((f" {each}" for said, each in _ADVICE.items() if said in reason), "")
        problems.add(file, line + at, f"This is not valid YAML: {reason}.{advice}")
    except (OverflowError, ValueError, yaml.YAMLError):  # a character that YAML does not have, or nobody
        problems.add(file, line, "These values hold a character that YAML does not allow.")
    return None


class _Builder:
    def __init__(self, text: str, file: str, line: int, problems: Problems) -> None:
        self._events: Iterator[yaml.Event] = yaml.parse(text, Loader=yaml.SafeLoader)
        self._file, self._first, self._problems = file, line, problems
        self._lines: dict[Path, int] = {}
        self._count = 0

    def table(self) -> Located:
        for event in self._events:
            if isinstance(event, (yaml.StreamStartEvent, yaml.DocumentStartEvent)):
                continue
            if isinstance(event, yaml.StreamEndEvent):  # nothing but comments
                return Located({}, {(): self._first})
            value = self._value(event, ())
            if value is None:
                return Located({}, {(): self._first})
            if not isinstance(value, dict):
                raise _Refused(_line(event), 'Here are no values. Write lines like "name: value".')
            for rest in self._events:
                if isinstance(rest, yaml.DocumentStartEvent):
                    raise _Refused(_line(rest), "These values hold a second document.")
            return Located(value, self._lines)
        return Located({}, {(): self._first})

    def _value(self, event: yaml.Event, path: Path) -> Any:
        at = _line(event)
        self._lines[path] = self._first + at
        self._count += 1
        if self._count > MAX_VALUES:
            raise _Refused(at, f"There are more than {MAX_VALUES} values, the most allowed.")
        if len(path) > MAX_DEPTH:
            raise _Refused(at, f"Lists and tables are nested more than {MAX_DEPTH} deep.")
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise _Refused(at, "Anchors (&) and aliases (*) are not allowed. Put such text into quotes.")
        if getattr(event, "tag", None) not in (None, "!"):
            raise _Refused(at, "Tags (!) are not allowed. Put such text into quotes.")
        if isinstance(event, yaml.ScalarEvent):
            return _scalar(event)
        if isinstance(event, yaml.SequenceStartEvent):
            return self._list(path)
        return self._dict(path)

    def _list(self, path: Path) -> list[Any]:
        found: list[Any] = []
        for event in self._events:
            if isinstance(event, yaml.SequenceEndEvent):
                break
            found.append(self._value(event, (*path, len(found))))
        return found

    def _dict(self, path: Path) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for event in self._events:
            if isinstance(event, yaml.MappingEndEvent):
                break
            at = _line(event)
            if not isinstance(event, yaml.ScalarEvent) or event.anchor or event.tag not in (None, "!"):
                raise _Refused(at, "The name of a value must be a plain word.")
            key = _text(event)
            if not key or len(key) > _MAX_KEY:
                raise _Refused(at, f"The name of a value must have 1 to {_MAX_KEY} characters.")
            if key in found:
                self._problems.add(self._file, self._first + at, f"{quoted(key)} is there twice.")
            found[key] = self._value(next(self._events), (*path, key))
            self._lines[(*path, key)] = self._first + at
        return found


def _line(event: yaml.Event) -> int:
    return event.start_mark.line if event.start_mark else 0


def _text(event: yaml.ScalarEvent) -> str:
    text = str(event.value)
    if fault := half_in(text):
        raise _Refused(_line(event), fault)
    return text


def _scalar(event: yaml.ScalarEvent) -> Any:
    text = _text(event)
    if not event.implicit[0]:  # in quotes, or a block of text
        return text
    if text in _WORDS:
        return _WORDS[text]
    if not _FLOAT.fullmatch(text):
        return text
    if len(text) > _MAX_NUMBER:
        raise _Refused(_line(event), f"A number has more than {_MAX_NUMBER} characters.")
    if _INTEGER.fullmatch(text):
        return int(text)
    number = float(text)
    if not math.isfinite(number):
        raise _Refused(_line(event), f"The number {text} is too large.")
    return number
