"""Reading a lesson: its parts are cut before anything is rendered, and every fault has its line and its sentence."""

from __future__ import annotations

import re
import textwrap
import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from grader.assignment.model import Problems
from softmark.lessons.written.lesson import Lesson, Text, Widget
from softmark.lessons.written.source import MAX_CHARACTERS, read_lesson
from softmark.lessons.written.yaml_values import MAX_CHARACTERS as MAX_YAML
from softmark.lessons.written.yaml_values import read_yaml

LESSON = """\
---
id: query-key-value
title: Query, key, value
minutes: 15
summary: What a token asks, and what it is found by.
---
A {q} is matched with each {k}[key]; then {v} is handed over by {w}.

$$
\\frac{q \\cdot k}{\\sqrt{d}}
$$

| token | key |
| ----- | --- |
| *the* | [0, 0] |

```python
scores = q @ k.T
```

![A river beside a bank.](river.svg)

::::{predict} bank-least
---
type: token
tokens: [the, river, bank]
given: {q: [2, 2], keys: {the: [0, 0], river: [2, 0], bank: [1, 1]}, d_k: 4}
answer: {ref: least_attended}
variants: {gen: small_integer_keys, count: 20}
---
The query is {{ q }}, and *river* has the key {{ keys.river }}. Which token will **bank** listen to least?

:::{widget} numbers
---
tokens: [the, river, bank]
q: [2, 2]
keys:
  the: [0, 0]
  river: [2, 0]
  bank: [1, 1]
d_k: 4
columns: [score, scaled]
typed: [score]
alt: The table by hand, with a row for each token.
---
:::
+++ reveal
The scores are {{ scores }}: **{{ key }}** gets the smallest share. In code, `min({{ scores }})`.
+++ if answer=most-attended
The largest is not the smallest of {{ scores }}; that of *river* is {{ river.score }}.
::::

## What stands out

:::{widget} arcs
---
sentence: "The animal didn't cross the street because it was too {tired|wide}"
select: it
data: tired-wide.json
alt: "With 'tired', it attends more to animal; with 'wide', more to street."
---
:::

::::{predict} cost-of-a-token
---
type: number
answer: 131072
atol: 0
---
How many bytes does the cache keep for a token?
+++ reveal
Keys and values of eight heads in every layer.

:::{widget} cost
---
model: llama-3.1-8b
tokens: 8192
grouped: true
alt: The cost of a context against its length.
---
:::
::::

That is all.
"""

DATA = {
    "river.svg": b'<svg xmlns="http://www.w3.org/2000/svg"><path d="M0 0h9"/></svg>',
    "tired-wide.json": b"""{
  "provenance": {"model": "a small encoder", "layer": 3, "head": 1},
  "states": {
    "tired": {"tokens": ["animal", "it", "tired"], "weights": [[1, 0, 0], [0.68, 0.32, 0], [0, 0, 1]]},
    "wide": {"tokens": ["animal", "it", "wide"], "weights": [[1, 0, 0], [0.28, 0.72, 0], [0, 0, 1]]}
  }
}""",
}


def read(text: str) -> tuple[Lesson | None, list[str]]:
    problems = Problems()
    lesson = read_lesson("a.md", text, problems)
    return lesson, [str(problem) for problem in problems.sorted()]


def told(old: str, new: str) -> list[str]:
    """The faults of the lesson with one piece replaced."""
    assert old in LESSON
    return read(LESSON.replace(old, new, 1))[1]


def line_of(text: str, within: str = LESSON) -> int:
    return within[: within.index(text)].count("\n") + 1


# What is right


