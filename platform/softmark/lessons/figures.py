"""A widget as it reads without a script: its text, and a table of what it shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from softmark.lessons.data_files import Unreadable, read_json
from softmark.lessons.model import Widget
from softmark.lessons.questions.numerals import shown_number
from softmark.lessons.variants import Misgiven
from softmark.lessons.variants import shown as shown_value
from softmark.lessons.variants.attended import Attended, read_attended
from softmark.lessons.variants.costs import MODELS, Model
from softmark.lessons.widgets import COLUMNS

_HEADS = {"score": "Score", "scaled": "÷ √d", "exp": "exp", "share": "Share", "blend": "Part of the blend"}
_COST_TOKENS = 8192


@dataclass(frozen=True)
class Table:
    """rows: each with its heading. folded: long, so it is shown on demand."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, tuple[str, ...]], ...]
    folded: bool = False


@dataclass(frozen=True)
class Figure:
    alt: str
    tables: tuple[Table, ...] = ()
    note: str = ""


def figure_of(widget: Widget, data: Mapping[str, bytes]) -> Figure:
    """data: the files that may be shown, by name. What cannot be worked out is left to the text."""
    values = widget.values.value
    try:
        if widget.kind == "numbers":
            return Figure(widget.alt, _numbers(values))
        if widget.kind == "arcs" and widget.data in data:
            return _arcs(widget.alt, values, read_json(data[widget.data]))
        if widget.kind == "cost":
            return _cost(widget.alt, values)
    except (ArithmeticError, LookupError, Misgiven, TypeError, Unreadable, ValueError):
        pass  # the lesson was checked with another release of the site
    return Figure(widget.alt)


# -- numbers: the table by hand


def _numbers(values: Mapping[str, Any]) -> tuple[Table, ...]:
    attended = read_attended(values)
    typed = values.get("typed") or ()
    columns = [each for each in values.get("columns") or COLUMNS if each not in typed]
    v = values.get("values")
    if v is None:
        columns = [each for each in columns if each != "blend"]
    head, rows = ["Token", "Key"], [[_row(values["keys"][token])] for token in attended.tokens]
    if v is not None:
        head.append("Value")
        for row, token in zip(rows, attended.tokens, strict=True):
            row.append(_row(v[token]))
    for column in columns:
        head.append(_HEADS[column])
        for place, row in enumerate(rows):
            row.append(_cell(attended, column, place, v))
    named = [(token, tuple(row)) for token, row in zip(attended.tokens, rows, strict=True)]
    if "blend" in columns and v is not None:
        blend = attended.shares @ np.array([v[token] for token in attended.tokens], dtype=float)
        named.append(("Sum", (*[""] * (len(head) - 2), _row(blend.tolist()))))
    title = f"The query is {_row(values['q'])}, and √d is {shown_number(attended.d_k**0.5)}."
    return (Table(title, tuple(head), tuple(named)),)


def _row(numbers: Sequence[float]) -> str:
    return f"[{shown_value(list(numbers))}]"


def _cell(attended: Attended, column: str, place: int, v: Mapping[str, Any] | None) -> str:
    if column == "blend":
        assert v is not None, "such a column was left out"
        part = attended.shares[place] * np.array(v[attended.tokens[place]], dtype=float)
        return _row(part.tolist())
    of = {
        "score": attended.raw,
        "scaled": attended.scaled,
        "exp": np.exp(attended.scaled),
        "share": attended.shares,
    }
    return shown_number(float(of[column][place]))


# -- arcs: where a word looks


def _arcs(alt: str, values: Mapping[str, Any], data: Mapping[str, Any]) -> Figure:
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
    return Figure(alt, tuple(tables), _provenance(data["provenance"]))


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


def _cost(alt: str, values: Mapping[str, Any]) -> Figure:
    model = MODELS[values.get("model") or next(iter(MODELS))]
    n = values.get("tokens") or _COST_TOKENS
    context = model.context
    if values.get("grouped") is False:
        model = model.ungrouped
    note = ""
    if context is not None and n > context:
        made_for = f"{model.name} is made for {shown_number(context)} tokens"
        note = f"{made_for}: past them this is arithmetic, not a supported context."
    title = f"{model.name} at {shown_number(n)} tokens"
    return Figure(alt, (Table(title, ("Quantity", "Value"), _figures(model, n)),), note)


def _figures(model: Model, n: int) -> tuple[tuple[str, tuple[str, ...]], ...]:
    return (
        ("Cache for each token", (f"{shown_number(model.cache_bytes_per_token)} bytes",)),
        ("Cache in all", (_bytes(model.cache_bytes(n)),)),
        ("Operations of attention", (_power(model.attention_flops(n)),)),
        ("Operations of everything else", (_power(model.other_flops(n)),)),
        ("Attention's share", (f"{float(model.attention_share(n)) * 100:.0f}\N{NO-BREAK SPACE}%",)),
        ("Both cost the same at", (f"{shown_number(round(model.crossover))} tokens",)),
    )


def _bytes(count: int) -> str:
    for power, unit in ((9, "GB"), (6, "MB")):
        if count >= 10**power:
            return f"{count / 10**power:.3g} {unit}"
    return f"{shown_number(count)} bytes"


def _power(number: int) -> str:
    mantissa, exponent = f"{number:.2e}".split("e")
    raised = str(int(exponent)).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return f"{mantissa} × 10{raised}"
