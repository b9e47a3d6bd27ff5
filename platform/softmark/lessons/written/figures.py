"""A widget as it reads without a script, its text and tables; and the values that a script makes it move with."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from typing import Any

from softmark.lessons.questions.numerals import NARROW, shown_number
from softmark.lessons.variants import Misgiven
from softmark.lessons.variants.attended import read_attended
from softmark.lessons.variants.by_hand import Column, by_hand, vector
from softmark.lessons.variants.costs import LEAST, MODELS, MOST, Model
from softmark.lessons.written.data_files import Unreadable, read_json
from softmark.lessons.written.lesson import Widget

_HEADS = {"score": "Score", "scaled": "÷ √d", "exp": "exp", "share": "Share", "blend": "Part of the blend"}
_RULES = {
    "score": "Score: the query times the key, number by number, and summed.",
    "scaled": "÷ √d: each score divided by √d, which is {root} here.",
    "exp": "exp: e to the power of each of these, so that none is negative.",
    "share": "Share: each divided by the sum of all of them. The shares sum to 1.",
    "blend": "Part of the blend: each share times its value. Their sum is the blend.",
}
_COST_TOKENS = 8192
_COSTS = (
    "Cache for each token",
    "Cache in all",
    "Operations of attention",
    "Operations of everything else",
    "Attention's share",
    "Both cost the same at",
)
_ALONG = (512, 4_096, 8_192, 32_768, 131_072, 1_000_000)


@dataclass(frozen=True)
class Table:
    """rows: each with its heading. folded: long, so it is shown on demand."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, tuple[str, ...]], ...]
    folded: bool = False


@dataclass(frozen=True)
class Figure:
    """kind, name: of the widget that a script makes of it; the name is its own in addresses.
    values: what that widget shows, and the unrounded numbers behind it. Empty where only the text is left.
    """

    alt: str
    tables: tuple[Table, ...] = ()
    note: str = ""
    kind: str = ""
    name: str = ""
    values: Mapping[str, Any] = field(default_factory=dict)


def figure_of(widget: Widget, data: Mapping[str, bytes]) -> Figure:
    """data: the files that may be shown, by name. What cannot be worked out is left to the text."""
    values = widget.values.value
    try:
        if widget.kind == "numbers":
            return _numbers(widget, values)
        if widget.kind == "arcs" and widget.data in data:
            return _arcs(widget, values, read_json(data[widget.data]))
        if widget.kind == "cost":
            return _cost(widget, values)
    except (ArithmeticError, LookupError, Misgiven, TypeError, Unreadable, ValueError):
        pass  # the lesson was checked with another release of the site
    return Figure(widget.alt)


def _named(widget: Widget) -> str:
    """The same as long as the widget is, wherever it stands: a setting that was linked fits it or nothing."""
    said = json.dumps([widget.kind, widget.values.value], sort_keys=True, default=str)
    return f"{widget.kind}-{sha256(said.encode()).hexdigest()[:6]}"


# -- numbers: the table by hand


def _numbers(widget: Widget, values: Mapping[str, Any]) -> Figure:
    columns, tokens = by_hand(values), read_attended(values).tokens
    typed = values.get("typed") or ()
    root = shown_number(read_attended(values).d_k ** 0.5)
    given = [("Key", [vector(values["keys"][token]) for token in tokens])]
    if values.get("values") is not None:
        given.append(("Value", [vector(values["values"][token]) for token in tokens]))
    title = f"The query is {vector(values['q'])}, and √d is {root}."
    shown = [column for column in columns if column.name not in typed]
    tables = [_by_hand(title, tokens, given, shown)]
    if asked := [column for column in columns if column.name in typed]:
        names = ", ".join(_HEADS[column.name] for column in asked)
        tables.append(_by_hand(f"Worked out: {names}", tokens, [], asked, folded=True))
    return Figure(
        widget.alt,
        tuple(tables),
        kind=widget.kind,
        name=_named(widget),
        values={
            "query": vector(values["q"]),
            "root": root,
            "tokens": tokens,
            "given": [{"name": head.lower(), "head": head, "cells": cells} for head, cells in given],
            "columns": [
                asdict(column)
                | {
                    "head": _HEADS[column.name],
                    "rule": _RULES[column.name].format(root=root),
                    "typed": column.name in typed,
                }
                for column in columns
            ],
        },
    )


def _by_hand(
    title: str, tokens: Sequence[str], given: Sequence[tuple[str, Sequence[str]]], columns: Sequence[Column],
    *, folded: bool = False,
) -> Table:  # fmt: skip
    head = ("Token", *(name for name, _ in given), *(_HEADS[column.name] for column in columns))
    cells = [cells for _, cells in given] + [[cell.text for cell in column.cells] for column in columns]
    rows = [(token, tuple(column[place] for column in cells)) for place, token in enumerate(tokens)]
    if any(column.total for column in columns):
        totals = [column.total.text if column.total else "" for column in columns]
        rows.append(("Sum", (*[""] * len(given), *totals)))
    return Table(title, head, tuple(rows), folded)


# -- arcs: where a word looks


