"""The form of a stop, for its template: fields that post what the type reads, filled with what was typed so far."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import unescape
from typing import Any

from django.http import QueryDict
from django.utils.html import escape, format_html_join, strip_tags
from django.utils.safestring import SafeString, mark_safe

from softmark.lessons.questions import TYPES
from softmark.lessons.questions.choices import BETWEEN
from softmark.lessons.questions.grid import Grid
from softmark.lessons.standing import Asked
from softmark.lessons.written.render import text_html

_MARKED_UP = ("choice", "order")  # what they show may hold Markdown
_BREAK = mark_safe("<br>")
_ROWS = re.compile(r"(?<=\],) (?=\[)")  # between the rows of a matrix
ANSWER, PLACE, PASTED, SURE = "answer", "place", "pasted", "sure"
FORM = "form_token"


@dataclass(frozen=True)
class Option:
    """Something to pick; its value travels, and `html` is what is read. plain: where there can be no markup."""

    value: str
    html: SafeString
    plain: str
    picked: bool = False


@dataclass(frozen=True)
class Cell:
    label: str
    text: str


@dataclass(frozen=True)
class Input:
    """kind: which template. Of the others only what that kind has.

    rows: of cells. places: of an order, each with the options and the one that stands there.
    text: of one field; pasted: of the one beside the cells. least: letters and digits that a text must have.
    """

    kind: str
    options: tuple[Option, ...] = ()
    rows: tuple[tuple[Cell, ...], ...] = ()
    places: tuple[tuple[Option, ...], ...] = ()
    text: str = ""
    pasted: str = ""
    least: int = 0


def input_of(asked: Asked, texts: Sequence[str]) -> Input:
    """texts: what was typed, as it was posted."""
    settings: Any = asked.settings
    match asked.type:
        case "choice" | "choices":
            return Input(asked.type, options=_options(settings.options, texts))
        case "order":
            chosen = [*texts, *[""] * len(settings.items)][: len(settings.items)]
            return Input("order", places=tuple(_options(settings.items, [each]) for each in chosen))
        case "token":
            tokens = enumerate(settings.tokens)
            return Input(
                "token",
                options=tuple(Option(str(at), escape(each), each, str(at) in texts) for at, each in tokens),
            )
        case "vector" | "matrix":
            return _grid(asked, texts)
        case _:
            least = getattr(settings, "min_length", 0)
            return Input(asked.type, text=texts[0] if texts else "", least=least)


def posted_answer(form: QueryDict) -> list[str]:
    """The texts that the type reads: cells and what was pasted together only where both are there."""
    pasted, placed = form.get(PASTED, ""), [each for each in form.getlist(PLACE) if each]
    cells = form.getlist(ANSWER)
    if pasted.strip():
        return [*cells, pasted] if any(cell.strip() for cell in cells) else [pasted]
    return cells or placed


def posted_sure(form: QueryDict) -> int | None:
    """None where nothing was said; 0, which no one can be, where it is none of the four."""
    said = form.get(SURE, "")
    return None if not said else int(said) if said in ("1", "2", "3", "4") else 0


def inline(text: str) -> SafeString:
    """Markdown of one line without the paragraph around it; what is more than that stays as it was written."""
    html = text_html(text).strip()
    inside = html.removeprefix("<p>").removesuffix("</p>")
    return mark_safe(inside) if html == f"<p>{inside}</p>" and "<p>" not in inside else escape(text)


def answer_html(kind: str, text: str) -> SafeString:
    """An answer or what is right, as a type shows it: options and rows below each other."""
    match kind:
        case "choices":
            return format_html_join(_BREAK, "{}", ((each,) for each in each_picked(kind, text)))
        case "matrix":
            return format_html_join(_BREAK, "{}", ((row,) for row in _ROWS.split(text)))
        case _:
            return inline(text) if kind in _MARKED_UP else escape(text)


def each_picked(kind: str, text: str) -> tuple[SafeString, ...]:
    """The options of an answer that may have several; none of any other."""
    return tuple(inline(each) for each in text.split(BETWEEN)) if kind == "choices" and text else ()


def _options(named: Sequence[Any], texts: Sequence[str]) -> tuple[Option, ...]:
    return tuple(
        Option(each.id, inline(each.text), unescape(strip_tags(inline(each.text))), each.id in texts)
        for each in named
    )


def _grid(asked: Asked, texts: Sequence[str]) -> Input:
    kind = TYPES[asked.type]
    assert isinstance(kind, Grid), "numbers in rows and columns"
    rows, columns = asked.settings.shape
    count = rows * columns
    fits = len(texts) in (count, count + 1) and (len(texts) > 1 or count == 1)
    cells = list(texts[:count]) if fits else [""] * count
    pasted = (texts[count] if len(texts) > count else "") if fits else "".join(texts[-1:])
    made = tuple(
        tuple(
            Cell(kind.place(row + 1, column + 1), cells[row * columns + column]) for column in range(columns)
        )
        for row in range(rows)
    )
    return Input(asked.type, rows=made, pasted=pasted)
