"""Numbers in rows and columns: what vectors and matrices share."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

from softmark.lessons.questions.common import (
    RIGHT,
    Complain,
    Invalid,
    Json,
    Mark,
    QuestionType,
    Seal,
)
from softmark.lessons.questions.numerals import (
    Numeral,
    number_from_json,
    number_to_json,
    read_number,
    shown_number,
)
from softmark.lessons.questions.pasted import MOST as MOST_PASTED
from softmark.lessons.questions.pasted import is_pasted, rows_of
from softmark.lessons.questions.raw import Raw, exact_number
from softmark.lessons.questions.tolerance import EXACT, Tolerance, read_tolerance
from softmark.lessons.questions.wording import counted

Rows: TypeAlias = tuple[tuple[Fraction, ...], ...]

MOST_ROWS = 12  # and columns
TRANSPOSED = "transposed"
NOT_ONE = "rows-do-not-sum-to-1"
_ROUNDED = Fraction(1, 200)  # how far off a weight is that was rounded to two decimals


@dataclass(frozen=True)
class Settings:
    """per_cell: each right cell earns its part. weights: each row is a softmax, so it must sum to 1."""

    rows: int
    columns: int
    tolerance: Tolerance = EXACT
    per_cell: bool = False
    weights: bool = False

    @property
    def shape(self) -> tuple[int, int]:
        return self.rows, self.columns


@dataclass(frozen=True)
class Response:
    """cells: (rows, columns)."""

    cells: tuple[tuple[Numeral, ...], ...]

    @property
    def values(self) -> Rows:
        return tuple(tuple(cell.value for cell in row) for row in self.cells)


@dataclass(frozen=True)
class Key:
    """values: (rows, columns)."""

    values: Rows

    @property
    def numbers(self) -> tuple[Fraction, ...]:
        """What must not be read before the commit."""
        return tuple(value for row in self.values for value in row)


class Grid(QuestionType[Settings, Response, Key]):
    """A vector is a grid of one row; `nested` tells whether rows stand in brackets of their own."""

    settings_keys = frozenset({"shape", "atol", "rtol", "per_cell", "weights"})
    nested: bool

    @abstractmethod
    def shape(self, said: Any) -> tuple[int, int] | None:
        """The rows and columns that a directive asks for; None where it says nothing sensible."""

    @abstractmethod
    def place(self, row: int, column: int) -> str:
        """Where a cell is, counted from 1."""

    @abstractmethod
    def shown_shape(self, rows: int, columns: int) -> str:
        """2 rows of 3."""

    def settings(self, raw: Mapping[str, Any], complain: Complain) -> Settings | None:
        reading = Raw(raw, complain)
        shape = self.shape(raw.get("shape"))
        if shape is None or not all(1 <= length <= MOST_ROWS for length in shape):
            example = "[2, 3] for 2 rows of 3" if self.nested else "3"
            reading.complain(f'A {self.name} needs a "shape", like {example}; at most {MOST_ROWS} each way.')
            shape = (1, 1)
        settings = Settings(
            *shape, read_tolerance(reading), reading.flag("per_cell"), reading.flag("weights")
        )
        return settings if reading.sound else None

    def key(self, value: Any, settings: Settings, complain: Complain) -> Key | None:
        key = self._of_shape(value, settings, complain)
        if key is None:
            return None
        sound = all(settings.tolerance.suits(number, complain) for number in key.numbers)
        if settings.weights and _off_from_one(key.values, settings):
            complain('"weights: true" says that each row sums to 1, and in the answer one does not.')
            sound = False
        return key if sound else None

    def mistake(self, value: Any, settings: Settings) -> Key | None:
        """Its rows may sum to anything."""
        key = self._of_shape(value, settings, lambda _: None)
        return key if key and all(map(settings.tolerance.reaches, key.numbers)) else None

    def _of_shape(self, value: Any, settings: Settings, complain: Complain) -> Key | None:
        rows = _exact_rows(value if self.nested else [value])
        if rows is None:
            complain(
                f"The answer of a {self.name} question must be a list of {'rows' if self.nested else 'numbers'}."
            )
            return None
        lengths = {len(row) for row in rows}
        if len(rows) != settings.rows or lengths != {settings.columns}:
            got = (
                self.shown_shape(len(rows), lengths.pop()) if len(lengths) == 1 else "rows of unequal length"
            )
            complain(f"The answer is {got}; the shape says {self.shown_shape(*settings.shape)}.")
            return None
        return Key(rows)

    def read(self, posted: Sequence[str], settings: Settings, seal: Seal) -> Response:
        """posted: a text for each cell, row after row, of which one may hold them all and the others nothing."""
        asked = f"{self.shown_shape(*settings.shape)} {'is' if settings.rows == 1 else 'are'} asked for"
        if len(posted) > MOST_ROWS**2:
            raise Invalid(f"{len(posted):,} numbers came; {asked}.")
        if any(len(text) > MOST_PASTED for text in posted):
            raise Invalid(f"That is too long: {asked}.")
        filled = [text for text in posted if text.strip()]
        if not filled:
            raise Invalid(f"Nothing is typed yet: {asked}.")
        cells = settings.rows * settings.columns
        if len(filled) == 1 and (len(posted) != cells or is_pasted(filled[0], cells)):
            texts = rows_of(filled[0], nested=self.nested)
        elif len(posted) == cells:
            texts = [
                list(posted[start : start + settings.columns]) for start in range(0, cells, settings.columns)
            ]
        else:
            raise Invalid(f"{counted(len(posted), 'number')} came; {asked}.")
        self._check_shape(texts, settings, asked)
        return Response(
            tuple(
                tuple(self._cell(text, row, column) for column, text in enumerate(texts_of_row, 1))
                for row, texts_of_row in enumerate(texts, 1)
            )
        )

    def _check_shape(self, texts: list[list[str]], settings: Settings, asked: str) -> None:
        lengths = [len(row) for row in texts]
        if len(set(lengths)) > 1:
            odd = next(place for place, length in enumerate(lengths) if length != lengths[0])
            raise Invalid(
                f"Row 1 has {counted(lengths[0], 'number')} and row {odd + 1} has {lengths[odd]}: {asked}."
            )
        if (len(texts), *set(lengths)) != settings.shape:
            columns = lengths[0] if lengths else 0
            raise Invalid(f"You typed {self.shown_shape(len(texts), columns)}; {asked}.")

    def _cell(self, text: str, row: int, column: int) -> Numeral:
        try:
            return read_number(text)
        except Invalid as invalid:
            raise Invalid(f"{self.place(row, column)}: {invalid}") from None

    def cells_right(self, response: Response, key: Key, settings: Settings) -> list[list[bool]]:
        """Which cells are right, (rows, columns)."""
        return _right(response.values, key.values, settings.tolerance)

    def grade(self, response: Response, key: Key, settings: Settings) -> Mark:
        cells = [right for row in self.cells_right(response, key, settings) for right in row]
        if all(cells):
            return RIGHT
        share = Fraction(sum(cells), len(cells)) if settings.per_cell else Fraction(0)
        return Mark(share, self._error(response, key, settings))

    def _error(self, response: Response, key: Key, settings: Settings) -> str | None:
        transposed = tuple(zip(*response.values, strict=True))
        if TRANSPOSED in self.errors(settings) and all(
            map(all, _right(transposed, key.values, settings.tolerance))
        ):
            return TRANSPOSED
        return NOT_ONE if settings.weights and _off_from_one(response.values, settings) else None

    def errors(self, settings: Settings) -> frozenset[str]:
        square = self.nested and settings.rows == settings.columns > 1
        return frozenset({TRANSPOSED} if square else ()) | frozenset({NOT_ONE} if settings.weights else ())

    def response_texts(self, response: Response, settings: Settings) -> tuple[str, ...]:
        return (self._in_brackets([[cell.raw for cell in row] for row in response.cells]),)

    def key_texts(self, key: Key, settings: Settings) -> tuple[str, ...]:
        allowed = settings.tolerance.allowed
        rows = [[shown_number(value, allowed(value)) for value in row] for row in key.values]
        return (self._in_brackets(rows),)

    def _in_brackets(self, rows: list[list[str]]) -> str:
        shown = ", ".join(f"[{', '.join(row)}]" for row in rows)
        return f"[{shown}]" if self.nested else shown

    def response_to_json(self, response: Response) -> Json:
        return {
            "raw": [[cell.raw for cell in row] for row in response.cells],
            "values": _to_json(response.values),
        }

    def response_from_json(self, kept: Json) -> Response:
        return Response(
            tuple(
                tuple(Numeral(raw, value) for raw, value in zip(raws, values, strict=True))
                for raws, values in zip(kept["raw"], _from_json(kept["values"]), strict=True)
            )
        )

    def key_to_json(self, key: Key) -> Json:
        return {"values": _to_json(key.values)}

    def key_from_json(self, kept: Json) -> Key:
        return Key(_from_json(kept["values"]))


def _exact_rows(value: Any) -> Rows | None:
    if not isinstance(value, list) or not all(isinstance(row, list) for row in value):
        return None
    rows = [[exact_number(number) for number in row] for row in value]
    found = tuple(tuple(number for number in row if number is not None) for row in rows)
    return found if [len(row) for row in found] == [len(row) for row in rows] else None


def _right(values: Rows, key: Rows, tolerance: Tolerance) -> list[list[bool]]:
    return [
        [tolerance.holds(s, t) for s, t in zip(row, right, strict=True)]
        for row, right in zip(values, key, strict=True)
    ]


def _off_from_one(rows: Rows, settings: Settings) -> bool:
    """Whether a row sums to something else, by more than its numbers may be off or are for being rounded."""
    allowed = max(settings.tolerance.atol, settings.tolerance.rtol, _ROUNDED) * settings.columns
    return any(abs(sum(row, Fraction(0)) - 1) > allowed for row in rows)


def _to_json(rows: Rows) -> list[list[int | float | str]]:
    return [[number_to_json(value) for value in row] for row in rows]


def _from_json(kept: list[list[int | float | str]]) -> Rows:
    return tuple(tuple(number_from_json(value) for value in row) for row in kept)
