"""A lesson of all question types and widgets with a word of its own, a canary, in everything that is withheld."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tests.lessons.small_lesson import canary

Form = Mapping[str, Any]


@dataclass(frozen=True)
class Step:
    """A stop: what may be seen once it waits, how it is answered, and what that opens beside the part that follows.

    answer: the fields of its form; it is given a function from the text of an option to its opaque id.
    """

    stop: str
    waits: frozenset[str]
    answer: Callable[[Callable[[str], str]], Form]
    opens: frozenset[str]


def _step(stop: str, waits: str, opens: str, answer: Callable[[Callable[[str], str]], Form]) -> Step:
    return Step(stop, frozenset(waits.split()), answer, frozenset(opens.split()))


STEPS = (
    _step("a-number", "part-1", "reveal-a-number branch-a-number", lambda _: {"answer": "8", "sure": "4"}),
    _step("a-vector", "part-2 alt-numbers", "reveal-a-vector", lambda _: {"answer": ["1", "2"]}),
    _step("a-matrix", "part-3", "reveal-a-matrix", lambda _: {"pasted": "[[1, 2], [3, 4]]"}),
    _step("a-choice", "part-4 picture", "reveal-a-choice", lambda id_of: {"answer": id_of("The second")}),
    _step("some-choices", "part-5", "reveal-some-choices",
        lambda id_of: {"answer": [id_of("The first"), id_of("The third")]}),
    _step("an-order", "part-6 alt-arcs data-arcs", "reveal-an-order",
        lambda id_of: {"place": [id_of("The low one"), id_of("The high one"), ""]}),
    _step("a-token", "part-7", "reveal-a-token", lambda id_of: {"answer": id_of("river")}),
    _step("an-output", "part-8", "reveal-an-output key-an-output", lambda _: {"answer": "something else"}),
    _step("some-words", "part-9", "reveal-some-words model idea",
        lambda _: {"answer": "Some words of my own, several of them."}),
)  # fmt: skip
LAST = frozenset({"part-10", "alt-cost", "last-picture"})
NEVER = frozenset({"branch-a-choice"})  # for an answer that is not given

_ARCS = {
    "provenance": "illustrative",
    "states": {"": {"tokens": ["it", canary("data-arcs")], "weights": [[0.25, 0.75], [0.5, 0.5]]}},
}


def planted_data() -> dict[str, bytes]:
    pictures = {
        name: f'<svg xmlns="http://www.w3.org/2000/svg"><desc>{canary(where)}</desc></svg>'.encode()
        for name, where in (("picture.svg", "picture"), ("last.svg", "last-picture"))
    }
    return {**pictures, "arcs.json": json.dumps(_ARCS).encode()}


def planted_lesson() -> str:
    return f"""\
---
id: planted
title: All that is withheld
minutes: 5
---
Words {canary("part-1")}.

::::{{predict}} a-number
---
type: number
answer: 7
atol: 0
---
How many?
+++ reveal
So many {canary("reveal-a-number")}.
+++ if answer=8
One too many {canary("branch-a-number")}.
::::

## A heading {canary("part-2")}

:::{{widget}} numbers
---
tokens: [the, river]
q: [2, 2]
keys: {{the: [0, 0], river: [2, 0]}}
values: {{the: [0, 0], river: [4, 0]}}
d_k: 4
alt: The table by hand {canary("alt-numbers")}.
---
:::

::::{{predict}} a-vector
---
type: vector
shape: 2
answer: [1, 2]
atol: 0
---
Which row?
+++ reveal
The row {canary("reveal-a-vector")}.
::::

Words {canary("part-3")}.

::::{{predict}} a-matrix
---
type: matrix
shape: [2, 2]
answer: [[1, 2], [3, 4]]
atol: 0
---
Which rows?
+++ reveal
The rows {canary("reveal-a-matrix")}.
::::

Words {canary("part-4")}.

![A picture.](picture.svg)

::::{{predict}} a-choice
---
type: choice
options: {{one: The first, two: The second}}
answer: two
---
Which one?
+++ reveal
The second {canary("reveal-a-choice")}.
+++ if answer=one
Not that {canary("branch-a-choice")}.
::::

Words {canary("part-5")}.

::::{{predict}} some-choices
---
type: choices
options: {{one: The first, two: The second, three: The third}}
answer: [one, two]
---
Which ones?
+++ reveal
Those {canary("reveal-some-choices")}.
::::

Words {canary("part-6")}.

:::{{widget}} arcs
---
sentence: "it {canary("data-arcs")}"
select: it
data: arcs.json
alt: Where it looks {canary("alt-arcs")}.
---
:::

::::{{predict}} an-order
---
type: order
items: {{low: The low one, high: The high one, odd: The odd one}}
answer: [low, high]
---
In which order?
+++ reveal
So {canary("reveal-an-order")}.
::::

Words {canary("part-7")}.

::::{{predict}} a-token
---
type: token
tokens: [the, river, bank]
answer: river
---
Which token?
+++ reveal
Wet {canary("reveal-a-token")}.
::::

Words {canary("part-8")}.

::::{{predict}} an-output
---
type: output
snippet: print(word)
answer: {canary("key-an-output")}
---
What does it print?
+++ reveal
Its word {canary("reveal-an-output")}.
::::

Words {canary("part-9")}.

::::{{predict}} some-words
---
type: free_text
model: A model {canary("model")}.
ideas: [An idea {canary("idea")}, another idea, a third idea]
---
Say it in your own words.
+++ reveal
Thank you {canary("reveal-some-words")}.
::::

The end {canary("part-10")}.

:::{{widget}} cost
---
tokens: 200000
alt: The cost of a context {canary("alt-cost")}.
---
:::

![Another picture.](last.svg)
"""