def _arcs(widget: Widget, values: Mapping[str, Any], data: Mapping[str, Any]) -> Figure:
    states, select = data["states"], values["select"]
    tokens = [state["tokens"] for state in states.values()]
    tables = []
    if len({len(each) for each in tokens}) == 1:
        of = [state["weights"][state["tokens"].index(select)] for state in states.values()]
        names = [" / ".join(dict.fromkeys(at)) for at in zip(*tokens, strict=True)]
        heads = [f"with “{name}”" for name in states] if len(states) > 1 else ["Weight"]
        rows = [
            (name, tuple(_weight(row[place]) for row in of))
            for place, name in enumerate(names)
        ]  # fmt: skip
        tables.append(Table(f"Where “{select}” looks", ("Token", *heads), tuple(rows)))
    for name, state in states.items():
        title = f"All weights with “{name}”" if len(states) > 1 else "All weights"
        tables.append(_whole(title, state["tokens"], state["weights"]))
    note = _provenance(data["provenance"])
    return Figure(
        widget.alt,
        tuple(tables),
        note,
        kind=widget.kind,
        name=_named(widget),
        values={
            "select": tokens[0].index(select),
            "states": [{"name": name, **state} for name, state in states.items()],
        },
    )


def _whole(title: str, tokens: Sequence[str], weights: Sequence[Sequence[float]]) -> Table:
    rows = tuple(
        (token, tuple(map(_weight, row)))
        for token, row in zip(tokens, weights, strict=True)
    )  # fmt: skip
    return Table(title, ("From / to", *tokens), rows, folded=True)


def _weight(weight: float) -> str:
    return f"{weight:.2f}"


def _provenance(said: Any) -> str:
    if isinstance(said, Mapping):
        return f"Weights of {said['model']}, layer {said['layer']}, head {said['head']}, both counted from 0."
    return "The weights are made up, for illustration."


# -- cost: what a long context costs


def _cost(widget: Widget, values: Mapping[str, Any]) -> Figure:
    chosen = values.get("model") or next(iter(MODELS))
    n = values.get("tokens", _COST_TOKENS)
    if type(n) is not int or not LEAST <= n <= MOST:
        return Figure(widget.alt)
    model = MODELS[chosen]
    note = _beyond(model) if model.context is not None and n > model.context else ""
    if values.get("grouped") is False:
        model = model.ungrouped
    at = Table(
        f"{model.name} at {shown_number(n)} tokens",
        ("Quantity", "Value"),
        tuple(zip(_COSTS, ((said,) for said in _figures(model, n)), strict=True)),
    )
    along = Table(
        f"{model.name} at other lengths",
        ("Tokens", *_COSTS[1:5]),
        tuple((shown_number(each), _figures(model, each)[1:5]) for each in _ALONG),
        folded=True,
    )
    return Figure(
        widget.alt,
        (at, along),
        note,
        kind=widget.kind,
        name=_named(widget),
        values={
            "tokens": n,
            "least": LEAST,
            "most": MOST,
            "along": _ALONG,
            "heads": _COSTS,
            "model": chosen,
            "grouped": values.get("grouped") is not False,
            "models": [{"id": name, **_coefficients(each)} for name, each in MODELS.items()],
        },
    )


def _coefficients(model: Model) -> dict[str, Any]:
    """All that a script needs to tell any length: it multiplies, and knows no formula."""
    groupings = [model] if model.ungrouped == model else [model, model.ungrouped]
    return {
        "name": model.name,
        "context": model.context,
        "beyond": _beyond(model),
        "groupings": [
            {
                "heads": each.kv_heads,
                "bytes": each.cache_bytes_per_token,
                "attention": each.attention_flops_per_pair,
                "other": each.other_flops_per_token,
                "crossover": float(each.crossover),
            }
            for each in groupings
        ],
    }


def _beyond(model: Model) -> str:
    if model.context is None:
        return ""
    made_for = f"{model.name} is made for {shown_number(model.context)} tokens"
    return f"{made_for}: past them this is arithmetic, not a supported context."


def _figures(model: Model, n: int) -> tuple[str, ...]:
    """As _COSTS names them."""
    return (
        f"{shown_number(model.cache_bytes_per_token)} bytes",
        _bytes(model.cache_bytes(n)),
        _power(model.attention_flops(n)),
        _power(model.other_flops(n)),
        f"{float(model.attention_share(n)) * 100:.0f}\N{NO-BREAK SPACE}%",
        f"{shown_number(round(model.crossover))} tokens",
    )


def _bytes(count: int) -> str:
    """In powers of ten, and of two as memory is counted."""
    decimal, binary, units = (
        (10**9, 2**30, ("GB", "GiB")) if count >= 10**9 else (10**6, 2**20, ("MB", "MiB"))
    )
    return f"{count / decimal:.3g}{NARROW}{units[0]} ({count / binary:.3g}{NARROW}{units[1]})"


def _power(number: int) -> str:
    mantissa, exponent = f"{number:.2e}".split("e")
    raised = str(int(exponent)).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return f"{mantissa} × 10{raised}"
