"""How many vectors there are, of what shape, and which of them a head has.

given: length of the sequence, width of the model, heads.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from grader.reference import split_heads
from softmark.lessons.variants.given import Given, Misgiven, Reckoned, numbers, plain, whole

PROJECTIONS = ("query", "key", "value")
MOST_ROWS = 12


def _sizes(given: Given) -> tuple[int, int, int, dict[str, int]]:
    """Length, width and heads; and with the width of one head as facts."""
    length, width, heads = (whole(given, name) for name in ("length", "width", "heads"))
    if width % heads:
        raise Misgiven(f"{width} numbers cannot be split evenly among {heads} heads.")
    facts = {"length": length, "width": width, "heads": heads, "head_width": width // heads}
    return length, width, heads, facts


def projections(given: Given) -> Reckoned:
    """How many vectors one head makes of `length` tokens: a number, three a token."""
    length = whole(given, "length")
    each = len(PROJECTIONS)
    facts = {"length": length, "per_token": each, "vectors": each * length}
    return Reckoned(each * length, facts, {"one-per-token": length, "no-query": 2 * length})


def head_width(given: Given) -> Reckoned:
    """How many numbers of a token one head works with: a number."""
    _, width, _, facts = _sizes(given)
    return Reckoned(facts["head_width"], facts, {"all-of-them": width})


def head_part(given: Given) -> Reckoned:
    """What the head that `head` names, counted from 1, works with of `rows` (T, D): a matrix (T, D / heads)."""
    said = given.get("rows")
    if not isinstance(said, list) or not 1 <= len(said) <= MOST_ROWS:
        raise Misgiven(f'"rows" must be a list of 1 to {MOST_ROWS} rows of numbers.')
    rows = [numbers(row, f'Row {place} of "rows"') for place, row in enumerate(said, 1)]
    if any(len(row) != len(rows[0]) for row in rows):
        raise Misgiven('The rows of "rows" must be equally long.')
    _, _, heads, facts = _sizes({"length": len(rows), "width": len(rows[0]), "heads": given.get("heads")})
    at = whole(given, "head", 1, heads) - 1
    x = np.array(rows)
    parts = split_heads(x, heads)
    mistakes: dict[str, Any] = {
        "not-cut-first": plain(x.reshape(parts.shape)[at]),
        "dealt-out": plain(x[:, at::heads]),
        "another-head": plain(parts[at - 1]),
    }
    return Reckoned(plain(parts[at]), {**facts, "part": plain(parts[at])}, mistakes)


def score_shape(given: Given) -> Reckoned:
    """The shape of all heads' scores, (H, T, T): a vector of 3."""
    length, _, heads, facts = _sizes(given)
    mistakes = {
        "width-in-it": [heads, length, facts["head_width"]],
        "once-for-all-heads": [1, length, length],
    }
    return Reckoned([heads, length, length], facts, mistakes)


def output_shape(given: Given) -> Reckoned:
    """The shape of what multi-head attention gives, (T, D), heads joined and projected: a vector of 2."""
    length, width, heads, facts = _sizes(given)
    mistakes = {"one-head": [length, facts["head_width"]], "width-times-heads": [length, width * heads]}
    return Reckoned([length, width], facts, mistakes)
