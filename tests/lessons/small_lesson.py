"""A small lesson for tests, with a word of its own in everything that can be told apart: a canary.

Where a canary stands is its name: part-1, reveal-how-many, branch-how-many, key-what-prints, data-2 and so on.
"""

from __future__ import annotations

STOPS = ("how-many", "which-one", "what-prints")


def canary(where: str, edit: int = 0) -> str:
    return f"canary-{edit}-{where}-end"


def small_data(edit: int = 0) -> dict[str, bytes]:
    """A picture in part 2 and one behind the last stop."""
    return {
        f"{name}.svg": f'<svg xmlns="http://www.w3.org/2000/svg"><desc>{canary(where, edit)}</desc></svg>'.encode()
        for name, where in (("second", "data-2"), ("last", "data-4"))
    }


def small_lesson(
    edit: int = 0, *, id: str = "listening", title: str = "Listening", extra: bool = False
) -> str:
    """The text of a lesson of three stops, or with another behind them."""
    return f"""\
---
id: {id}
title: {title}
minutes: 5
---
Words {canary("part-1", edit)}.

::::{{predict}} how-many
---
type: number
given: {{}}
answer: 7
atol: 0
---
How many are there?
+++ reveal
They are {{{{ key }}}} {canary("reveal-how-many", edit)}.
+++ if answer=8
One too many {canary("branch-how-many", edit)}.
::::

More {canary("part-2", edit)}.

![A picture.](second.svg)

::::{{predict}} which-one
---
type: choice
options: {{first: The former, second: The latter, third: Neither}}
answer: second
---
Which one?
+++ reveal
It was that one {canary("reveal-which-one", edit)}.
::::

Yet more {canary("part-3", edit)}.

::::{{predict}} what-prints
---
type: output
snippet: print(word)
answer: {canary("key-what-prints", edit)}
---
What does it print?
+++ reveal
It prints its word {canary("reveal-what-prints", edit)}.
::::
{_EXTRA if extra else ""}
The end {canary("part-4", edit)}.

![Another picture.](last.svg)
"""


_EXTRA = """
::::{predict} in-your-words
---
type: free_text
model: A model answer, canary-0-model-end.
ideas: [one idea canary-0-idea-end, another idea, a third idea]
---
Say it in your own words.
+++ reveal
Thank you.
::::
"""
