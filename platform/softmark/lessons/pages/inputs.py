"""The form of a stop, for its template: fields that post what the type reads, filled with what was typed so far."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.http import QueryDict
from django.utils.html import escape, format_html_join
from django.utils.safestring import SafeString, mark_safe

from softmark.lessons.questions import TYPES
from softmark.lessons.questions.grid import Grid
from softmark.lessons.standing import Asked
from softmark.lessons.written.render import plain_words, text_html

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


def answer_html(kind: str, texts: Sequence[str]) -> SafeString:
    """An answer or what is right, from the texts that its type gives: options and rows below each other."""
    match kind:
        case "choice" | "choices" | "order":
            between = _BREAK if kind == "choices" else " "
            return format_html_join(between, "{}", ((inline(each),) for each in texts))
        case "matrix":
            return format_html_join(_BREAK, "{}", ((row,) for text in texts for row in _ROWS.split(text)))
        case _:
            return format_html_join("", "{}", ((text,) for text in texts))


def _options(named: Sequence[Any], texts: Sequence[str]) -> tuple[Option, ...]:
    return tuple(
        Option(each.id, inline(each.text), plain_words(each.text), each.id in texts) for each in named
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
