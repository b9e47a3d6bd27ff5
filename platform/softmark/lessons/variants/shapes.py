"""How many vectors there are, and of what shape. given: length of the sequence, width of the model, heads."""

from __future__ import annotations

from softmark.lessons.variants.given import Given, Misgiven, Reckoned, whole

PROJECTIONS = ("query", "key", "value")


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
