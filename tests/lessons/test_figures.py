"""Widgets: what they read as without a script, and what they hand over to one."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from grader.assignment.model import Problems
from softmark.lessons.variants import Misgiven
from softmark.lessons.variants.by_hand import COLUMNS, by_hand
from softmark.lessons.written.figures import Figure, figure_of
from softmark.lessons.written.folder import check_texts
from softmark.lessons.written.lesson import Widget
from softmark.lessons.written.source import read_lesson
from softmark.lessons.written.yaml_values import Located

TOKENS = {
    "tokens": ["the", "river", "bank"],
    "q": [2, 2],
    "keys": {"the": [0, 0], "river": [2, 0], "bank": [1, 1]},
    "values": {"the": [0, 0], "river": [4, 0], "bank": [0, 4]},
    "d_k": 4,
}
STATE = {"tokens": ["it", "was"], "weights": [[0.25, 0.75], [0.9, 0.1]]}


def figure(kind: str, file: dict[str, Any] | None = None, **values: Any) -> Figure:
    files = {"d.json": json.dumps(file).encode()} if file else {}
    return figure_of(Widget(kind, Located({"alt": "Some words.", **values}), 1), files)


class TestByHand:
    def test_each_column_comes_from_those_before(self) -> None:
        score, scaled, exp, share, blend = by_hand(TOKENS)
        assert (score.name, scaled.name, exp.name, share.name, blend.name) == COLUMNS
        assert [cell.said for cell in score.cells] == [
            "0 = 2 · 0 + 2 · 0", "4 = 2 · 2 + 2 · 0", "4 = 2 · 1 + 2 · 1",
        ]  # fmt: skip
        assert scaled.cells[1].said == "2 = 4 / 2"
        assert exp.cells[1].said == "7.39 = exp(2)"
        assert share.cells[1].said == "0.47 = 7.39 / (1 + 7.39 + 7.39)"
        assert blend.cells[1].said == "[1.87, 0] = 0.47 · [4, 0]"
        assert blend.total is not None
        assert blend.total.said == "[1.87, 1.87] = [0, 0] + [1.87, 0] + [0, 1.87]"
        assert exp.total is not None
        assert exp.total.said == "15.78 = 1 + 7.39 + 7.39"
        assert share.total is not None
        assert (share.total.text, share.total.numbers) == ("1", (1,))
        assert (score.total, scaled.total) == (None, None)

    def test_numbers_stay_as_they_are(self) -> None:
        columns = {column.name: column for column in by_hand(TOKENS)}
        assert columns["exp"].cells[1].numbers == (math.exp(2),)
        assert math.fsum(share.numbers[0] for share in columns["share"].cells) == pytest.approx(1, abs=1e-12)

    def test_signs_and_what_is_left_out(self) -> None:
        without = {name: value for name, value in TOKENS.items() if name != "values"}
        columns = by_hand(without | {"q": [2, -1], "columns": ["share", "score", "blend"]})
        assert [column.name for column in columns] == ["score", "share"]
        assert [column.total is None for column in by_hand(TOKENS | {"columns": ["exp"]})] == [True]
        assert columns[0].cells[2].said == "1 = 2 · 1 + (−1) · 1"
        assert columns[1].cells[0].said.endswith("= exp(0) / (exp(0) + exp(2) + exp(0.5))")

    def test_the_slack_takes_rounding_and_no_mistake(self) -> None:
        columns = {column.name: column for column in by_hand(TOKENS)}
        (part, _), (slack, _) = columns["blend"].cells[1].numbers, columns["blend"].cells[1].slack
        for taken in (1.873, 1.87, 0.47 * 4):
            assert abs(taken - part) <= slack
        for refused in (2, 1.9, 1.8, 0.47):
            assert abs(refused - part) > slack
        (share,), (slack,) = columns["share"].cells[0].numbers, columns["share"].cells[0].slack
        assert abs(0.06 - share) <= slack < abs(0.05 - share)
        assert columns["score"].cells[0].slack == (0.005,)

    @pytest.mark.parametrize("key", [400, 700, -700, 10**6])
    def test_what_nobody_can_read(self, key: int) -> None:
        given = {"tokens": ["a"], "q": [10], "keys": {"a": [key]}}
        with pytest.raises(OverflowError):
            by_hand(given)
        assert figure("numbers", **given).tables == ()
        assert figure("numbers", **given).alt == "Some words."

    def test_what_does_not_fit(self) -> None:
        with pytest.raises(Misgiven):
            by_hand(TOKENS | {"d_k": 1})


class TestNumbers:
    def test_what_is_typed_is_folded_away(self) -> None:
        seen = figure("numbers", **TOKENS, typed=["blend"])
        first, second = seen.tables
        assert first.head == ("Token", "Key", "Value", "Score", "÷ √d", "exp", "Share")
        assert first.rows[1] == ("river", ("[2, 0]", "[4, 0]", "4", "2", "7.39", "0.47"))
        assert (first.folded, second.folded) == (False, True)
        assert second.rows[-1] == ("Sum", ("[1.87, 1.87]",))
        assert [column["typed"] for column in seen.values["columns"]] == [False] * 4 + [True]

    def test_the_whole_table(self) -> None:
        (table,) = figure("numbers", **TOKENS).tables
        assert table.rows[2] == ("bank", ("[1, 1]", "[0, 4]", "4", "2", "7.39", "0.47", "[0, 1.87]"))
        assert table.rows[3] == ("Sum", ("", "", "", "", "15.78", "1", "[1.87, 1.87]"))
        assert table.title == "The query is [2, 2], and √d is 2."


class TestArcs:
    def test_one_state(self) -> None:
        data = {"provenance": "illustrative", "states": {"so": STATE}}
        seen = figure("arcs", data, sentence="it was", select="was", data="d.json")
        assert seen.values == {"select": 1, "states": [{"name": "so", **STATE}]}
        assert seen.tables[0].rows == (("it", ("0.90",)), ("was", ("0.10",)))
        assert seen.note == "The weights are made up, for illustration."

    def test_two_states_and_their_model(self) -> None:
        other = {"tokens": ["it", "is"], "weights": [[0.5, 0.5], [0.5, 0.5]]}
        data = {"provenance": {"model": "m", "layer": 3, "head": 1}, "states": {"a": STATE, "b": other}}
        seen = figure("arcs", data, sentence="it {a|b}", select="it", data="d.json")
        assert seen.tables[0].rows[1] == ("was / is", ("0.75", "0.50"))
        assert [table.folded for table in seen.tables] == [False, True, True]
        assert seen.note == "Weights of m, layer 3, head 1, both counted from 0."

    def test_without_its_file(self) -> None:
        assert figure("arcs", sentence="it", select="it", data="d.json") == Figure("Some words.")


class TestCost:
    def test_a_length(self) -> None:
        seen = figure("cost", model="llama-3.1-8b", tokens=8192)
        assert [cells[0] for _, cells in seen.tables[0].rows] == [
            "131\u202f072 bytes", "1.07\u202fGB (1\u202fGiB)", "1.76 × 10¹³", "1.14 × 10¹⁴", "13\u00a0%",
            "53\u202f248 tokens",
        ]  # fmt: skip
        assert seen.note == ""
        assert seen.tables[1].rows[-1][1][0] == "131\u202fGB (122\u202fGiB)"

    def test_past_the_context(self) -> None:
        assert "made for 131\u202f072 tokens" in figure("cost", tokens=131_073).note
        assert figure("cost", tokens=131_072).note == ""
        assert "made for 1024 tokens" in figure("cost", model="gpt-2-small", tokens=2000).note

    def test_the_coefficients(self) -> None:
        """A script multiplies these, and knows no formula."""
        llama, gpt = figure("cost").values["models"]
        shared, every = llama["groupings"]
        assert shared == {
            "heads": 8, "bytes": 131_072, "attention": 262_144, "other": 13_958_643_712, "crossover": 53_248.0,
        }  # fmt: skip
        assert (every["heads"], every["bytes"], every["attention"]) == (32, 512 * 1024, 262_144)
        assert [each["bytes"] for each in gpt["groupings"]] == [36_864]
        assert llama["context"] == 131_072


def test_a_name_is_of_what_is_shown_and_of_nothing_else() -> None:
    first, second = figure("numbers", **TOKENS), figure("numbers", **TOKENS, typed=["blend"])
    assert first.name == figure("numbers", **TOKENS).name
    assert first.name != second.name
    assert first.name.startswith("numbers-")


def test_what_is_handed_over_is_json(root: Path) -> None:
    """Of all that the demo course shows."""
    folder = root / "fixtures" / "lessons"
    data = {path.name: path.read_bytes() for path in folder.glob("*.json")}
    lessons = [read_lesson(path.name, path.read_text(), Problems()) for path in sorted(folder.glob("*.md"))]
    figures = [
        figure_of(block, data)
        for lesson in lessons
        if lesson
        for block in lesson.blocks
        if isinstance(block, Widget)
    ]
    assert {each.kind for each in figures} == {"numbers", "arcs", "cost"}
    for each in figures:
        assert each.tables
        assert json.loads(json.dumps(each.values, allow_nan=False))


WRITTEN = """---
id: small
title: Small
minutes: 1
---
Words.

