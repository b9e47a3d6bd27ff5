"""Numbers pasted as one text: a list of Python, what numpy prints, or rows out of a spreadsheet.

    [[1, 2], [3, 4]]        [[1. 2.]        1 2
                             [3. 4.]]       3 4

Inside brackets commas part the numbers, and spaces where a row has no commas. Without brackets a comma parts them
only with a space behind it, since 3,145 may be one number.
"""

from __future__ import annotations

import re

from softmark.lessons.questions.common import Invalid
from softmark.lessons.questions.numerals import number_in

MOST = 10_000  # characters

_ROW = re.compile(r"\[([^\[\]]*)\]")
_BETWEEN_ROWS = re.compile(r"(?:[ \t\n\r]*,)?[ \t\n\r]*")
_LINES = re.compile(r"[;\n\r]+")
_SPACES = re.compile(r"[ \t\n\r]+")
_GAPS = re.compile(r",?[ \t]+")


def is_pasted(text: str, cells: int) -> bool:
    """Whether it is more than the number of one of so many cells: 1 000 is one, with a tab in it it is two."""
    text = text.strip()
    if "[" in text or cells == 1:
        return "[" in text
    return any(letter in text for letter in "\t\n\r;") or (" " in text and number_in(text) is None)


def rows_of(text: str, *, nested: bool) -> list[list[str]]:
    """The text of each number, row by row. nested: whether a list of rows is asked for, or one row. Raises Invalid."""
    if len(text) > MOST:
        raise Invalid(f"That is {len(text):,} characters long; at most {MOST:,} are taken.")
    text = text.strip()
    if text[:1] != "[":
        if "[" in text or "]" in text:
            raise Invalid(_how(nested))
        lines = [line.strip() for line in _LINES.split(text)]
        return [_GAPS.split(line.removesuffix(",").rstrip()) for line in lines if line]
    if not nested:
        row = _ROW.fullmatch(text)
        if row is None:
            raise Invalid(_how(nested))
        return [_numbers(row[1])]
    if text[-1:] != "]" or len(text) < 2:
        raise Invalid(_how(nested))
    inner, rows, place = text[1:-1].strip(), [], 0
    while place < len(inner):
        row = _ROW.match(inner, place)
        if row is None:
            raise Invalid(_how(nested))
        rows.append(_numbers(row[1]))
        gap = _BETWEEN_ROWS.match(inner, row.end())
        assert gap is not None, "it matches nothing, too"
        place = gap.end()
    return rows


def _numbers(row: str) -> list[str]:
    if not row.strip():
        return []
    if "," not in row:
        return _SPACES.split(row.strip())
    numbers = row.split(",")
    return numbers[:-1] if not numbers[-1].strip() else numbers


def _how(nested: bool) -> str:
    if nested:
        return "Type a matrix row by row in square brackets, like [[1, 2], [3, 4]]."
    return "Type the numbers in one pair of square brackets, like [1, 2]."
