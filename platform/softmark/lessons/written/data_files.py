"""The files beside a lesson: which names they may have, pictures that are none, and JSON read with caps."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, NoReturn
from xml.parsers import expat

from softmark.lessons.written.render import PICTURES
from softmark.lessons.written.yaml_values import half_in

MAX_BYTES = 256 * 1024
MAX_FILES = 40
NAME = re.compile(r"(?=.{1,80}\Z)[A-Za-z0-9][A-Za-z0-9_-]*\.[a-z0-9]{2,5}")
_BEGINS: Mapping[str, re.Pattern[bytes]] = {
    "image/png": re.compile(rb"\x89PNG\r\n\x1a\n"),
    "image/jpeg": re.compile(rb"\xff\xd8\xff"),
    "image/gif": re.compile(rb"GIF8[79]a"),
    "image/webp": re.compile(rb"RIFF.{4}WEBP", re.DOTALL),
}
_SVG = "http://www.w3.org/2000/svg"
_MAX_DEPTH = 12
_MAX_NUMBER = 30  # characters


class Unreadable(ValueError):
    """A file that is not taken; `line` is where, if that is known."""

    def __init__(self, sentence: str, line: int | None = None) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.line = line


def is_picture(name: str) -> bool:
    return bool(NAME.fullmatch(name)) and name[name.rindex(".") :] in PICTURES


def is_table(name: str) -> bool:
    """Whether a widget's data may be called so."""
    return bool(NAME.fullmatch(name)) and name.endswith(".json")


def check_picture(name: str, data: bytes) -> None:
    """Raises Unreadable where a browser would show the picture as broken, by what its bytes begin with."""
    wanted = PICTURES[name[name.rindex(".") :]]
    if wanted == "image/svg+xml":
        _check_svg(data)
        return
    found = next((kind for kind, begins in _BEGINS.items() if begins.match(data)), None)
    if found != wanted:
        instead = f", but {_called(found)}" if found else ""
        raise Unreadable(f"This file is no {_called(wanted)} picture{instead}.")


def _called(kind: str) -> str:
    return kind.removeprefix("image/").upper()


def _check_svg(data: bytes) -> None:
    roots: list[str] = []

    def refuse(*_: object) -> NoReturn:
        raise Unreadable("An SVG picture may declare no entities.", parser.CurrentLineNumber)

    parser = expat.ParserCreate("utf-8", namespace_separator=" ")
    parser.StartElementHandler = lambda name, _: roots.append(name)
    parser.EntityDeclHandler = refuse
    try:
        data.decode("utf-8-sig")  # as the search for spoilers reads it
        parser.Parse(data, True)
    except UnicodeDecodeError:
        raise Unreadable("This file is not text in UTF-8.") from None
    except expat.ExpatError as error:
        said = expat.ErrorString(error.code)
        raise Unreadable(f"This is no SVG picture that can be read: {said}.", error.lineno) from None
    if roots[0] != f"{_SVG} svg":
        raise Unreadable(f'An SVG picture begins with <svg xmlns="{_SVG}">, or no browser shows it.')


def read_json(data: bytes) -> Any:
    """What the file holds: finite numbers, whole characters, and each name in a table once. Raises Unreadable."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise Unreadable("This file is not text in UTF-8.") from None
    if _depth(text) > _MAX_DEPTH:
        raise Unreadable(f"Lists and tables are nested more than {_MAX_DEPTH} deep.")
    try:
        found = json.loads(
            text, object_pairs_hook=_table, parse_constant=_refuse, parse_int=_whole, parse_float=_float
        )
    except json.JSONDecodeError as error:
        raise Unreadable(f"This is not valid JSON: {error.msg}.", error.lineno) from None
    if fault := half_in(json.dumps(found, ensure_ascii=False)):
        raise Unreadable(fault)
    return found


def _depth(text: str) -> int:
    """The deepest nesting at most: brackets in texts are counted, too."""
    depth = deepest = 0
    for letter in text:
        if letter in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif letter in "]}":
            depth -= 1
    return deepest


def _table(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) < len(pairs):
        twice = next(name for name, _ in pairs if [each for each, _ in pairs].count(name) > 1)
        raise Unreadable(f"A table names {json.dumps(twice[:60])} twice.")
    return table


def _refuse(word: str) -> NoReturn:
    raise Unreadable(f"{word} is no number that can be drawn.")


def _whole(digits: str) -> int:
    if len(digits) > _MAX_NUMBER:
        raise Unreadable(f"A number has more than {_MAX_NUMBER} digits.")
    return int(digits)


def _float(digits: str) -> float:
    number = float(digits)
    if number in (float("inf"), float("-inf")):
        raise Unreadable(f"{digits[:_MAX_NUMBER]} is too large.")
    return number
