"""What {{ name }} stands for in a text: where it may be written, and filled in."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from softmark.lessons.questions.numerals import MINUS, NARROW
from softmark.lessons.variants import fact
from softmark.lessons.variants import shown as shown_value

Facts = Mapping[str, Any]

MARK = re.compile(r"\{\{([^{}\n]{0,120})\}\}")
_NAME = re.compile(r"[^\W\d][\w-]*(?:\.[\w-]+)*")
_MOST_SHOWN = 2_000  # characters


def name_in(inside: str) -> str | None:
    """The name between the braces; None where there is something else."""
    inside = inside.strip()
    return inside if _NAME.fullmatch(inside) else None


def has(name: str, facts: Facts) -> bool:
    try:
        fact(facts, name)
    except KeyError:
        return False
    return True


def shown(inside: str, facts: Facts) -> str | None:
    """The fact as text for a page; None where there is none of this name."""
    name = name_in(inside)
    if name is None or not has(name, facts):
        return None
    value = fact(facts, name)
    try:
        return shown_value(value)[:_MOST_SHOWN]
    except (ArithmeticError, ValueError):  # a number that cannot be shown
        return str(value)[:_MOST_SHOWN]


def fill_code(text: str, facts: Facts) -> str:
    """The source of code or of a formula with its facts: there a minus is plain, and thousands stand together."""

    def fill(mark: re.Match[str]) -> str:
        value = shown(mark[1], facts)
        return mark[0] if value is None else value.replace(MINUS, "-").replace(NARROW, "")

    return MARK.sub(fill, text)


def names(facts: Facts, before: str = "") -> Iterator[str]:
    """Every name that could be said, for a suggestion."""
    for name, value in facts.items():
        yield f"{before}{name}"
        if isinstance(value, Mapping):
            yield from names(value, f"{before}{name}.")
