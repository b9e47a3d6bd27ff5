"""One query against a few keys as the table that one fills in by hand: column by column, each from those before it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from softmark.lessons.questions.numerals import shown_number
from softmark.lessons.variants.attended import Attended, read_attended
from softmark.lessons.variants.given import Given, plain, rows_by_token

COLUMNS = ("score", "scaled", "exp", "share", "blend")  # in this order
_ROUNDED = 0.005  # how far a number with two decimals may be from what it stands for
_MOST_SLACK = 0.05  # of the number itself: no slack makes a wrong step right

_MOST_EXPONENT = 600  # beyond it e to that power can neither be shown nor typed


@dataclass(frozen=True)
class Cell:
    """numbers: unrounded; one, or those of a vector. text: as they are shown.

    slack: how far off each may be of somebody who reckons with what the columns before show.
    said: how it comes about, with the numbers that are shown.
    """

    numbers: tuple[float, ...]
    text: str
    slack: tuple[float, ...]
    said: str


@dataclass(frozen=True)
class Column:
    """cells: one for each token. total: their sum, where it is what a step divides by or what comes out."""

    name: str
    cells: tuple[Cell, ...]
    total: Cell | None = None

    @property
    def numbers(self) -> tuple[float, ...]:
        """All of them."""
        cells = (*self.cells, self.total) if self.total else self.cells
        return tuple(number for cell in cells for number in cell.numbers)


def by_hand(given: Given) -> tuple[Column, ...]:
    """The columns that "columns" names. Without "values" there is no blend.

    Raises Misgiven, and OverflowError where a power of e is beyond all that can be shown.
    """
    attended = read_attended(given)
    chosen = given.get("columns") or COLUMNS
    working: dict[str, Callable[[], Column]] = {
        "score": lambda: _score(given, attended),
        "scaled": lambda: _scaled(attended),
        "exp": lambda: _exp(attended, "share" in chosen),
        "share": lambda: _share(attended, "exp" in chosen),
    }
    if given.get("values") is not None:
        working["blend"] = lambda: _blend(given, attended)
    return tuple(working[name]() for name in COLUMNS if name in chosen and name in working)


def vector(numbers: Sequence[float]) -> str:
    return f"[{', '.join(map(shown_number, numbers))}]"


def _power(exponent: float) -> float:
    if abs(exponent) > _MOST_EXPONENT:
        raise OverflowError("nobody can read such a number")
    return math.exp(exponent)


def _one(number: float, slack: float, how: str) -> Cell:
    text = shown_number(number)
    return Cell((number,), text, (_capped(slack, number),), f"{text} = {how}")


def _many(numbers: Sequence[float], slack: Sequence[float], how: str) -> Cell:
    text = vector(numbers)
    capped = tuple(map(_capped, slack, numbers))
    return Cell(tuple(numbers), text, capped, f"{text} = {how}")


def _capped(slack: float, number: float) -> float:
    return max(_ROUNDED, min(slack, _MOST_SLACK * abs(number)))


def _factor(number: float) -> str:
    return f"({shown_number(number)})" if number < 0 else shown_number(number)


def _score(given: Given, attended: Attended) -> Column:
    keys: Mapping[str, Sequence[float]] = given["keys"]
    cells = []
    for token, score in zip(attended.tokens, plain(attended.raw), strict=True):
        products = (f"{_factor(a)} · {_factor(b)}" for a, b in zip(given["q"], keys[token], strict=True))
        cells.append(_one(score, _ROUNDED, " + ".join(products)))
    return Column("score", tuple(cells))


def _scaled(attended: Attended) -> Column:
    root = math.sqrt(attended.d_k)
    cells = (
        _one(
            score / root,
            _ROUNDED * (1 + abs(score) / root**2),
            f"{shown_number(score)} / {shown_number(root)}",
        )
        for score in plain(attended.raw)
    )
    return Column("scaled", tuple(cells))


def _exp(attended: Attended, before_share: bool) -> Column:
    """before_share: whether the next step divides by their sum."""
    cells = tuple(
        _one(_power(scaled), _ROUNDED * (1 + _power(scaled)), f"exp({shown_number(scaled)})")
        for scaled in plain(attended.scaled)
    )
    return Column("exp", cells, _sum(cells) if before_share else None)


def _sum(cells: Sequence[Cell]) -> Cell:
    """Of numbers that stand alone."""
    numbers, slack = zip(*((*cell.numbers, *cell.slack) for cell in cells), strict=True)
    total = round(math.fsum(numbers), 9)  # of shares it is 1, and looks so
    return _one(total, math.fsum(slack), " + ".join(cell.text for cell in cells))


def _share(attended: Attended, after_exp: bool) -> Column:
    """after_exp: whether the powers stand in a column before."""
    scaled = plain(attended.scaled)
    powers = [_power(each) for each in scaled]
    shown = [shown_number(power) if after_exp else f"exp({shown_number(at)})"
             for power, at in zip(powers, scaled, strict=True)]  # fmt: skip
    total, cells = sum(powers), []
    for share, one in zip(plain(attended.shares), shown, strict=True):
        slack = _ROUNDED * (1 + (1 + share * len(powers)) / total)
        cells.append(_one(share, slack, f"{one} / ({' + '.join(shown)})"))
    return Column("share", tuple(cells), _sum(cells))


def _blend(given: Given, attended: Attended) -> Column:
    rows = rows_by_token(given, "values", attended.tokens)
    parts = attended.shares[:, None] * rows
    slack = _ROUNDED * (1 + abs(rows))
    cells = tuple(
        _many(part, off, f"{shown_number(share)} · {vector(row)}")
        for share, row, part, off in zip(
            plain(attended.shares), plain(rows), plain(parts), plain(slack), strict=True
        )
    )
    total = _many(plain(parts.sum(axis=0)), plain(slack.sum(axis=0)), " + ".join(cell.text for cell in cells))
    return Column("blend", cells, total)
