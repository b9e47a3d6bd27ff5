"""The reference for authors, docs/lessons.md: its examples are a lesson, and it names all that a lesson can name."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from softmark.lessons.questions import TYPES
from softmark.lessons.questions.grid import MOST_ROWS
from softmark.lessons.variants import GENERATORS, REFERENCES, Misgiven, all_variants
from softmark.lessons.written.data_files import MAX_BYTES
from softmark.lessons.written.folder import check_texts
from softmark.lessons.written.lesson import Widget
from softmark.lessons.written.lint import MAX_STOPS
from softmark.lessons.written.source import MAX_MINUTES
from softmark.lessons.written.widgets import KINDS, MAX_TOKENS

TOKENS = {"tokens": ["the", "river", "bank"], "token": "river", "values": {}}
# What each generator is to be given, for its references to find all that they need.
GIVEN: Mapping[str, Mapping[str, Any]] = {
    "small_integer_keys": TOKENS,
    "causal_scores": {"length": 4},
    "head_sizes": {},
    "rows_to_cut": {},
    "small_model": {"gigabytes": 5},
    "longer_text": {"model": "llama-3.1-8b"},
    "prompt_and_new": {},
    "shared_memory": {},
}


@pytest.fixture(scope="module")
def text(root: Path) -> str:
    return (root / "docs" / "lessons.md").read_text()


def examples(text: str, language: str) -> list[str]:
    return [found[2] for found in re.finditer(rf"^(`{{3,}}){language}\n(.*?)^\1$", text, re.M | re.S)]


def rows(text: str) -> dict[str, str]:
    """The rows of the page's tables by what they begin with; of those that begin alike, all of them."""
    found: dict[str, str] = {}
    for name, row in re.findall(r"^\| `([a-z_]+)` \|(.*)\|$", text, re.M):
        found[name] = found.get(name, "") + row
    return found


def section(text: str, of: str) -> str:
    """The text with the table that has this row."""
    at = text.index(f"\n| `{of}` |", text.index("### References"))
    return text[text.rindex("\n**", 0, at) : text.index("\n\n", at)]


def test_its_examples_are_a_lesson_with_one_of_everything(text: str) -> None:
    (table,) = examples(text, "json")
    data = {"tired-dark.json": table.encode(), "river.svg": b'<svg xmlns="http://www.w3.org/2000/svg"/>'}
    checked = check_texts("docs.md", "\n".join(examples(text, "markdown")), data)
    assert not checked.problems
    (lesson,) = checked.lessons
    assert {stop.values.value["type"] for stop in lesson.predicts} == set(TYPES)
    assert {block.kind for block in lesson.blocks if isinstance(block, Widget)} == set(KINDS)


def test_it_names_all_that_a_stop_and_a_widget_may_say(text: str) -> None:
    assert set(re.findall(r"^### ([a-z_]+)$", text, re.M)) == set(TYPES)
    for name, kind in TYPES.items():
        told = text.partition(f"### {name}\n")[2].partition("\n### ")[0]
        known = text if name == "matrix" else told  # it says: as a vector
        assert not [
            each for each in kind.settings_keys if f"`{each}" not in known and f"\n{each}: " not in known
        ]
    for name, widget in KINDS.items():
        told = text.partition(f"\n**{name}** ")[2]
        assert told
        assert not [each for each in widget.keys if f"\n{each}: " not in told]


def test_it_tells_the_limits(text: str) -> None:
    for limit in (
        f"1 to {MAX_MINUTES}", f"at most {MAX_STOPS} stops", f"at most {MAX_BYTES // 1024} KiB each",
        f"numbers there are, at most {MOST_ROWS}", f"at most {MAX_TOKENS} tokens",
    ):  # fmt: skip
        assert limit in text


def test_it_names_every_reference_and_generator(text: str) -> None:
    assert rows(text).keys() >= {*REFERENCES, *GENERATORS}


def reckoned() -> dict[str, tuple[set[str], set[str]]]:
    """By reference the facts and the mistakes that it has, as far as the generators lead to them."""
    found: dict[str, tuple[set[str], set[str]]] = {name: (set(), set()) for name in REFERENCES}
    for generator, given in GIVEN.items():
        for drawn in all_variants(generator, 8, given):
            tokens = drawn.get("tokens", ())
            for name, reference in REFERENCES.items():
                try:
                    said = reference(drawn)
                except Misgiven:
                    continue
                found[name][0].update(each for each in said.facts if each not in tokens)
                found[name][1].update(said.mistakes)
    return found


def test_it_tells_the_facts_and_mistakes_of_every_reference(text: str) -> None:
    for name, (facts, mistakes) in reckoned().items():
        told = section(text, name)
        assert facts, f"{name} is reckoned by none"
        assert not [each for each in facts if f"`{each}`" not in told], name
        row = rows(text)[name]
        same = "the same" in row.rpartition("|")[2] or name == "least_attended"
        assert not [each for each in mistakes if f"`{each}`" not in (told if same else row)], name
