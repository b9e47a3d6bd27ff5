"""What a question starts from: plain JSON that a lesson writes or a generator draws."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Given: TypeAlias = Mapping[str, Any]
Array: TypeAlias = NDArray[np.float64]

MOST_TOKENS = 40
MOST_WIDTH = 256
_LARGEST = 10**6


class Misgiven(Exception):
    """A `given` that nothing can be computed from. Its text tells an author why."""


@dataclass(frozen=True)
class Reckoned:
    """key: what is right. facts: for `{{ name }}` in texts. mistakes: by name, what a well-known mistake gives.

    All plain JSON. Keys and mistakes are of the form that the type of question takes as its answer.
    """

    key: Any
    facts: Given = field(default_factory=dict)
    mistakes: Given = field(default_factory=dict)


def whole(given: Given, name: str, least: int = 1, most: int = 10_000_000) -> int:
    value = given.get(name)
    if type(value) is not int or not least <= value <= most:
        raise Misgiven(f'"{name}" must be a whole number from {least} to {most}.')
    return value


def numbers(value: Any, called: str) -> list[float]:
    """A list of finite numbers, none of them larger than a million."""
    if not isinstance(value, list) or not 1 <= len(value) <= MOST_WIDTH:
        raise Misgiven(f"{called} must be a list of numbers.")
    for each in value:
        if isinstance(each, bool) or not isinstance(each, (int, float)) or not abs(each) <= _LARGEST:
            raise Misgiven(f"{called} must be a list of numbers, none of them larger than a million.")
    return [float(each) for each in value]


def tokens_of(given: Given) -> list[str]:
    """The tokens in reading order: of "tokens", or as "keys" or "shares" have them."""
    tokens = given.get("tokens")
    if tokens is None:
        table = given.get("keys", given.get("shares"))
        tokens = list(table) if isinstance(table, Mapping) else None
    if not isinstance(tokens, list) or not 1 <= len(tokens) <= MOST_TOKENS:
        raise Misgiven(f'"given" must name its tokens: 1 to {MOST_TOKENS} of them, as "keys" by token.')
    if not all(isinstance(token, str) and token for token in tokens) or len(set(tokens)) < len(tokens):
        raise Misgiven("Each token must be text, and none may stand there twice.")
    return tokens


def by_token(given: Given, name: str, tokens: list[str]) -> list[Any]:
    """What a table by token holds, in the tokens' order."""
    table = given.get(name)
    if not isinstance(table, Mapping) or set(table) != set(tokens):
        raise Misgiven(f'"{name}" must say something of each token and of nothing else: {", ".join(tokens)}.')
    return [table[token] for token in tokens]


def rows_by_token(given: Given, name: str, tokens: list[str]) -> Array:
    """A vector of each token, (T, d)."""
    rows = [
        numbers(row, f'"{name}" of {token}')
        for token, row in zip(tokens, by_token(given, name, tokens), strict=True)
    ]
    if len({len(row) for row in rows}) > 1:
        raise Misgiven(f'The vectors of "{name}" must be equally long.')
    return np.array(rows)


def plain(array: Array) -> Any:
    """As lists of floats. Rounded where only the arithmetic's own rounding is left: 2, not 1.9999999999999998."""
    return (np.round(array, 12) + 0.0).tolist()
