"""Attention that must not look ahead. Positions are counted from 1, as people count them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from grader.reference import causal_mask, softmax
from softmark.lessons.variants.given import Array, Given, Misgiven, Reckoned, numbers, plain, whole

MOST_LENGTH = 12


def _scores(given: Given) -> Array:
    """(T, T), scaled already."""
    rows = given.get("scores")
    if not isinstance(rows, list) or not 2 <= len(rows) <= MOST_LENGTH:
        raise Misgiven(f'"scores" must be a square of 2 to {MOST_LENGTH} rows.')
    square = [numbers(row, f'Row {place} of "scores"') for place, row in enumerate(rows, 1)]
    if any(len(row) != len(rows) for row in square):
        raise Misgiven('"scores" must be square: a score of each position for each.')
    return np.array(square)


def causal_weights(given: Given) -> Reckoned:
    """The weights of all positions, from `scores` (T, T): a matrix (T, T), zero above the diagonal."""
    table = _scores(given)
    past = causal_mask(*table.shape)
    weights = softmax(np.where(past, table, -math.inf))
    whole_rows = softmax(table)
    mistakes: dict[str, Any] = {
        "not-masked": plain(whole_rows),
        "masked-after-softmax": plain(np.where(past, whole_rows, 0.0)),
        "looks-ahead-only": plain(softmax(np.where(past.T, table, -math.inf))),
    }
    return Reckoned(plain(weights), {"scores": plain(table), "weights": plain(weights)}, mistakes)


def causal_row(given: Given) -> Reckoned:
    """The weights of the position that `position` names: a vector (T,)."""
    all_rows = causal_weights(given)
    position = whole(given, "position", 1, len(all_rows.key))
    mistakes = {name: rows[position - 1] for name, rows in all_rows.mistakes.items()}
    row, asked = all_rows.key[position - 1], all_rows.facts["scores"][position - 1]
    own = {"position": position, "row": row, "position_scores": asked, "visible_scores": asked[:position],
           "hidden_scores": asked[position:], "not_masked": mistakes["not-masked"]}  # fmt: skip
    return Reckoned(row, {**all_rows.facts, **own}, mistakes)


def hidden_pairs(given: Given) -> Reckoned:
    """How many of the scores of `length` tokens a causal mask hides: a number."""
    length = whole(given, "length", 1, 1_000)
    visible = int(causal_mask(length, length).sum())
    pairs = length * length
    facts = {"length": length, "pairs": pairs, "visible": visible, "hidden": pairs - visible}
    mistakes = {"hides-itself": visible, "half-of-all": pairs / 2}
    return Reckoned(pairs - visible, facts, mistakes)