def test_everything_is_read() -> None:
    lesson, faults = read(LESSON)
    assert lesson is not None
    assert not faults
    assert (lesson.id, lesson.title, lesson.minutes) == ("query-key-value", "Query, key, value", 15)
    assert lesson.kind == "lesson"
    assert lesson.summary.startswith("What a token asks")
    assert len(lesson.parts) == 3
    first, second, last = lesson.parts
    assert first.predict is not None
    assert (first.predict.id, first.predict.line) == ("bank-least", line_of("::::{predict} bank"))
    assert [type(block) for block in first.predict.prompt] == [Text, Widget]
    (reveal,) = first.predict.reveal
    assert isinstance(reveal, Text)
    assert (reveal.source[:14], reveal.line) == ("The scores are", line_of("The scores are"))
    (branch,) = first.predict.branches
    assert (branch.answer, branch.line) == ("most-attended", line_of("+++ if"))
    heading, arcs = second.blocks
    assert isinstance(heading, Text)
    assert (heading.source, heading.line) == ("## What stands out", line_of("## What"))
    assert isinstance(arcs, Widget)
    assert (arcs.kind, arcs.data, arcs.line) == ("arcs", "tired-wide.json", line_of(":::{widget} arcs"))
    assert second.predict is not None
    assert [type(block) for block in second.predict.reveal] == [Text, Widget]
    assert last.predict is None
    assert lesson.predicts == (first.predict, second.predict)


def test_values_know_their_lines() -> None:
    lesson, _ = read(LESSON)
    assert lesson is not None
    values = lesson.predicts[0].values
    assert values.line("given", "keys", "river", 1) == line_of("given:")
    assert values.line("answer") == line_of("answer:")
    assert values.line("unheard") == line_of("type: token")


def test_line_ends_and_a_mark_of_order_make_no_difference() -> None:
    assert read("\ufeff" + LESSON.replace("\n", "\r\n")) == read(LESSON)


def test_words_of_a_sentence_are_no_truth_values() -> None:
    problems = Problems()
    values = read_yaml("tokens: [no, yes, on, 012, 1e3, 'true', true, ~, 1:30, 2026-01-01]", "a", 1, problems)
    assert values is not None
    assert values.value == {
        "tokens": ["no", "yes", "on", 12, 1000.0, "true", True, None, "1:30", "2026-01-01"]
    }
    assert not problems


# What is refused


