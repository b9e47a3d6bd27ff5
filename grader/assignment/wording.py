"""How values and suggestions are written in the sentences that a teacher reads."""

from __future__ import annotations

import datetime
import difflib
from collections.abc import Iterable
from decimal import Decimal

from grader.report import printable


def quoted(text: str, most: int = 60) -> str:
    """Text from the folder in double quotes, on one line, safe to print, cut to `most` characters."""
    one_line = " ".join(printable(text[: 4 * most]).split())
    return f'"{one_line[:most]}…"' if len(one_line) > most else f'"{one_line}"'


def did_you_mean(wrong: str, known: Iterable[str]) -> str:
    """A sentence to append when `wrong` looks like one of `known`; "" when it does not."""
    # SequenceMatcher is quadratic and the text may be anything; no known name is this long.
    close = difflib.get_close_matches(wrong, sorted(known), n=1, cutoff=0.6) if len(wrong) <= 100 else []
    return f" Did you mean {quoted(close[0])}?" if close else ""


def kind(value: object) -> str:
    """What a TOML value is, in words."""
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, (int, float, Decimal)):
        return "a number"
    if isinstance(value, str):
        return "text"
    if isinstance(value, list):
        return "a list"
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, (datetime.date, datetime.time)):
        return "a date or time"
    return "something else"