:::{widget} numbers
---
tokens: [the, river, bank]
q: [2, 2]
keys: {the: [0, 0], river: [2, 0], bank: [1, 1]}
values: {the: [0, 0], river: [4, 0], bank: [0, 4]}
d_k: 4
typed: TYPED
alt: ALT
---
:::
"""


def widgets_faults(text: str) -> list[str]:
    sentences = (problem.sentence for problem in check_texts("small.md", text, {}).problems)
    return [sentence for sentence in sentences if sentence.startswith("The widget")]


@pytest.mark.parametrize(
    ("typed", "alt", "told"),
    [
        ("[blend]", "The blend is [1.87, 1.87].", "1.87"),
        ("[blend]", "A part is 1.873.", "1.873"),
        ("[share]", "The shares are 0.06 and more.", "0.06"),
        ("[exp, share]", "The power is 7.39.", "7.39"),
        ("[blend]", "The power is 7.39, the share 0.47.", ""),
        ("[score]", "Scores of 4, and 2 more.", ""),  # they stand among the values, too
        ("[exp]", "A table of 3 tokens and 12 numbers in 2026.", ""),
    ],
)
def test_the_text_does_not_say_what_is_to_be_typed(typed: str, alt: str, told: str) -> None:
    text = WRITTEN.replace("TYPED", typed).replace("ALT", f'"{alt}"')
    said = widgets_faults(text)
    expected = f'The widget "numbers": "alt" says "{told}", which is to be typed here. Leave it out.'
    assert said == ([expected] if told else [])


def test_powers_that_nobody_can_read_are_refused() -> None:
    text = WRITTEN.replace("TYPED", "[score]").replace("ALT", "A table.").replace("[1, 1]", "[10000, 1]")
    (said,) = widgets_faults(text)
    assert "beyond all that can be shown" in said


def test_a_table_of_numbers_that_cannot_be_shown() -> None:
    assert figure("numbers", **TOKENS, columns=["score"]).tables
    for far in (1e-301, 1e301, math.inf):
        assert figure("numbers", **{**TOKENS, "q": [far, 0]}, columns=["score"]) == Figure("Some words.")


@pytest.mark.parametrize("tokens", [1e-320, 1e301, 0.5, -1, True, "8192", [8192]])
def test_costs_at_no_length(tokens: Any) -> None:
    assert figure("cost", tokens=tokens) == Figure("Some words.")


def test_what_the_table_works_out_is_no_answer_of_a_later_stop() -> None:
    values = "type: number\nanswer: 1.873\natol: 0.01"
    stop = f"\n::::{{predict}} how-much\n---\n{values}\n---\nHow much?\n+++ reveal\nSo much.\n::::\n"
    text = WRITTEN.replace("TYPED", "[blend]").replace("ALT", "A table.") + stop
    assert not check_texts("small.md", text.replace("1.873", "5.873"), {}).problems
    (problem,) = check_texts("small.md", text, {}).problems
    assert "the answer of the stop" in problem.sentence