@pytest.mark.parametrize(
    ("old", "new", "line", "sentence"),
    [
        ("---\nid: q", "id: q", 1, "A lesson begins with a line ---"),
        ("minutes: 15", "minutes: 0", 4, '"minutes" must be a whole number from 1 to 120'),
        ("id: query-key", "id: Query_key", 2, 'For example "query-key-value"'),
        ("title: Query, key, value", "titel: Query", 3, 'Did you mean "title"?'),
        ("title: Query, key, value", "title:", 3, 'The lesson: "title" is empty.'),
        ("title: Query, key, value", "title: 7", 3, '"title" must be text, not a number'),
        ("title: Query, key, value", "title: a\ntitle: b", 4, '"title" is there twice'),
        ("title: Query, key, value", "title: &a b", 3, "Anchors (&) and aliases (*)"),
        ("title: Query, key, value", "title: *a", 3, "Anchors (&) and aliases (*)"),
        ("title: Query, key, value", "title: !!python/name:os.system x", 3, "Tags (!)"),
        ("title: Query, key, value", "title: a: b", 3, "Text with a colon needs quotes"),
        ("title: Query, key, value", "\ttitle: a", 3, "Indent with spaces, not with a tab."),
        ("title: Query, key, value", "title: @a", 3, "Text that begins with such a sign needs quotes."),
        (
            "title: Query, key, value",
            "title: [a",
            4,
            "A bracket that opens has to be closed",
        ),
        (
            "title: Query, key, value",
            'title: "a',
            5,
            "A quotation mark that opens has to be closed.",
        ),
        ("title: Query, key, value", "title a", 4, "After a name comes a colon and a space."),
        ("minutes: 15", "minutes: 1e999", 4, "too large"),
        ("title: Query, key, value", r'title: "a\uD83D"', 3, "half a character"),
        ("title: Query, key, value", r'title: "\uD83D\uDE00"', 3, "half a character"),
        ("title: Query, key, value", r'"titl\uDC00": a', 3, "half a character"),
        ("title: Query, key, value", r'title: "\U00110000"', 2, "a character that YAML does not allow"),
        ("title: Query, key, value", r'title: "\UFFFFFFFF"', 2, "a character that YAML does not allow"),
        (
            "tokens: [the, river, bank]\ngiven",
            r'tokens: ["a\uD83D", b]' + "\ngiven",
            "tokens:",
            "half a character",
        ),
        (
            "tokens: [the, river, bank]\nq",
            r'tokens: ["a\uD83D", b]' + "\nq",
            "tokens: [the, river, bank]\nq",
            "half a",
        ),
        ("given: {q", r'given: {word: "\uD83D", q', "given:", "half a character"),
        (
            "minutes: 15",
            "minutes: 15\nkind: quizz",
            5,
            '"kind" is "quizz", which is not known. Did you mean "quiz"?',
        ),
        ("::::{predict} bank-least", ":::: {predict}", "::::{predict} bank", "A stop needs a name"),
        ("::::{predict} bank-least", "::::{predict} Bank", "::::{predict} bank", 'cannot be called "Bank"'),
        ("::::{predict} bank-least", "::::predict bank-least", "::::{predict} bank", "This is no directive"),
        ("::::{predict} bank-least", "::{predict} bank-least", "::::{predict} bank", "three or more colons"),
        (":::{widget} arcs", ":::{wigdet} arcs", ":::{widget} arcs", 'Did you mean "widget"?'),
        (":::{widget} arcs", "- :::{widget} arcs", ":::{widget} arcs", "on a line of its own"),
        (":::{widget} arcs", " :::{widget} arcs", ":::{widget} arcs", "without a space before them"),
        ("+++ reveal", "++ reveal", "+++ reveal", "with three +"),
        ("+++ reveal", "+++ revael", "+++ reveal", "After +++ comes reveal"),
        ("+++ reveal\nThe", "+++ reveal\n+++ reveal\nThe", "+++ reveal", 'Nothing stands under "+++ reveal"'),
        ("+++ reveal\nThe", "The", "::::{predict} bank", "This stop has no reveal"),
        ("+++ if answer=most-attended", "+++ if answer=", "+++ if", "After +++ comes reveal, or if answer=…"),
        ("That is all.", "+++ reveal", "That is all.", "has its place in a stop only"),
        ("That is all.", ":::", "That is all.", "close nothing that is open"),
        (
            "That is all.",
            "```\nThat",
            "That is all.",
            "The block of code that begins here is not closed before line",
        ),
        ("d_k: 4\ncolumns", "columns: [a\nd_k", "keys:\n  the", "This is not valid YAML"),
        ("That is all.", "a\x1b[31m", "That is all.", "a control character"),
        ("That is all.", "a\u2028b", "That is all.", "a control character"),
    ],
)
def test_a_fault_is_told_with_its_line(old: str, new: str, line: int | str, sentence: str) -> None:
    faults = told(old, new)
    number = line if isinstance(line, int) else line_of(line)
    if "not valid YAML" in sentence and isinstance(line, str):  # where YAML noticed it
        assert any(sentence in fault for fault in faults)
    else:
        assert any(fault.startswith(f"a.md:{number}: ") and sentence in fault for fault in faults), faults


def test_a_stop_that_is_not_closed() -> None:
    faults = told("::::\n\n## What", "\n\n## What")
    assert any(
        fault.startswith(f"a.md:{line_of('::::{predict} bank')}: This stop is not closed before the next")
        for fault in faults
    )
    faults = told("::::\n\nThat is all.", "That is all.")
    assert f"a.md:{line_of('::::{predict} cost')}: This stop is not closed. End it with a line ::::" in faults


def test_values_that_do_not_end() -> None:
    faults = told('to street."\n---', 'to street."')
    assert f"a.md:{line_of(':::{widget} arcs') + 1}: The --- that ends these values is missing." in faults
    _, faults = read("---\nid: a\n")
    assert "a.md:1: The --- that ends the values at the top is missing." in faults


def test_a_lesson_without_a_stop() -> None:
    _, faults = read("---\nid: a\ntitle: A\nminutes: 1\n---\nText.\n")
    assert faults == ["a.md: This lesson has no stop. Add at least one ::::{predict}."]


def test_a_directive_in_a_block_of_code_is_one_all_the_same() -> None:
    """A stop that the author took for code would hand over all that stands behind it."""
    lesson, faults = read(LESSON.replace("::::{predict} bank", "```\n::::{predict} bank", 1))
    assert lesson is not None
    assert len(lesson.parts) == 3
    assert any("not closed before line" in fault for fault in faults)


IN_CODE = "A line that begins with ::: or +++ is read as a directive, also in a block of code."


