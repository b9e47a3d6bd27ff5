"""Facts of a variant, as texts name and show them: {{ scores }}, {{ river.share }}."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from softmark.lessons.questions.numerals import shown_number
from softmark.lessons.variants.given import Given


def fact(facts: Given, name: str) -> Any:
    """The fact of this name, dotted or not; of rows each by its place, from 1. Raises KeyError where there is none."""
    if name in facts:
        return facts[name]
    table, _, part = name.rpartition(".")  # at the last dot: a token may hold others
    found = facts.get(table)
    if isinstance(found, list):
        found = {str(place): row for place, row in enumerate(found, 1)}
    if not table or not isinstance(found, Mapping) or part not in found:
        raise KeyError(name)
    return found[part]


def shown(value: Any) -> str:
    """A fact as it stands in a sentence: numbers with two decimals, lists with commas, rows in brackets."""
    if isinstance(value, list):
        if any(isinstance(each, list) for each in value):
            return ", ".join(f"[{shown(each)}]" for each in value)
        return ", ".join(shown(each) for each in value)
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {shown(each)}" for name, each in value.items())
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return shown_number(value)
    return str(value)
