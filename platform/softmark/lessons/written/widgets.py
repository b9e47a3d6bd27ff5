"""The kinds of widgets: what each may say, and what the file of its data must look like."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from grader.assignment.model import Problems
from grader.assignment.wording import did_you_mean, quoted
from softmark.lessons.variants import Misgiven
from softmark.lessons.variants.by_hand import COLUMNS, by_hand
from softmark.lessons.variants.costs import LEAST, MODELS, MOST
from softmark.lessons.written.data_files import Unreadable, is_table, read_json
from softmark.lessons.written.fields import Fields, are_numbers
from softmark.lessons.written.lesson import Widget

MAX_TOKENS = 40
MAX_TABLE_TOKENS = 12
MAX_WIDTH = 16
MAX_ALT = 600
_LONG_NUMBER = re.compile(r"-?\d+\.\d+|-?\d{3,}")  # shorter ones may count something
_ALTERNATIVES = re.compile(r"\{([^{}|]+(?:\|[^{}|]+)+)\}")


@dataclass(frozen=True)
class Kind:
    """keys: what its directive may say beside "alt". check: complains of the values; data: of what its file holds."""

    keys: tuple[str, ...]
    check: Callable[[Fields], None]
    data: Callable[[Any, Fields, Callable[[str], None]], None] | None = None


def check_widget(widget: Widget, file: str, data: Mapping[str, bytes], problems: Problems) -> None:
    """Everything that is wrong with a widget, and with its file unless that is missing (which others tell)."""
    kind = KINDS.get(widget.kind)
    if kind is None:
        advice = did_you_mean(widget.kind, KINDS) or f" There are: {', '.join(KINDS)}."
        problems.add(file, widget.line, f"There is no widget {quoted(widget.kind)}.{advice}")
    if widget.values.unread:
        return
    if kind is None:
        _alt(Fields(f"The widget {quoted(widget.kind)}", file, widget.values, problems))
        return
    fields = Fields(f'The widget "{widget.kind}"', file, widget.values, problems)
    fields.refuse_unknown((*kind.keys, "alt"))
    _alt(fields)
    kind.check(fields)
    if kind.data is None:
        return
    name = fields.text("data", 80)
    if name and not is_table(name):
        fields.complain(
            f'"data" is {quoted(name)}, but must be the name of a file beside the lesson that ends with .json.',
            "data",
        )
    elif name in data:

        def complain(sentence: str) -> None:
            problems.add(name, None, sentence)

        try:
            kind.data(read_json(data[name]), fields, complain)
        except Unreadable as unreadable:
            problems.add(name, unreadable.line, unreadable.sentence)


def _alt(fields: Fields) -> None:
    """Every widget says in words what it shows."""
    if not fields.has("alt"):
        fields.complain('there is no "alt": say in words what it shows.')
        return
    alt = fields.text("alt", MAX_ALT)
    if alt and len(alt.split()) < 2:
        fields.complain('"alt" must say in words what it shows.', "alt")


# -- numbers: the table by hand


def _numbers(fields: Fields) -> None:
    tokens = fields.texts("tokens", MAX_TABLE_TOKENS, 40)
    query = fields.numbers("q", MAX_WIDTH)
    for name in ("keys", "values"):
        if name == "values" and not fields.has(name):
            continue
        rows = fields.needed(name)
        if not isinstance(rows, dict):
            if fields.has(name):
                fields.complain(f'"{name}" must be a table: a list of numbers for each token.', name)
            continue
        for token in tokens:
            if token not in rows:
                fields.complain(f'"{name}" has nothing for the token {quoted(token)}.', name)
        width = len(query) if name == "keys" else None
        for token, row in rows.items():
            if tokens and token not in tokens:
                advice = did_you_mean(token, tokens)
                fields.complain(
                    f'"{name}" names {quoted(token)}, which is not among the tokens.{advice}', name, token
                )
            elif not are_numbers(row, MAX_WIDTH):
                fields.complain(f'"{name}" of {quoted(token)} must be a list of numbers.', name, token)
            elif width and len(row) != width:
                of = "the query" if name == "keys" else "the first"
                fields.complain(
                    f'"{name}" of {quoted(token)} has {len(row)} numbers, and {of} {width}.', name, token
                )
            else:
                width = width or len(row)
    if fields.has("d_k"):
        fields.whole("d_k", 1, 1024)
    for name in ("columns", "typed"):
        if fields.has(name):
            for at, column in enumerate(fields.texts(name, len(COLUMNS), 20)):
                if column not in COLUMNS:
                    advice = did_you_mean(column, COLUMNS) or f" There are: {', '.join(COLUMNS)}."
                    fields.complain(f'"{name}" names {quoted(column)}, which is no column.{advice}', name, at)
    shown = fields.get("columns")
    typed = fields.get("typed")
    if isinstance(shown, list) and isinstance(typed, list) and (lost := [c for c in typed if c not in shown]):
        fields.complain(f'"typed" names {quoted(str(lost[0]))}, which "columns" leaves out.', "typed")
    if "blend" in (shown if isinstance(shown, list) else ()) and not fields.has("values"):
        fields.complain('the column "blend" needs "values".', "columns")
    _refuse_told(fields)


def _refuse_told(fields: Fields) -> None:
    """The text must not say what is to be typed: no number of a typed column that stands nowhere else in the table."""
    names = ("tokens", "q", "keys", "values", "d_k", "columns")
    given = {name: fields.get(name) for name in names if fields.has(name)}
    try:
        columns = by_hand(given)
    except OverflowError:
        fields.complain("e to the power of these scores is beyond all that can be shown.", "keys")
        return
    except Misgiven as misgiven:
        if fields.sound:
            said = str(misgiven)
            fields.complain(said, *[name for name in names if f'"{name}"' in said][:1])
        return
    except (AttributeError, LookupError, TypeError, ValueError):
        if fields.sound:
            fields.complain("this table cannot be worked out, so only its text would be shown.")
        return
    alt, typed = fields.get("alt"), fields.get("typed")
    if not isinstance(alt, str) or not isinstance(typed, list):
        return
    d_k = given.get("d_k", len(given["q"]))
    rows = [given["q"], *given["keys"].values(), *given.get("values", {}).values()]
    seen = [d_k, math.sqrt(d_k), *(number for row in rows for number in row)]
    seen += [number for column in columns if column.name not in typed for number in column.numbers]
    asked = [number for column in columns if column.name in typed for number in column.numbers]
    for said in dict.fromkeys(_LONG_NUMBER.findall(alt.replace("\N{MINUS SIGN}", "-"))):
        if _rounds_to(said, asked) and not _rounds_to(said, seen):
            fields.complain(f'"alt" says {quoted(said)}, which is to be typed here. Leave it out.', "alt")


def _rounds_to(said: str, numbers: Iterable[float]) -> bool:
    places = len(said.partition(".")[2])
    return any(abs(number - float(said)) <= 0.5 * 10**-places + 1e-9 for number in numbers)


# -- arcs: where a word looks


def alternatives(sentence: str) -> tuple[str, ...]:
    """The words of the switch in a sentence, {tired|wide}; none where there is no switch."""
    found = _ALTERNATIVES.search(sentence)
    return tuple(word.strip() for word in found[1].split("|")) if found else ()


def _arcs(fields: Fields) -> None:
    sentence = fields.text("sentence", 400)
    select = fields.text("select", 40)
    if sentence:
        rest = _ALTERNATIVES.sub(lambda found: found[1].replace("|", " "), sentence, count=1)
        if "{" in rest or "}" in rest:
            fields.complain('"sentence" may have one switch, written {one|other}.', "sentence")
        elif len(alternatives(sentence)) not in (0, 2):
            fields.complain('the switch of "sentence" has two sides, {one|other}.', "sentence")
        elif select and select not in rest:
            fields.complain(f'"select" is {quoted(select)}, which "sentence" does not hold.', "select")


def _arcs_data(data: Any, fields: Fields, complain: Callable[[str], None]) -> None:
    """{"provenance": ..., "states": {"tired": {"tokens": [...], "weights": [[...], ...]}, "wide": ...}}"""
    if not isinstance(data, dict):
        complain('The data of arcs must be a table with "provenance" and "states".')
        return
    for name in data:
        if name not in ("provenance", "states"):
            complain(f"{quoted(name)} is not known here.{did_you_mean(name, ('provenance', 'states'))}")
    _provenance(data.get("provenance"), complain)
    states = data.get("states")
    if not isinstance(states, dict) or not states:
        complain('"states" must be a table with the tokens and weights of each side of the switch.')
        return
    sentence = fields.get("sentence")
    sides = alternatives(sentence) if isinstance(sentence, str) else ()
    if sides and set(states) != set(sides):
        complain(f'"states" must be those of the switch: {", ".join(sides)}.')
    elif not sides and len(states) != 1:
        complain('The sentence has no switch, so "states" must hold one state.')
    select = fields.get("select")
    for name, state in states.items():
        words = (select, *(name.split() if sides else ())) if isinstance(select, str) else ()
        _state(name, state, words, complain)


def _provenance(said: Any, complain: Callable[[str], None]) -> None:
    if said == "illustrative":
        return
    if not isinstance(said, dict) or set(said) != {"model", "layer", "head"}:
        complain('"provenance" must be "illustrative", or a table with model, layer and head.')
        return
    if not isinstance(said["model"], str) or not 1 <= len(said["model"].strip()) <= 100:
        complain('"model" must be the name of a model.')
    for name in ("layer", "head"):
        if type(said[name]) is not int or not 0 <= said[name] <= 1000:
            complain(f'"{name}" must be a whole number, counted from 0.')


def _state(name: str, state: Any, words: Iterable[str], complain: Callable[[str], None]) -> None:
    """words: of the sentence, those that its tokens must hold: the selected one first, then those of the switch."""
    called = f"The state {quoted(name)}"
    if not isinstance(state, dict) or set(state) != {"tokens", "weights"}:
        complain(f'{called} must have "tokens" and "weights", and nothing else.')
        return
    tokens, weights = state["tokens"], state["weights"]
    if not isinstance(tokens, list) or not all(isinstance(t, str) and 1 <= len(t) <= 40 for t in tokens):
        complain(f'{called}: "tokens" must be a list of short texts.')
        return
    if not 1 <= len(tokens) <= MAX_TOKENS:
        complain(f"{called} has {len(tokens)} tokens; 1 to {MAX_TOKENS} can be drawn.")
        return
    for place, word in enumerate(words):
        if word and word not in tokens:
            which = "is a side of the switch" if place else "is selected"
            complain(f"{called}: {quoted(word)}, which {which}, is not among the tokens.")
    rows = weights if isinstance(weights, list) else []
    if len(rows) != len(tokens) or not all(isinstance(r, list) and len(r) == len(tokens) for r in rows):
        complain(f'{called}: "weights" must have a row for each token, and in it a number for each token.')
        return
    for at, row in enumerate(rows):
        if not all(type(weight) in (int, float) and 0 <= weight <= 1 for weight in row):
            complain(f"{called}: the weights of {quoted(tokens[at])} must be numbers from 0 to 1.")
        elif sum(row) > 1.01:
            complain(f"{called}: the weights of {quoted(tokens[at])} sum to {sum(row):.2f}, more than 1.")


# -- cost: what a long context costs


def _cost(fields: Fields) -> None:
    if fields.has("model"):
        fields.one_of("model", tuple(MODELS))
    if fields.has("tokens"):
        fields.whole("tokens", LEAST, MOST)
    fields.flag("grouped")


KINDS: Mapping[str, Kind] = {
    "numbers": Kind(("tokens", "q", "keys", "values", "d_k", "columns", "typed"), _numbers),
    "arcs": Kind(("sentence", "select", "data"), _arcs, _arcs_data),
    "cost": Kind(("model", "tokens", "grouped"), _cost),
}