@pytest.mark.parametrize(
    "line", [":::", "::::", "+++ b/file.py", "+++", "::: note", ":::{widget} arcs", "::::{predict} a"]
)
@pytest.mark.parametrize("before", ["That is all.", "Keys and values of", "How many bytes"])
def test_a_directive_in_a_block_of_code_that_ends_is_told_once(before: str, line: str) -> None:
    (fault,) = told(before, f"```\n{line}\n```\n\n{before}")
    assert fault.startswith(f"a.md:{line_of(before) + 1}: {IN_CODE}")


@pytest.mark.parametrize("line", ["++i;", "  ++i;", "::after", "a::b"])
def test_two_signs_in_a_block_of_code_are_code(line: str) -> None:
    assert told("That is all.", f"```\n{line}\n```\n\nThat is all.") == []


def test_a_line_below_a_directive_is_no_value_there() -> None:
    """A rule stands under a stop, and another within a block of code."""
    code = "\n---\n\n```\n---\n```\n\n:::{widget} cost\n---\nalt: The costs\n---\n:::\n\n```\nx\n```\n"
    assert told("::::\n\nThat is all.", f"::::\n{code}\nThat is all.") == []


def test_signs_of_code_within_values_begin_no_block() -> None:
    text = LESSON.replace("alt: The table", "note: |\n  ```\nalt: The table").replace(
        "atol: 0", "note: |\n  ```\natol: 0"
    )
    assert read(text)[1] == []


@pytest.mark.parametrize("indent", ["  ", "    "])
@pytest.mark.parametrize("name", ["::::{predict} cost-of-a-token", ":::{widget} arcs"])
def test_a_directive_that_is_indented_is_told_of_its_first_line(name: str, indent: str) -> None:
    start = LESSON.index(name)
    end = LESSON.index("\n" + name.partition("{")[0] + "\n", start)
    block = LESSON[start : LESSON.index("\n", end + 1)]
    faults = told(block, textwrap.indent(block, indent))
    assert len(faults) == block.count("::{")
    assert all("begins with three or more colons, without a space" in fault for fault in faults)


# Nothing makes it fail, or slow


@settings(max_examples=200)
@given(st.text(max_size=400))
@example("---")
@example("---\n---")
@example("::::{predict} a\n---")
@example("::::{predict}")
@example("---\n? [a]\n: b\n---")
@example("---\n- a\n---\n::::{predict} a\n---\n{\n---\n+++ reveal\n::::")
def test_any_text_is_read(text: str) -> None:
    read(text)


PIECES = [
    "---", "::::{predict} one", "::::{predict} two", ":::{widget} arcs", ":::", "::::", ":::::", "+++ reveal",
    "+++ if answer=most-attended", "type: token", "tokens: [a, b]", "answer: a", "Text", "", "```", "    :::",
    "> +++ reveal", "<!--", "-->", "[x]: http://example.org", "[x]", "# T", "id: a", "title: A", "minutes: 5",
    "$$", "{{ key }}", "{predict} three", ":::{widget}", "alt: words of it", "&a [*a]",
]  # fmt: skip


@settings(max_examples=200)
@given(st.lists(st.sampled_from(PIECES), max_size=40))
def test_any_pieces_are_read(lines: list[str]) -> None:
    lesson, faults = read("\n".join(lines))
    assert lesson is not None or faults


@pytest.mark.parametrize(
    "text",
    [
        "x" * (MAX_CHARACTERS + 1),
        "\n".join(["::::{predict} a"] * 2_000),
        "---\n" + "[" * 15_000 + "\n---\n",
        "---\n" + "a: {" * 4_000 + "\n---\n",
        "---\n" + "a" * (MAX_YAML + 1) + "\n---\n",
        "---\nx: " + "9" * 15_000 + "\n---\n",
        "---\nx: &a [" + ",".join(["*a"] * 3_000) + "]\n---\n",
        ":" * 150_000,
        "{" * 150_000,
        "> " * 50_000 + ":::{widget}",
    ],
    ids=lambda text: re.sub(r"\s+", " ", text)[:12],
)
def test_size_is_capped(text: str) -> None:
    started = time.process_time()
    _, faults = read(text)
    assert faults
    assert time.process_time() - started < 5
