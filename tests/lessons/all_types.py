"""A lesson with a stop of each type, for tests of pages; canaries stand where only a commit leads."""

from __future__ import annotations

STOPS = (
    "a-number", "a-vector", "a-matrix", "a-choice", "some-choices", "an-order", "a-token", "an-output", "some-words",
)  # fmt: skip

ALL_TYPES = """\
---
id: all-types
title: All the types
minutes: 1
summary: One of each.
---
Words to begin with.

:::{widget} numbers
---
tokens: [the, river]
q: [2, 2]
keys: {the: [0, 0], river: [2, 0]}
values: {the: [0, 0], river: [4, 0]}
d_k: 4
alt: The table by hand, with two tokens.
---
:::

::::{predict} a-number
---
type: number
answer: 3
atol: 0
---
How many?
+++ reveal
Three of them, canary-a-number-end.
::::

## Next

::::{predict} a-vector
---
type: vector
shape: 2
answer: [1, 2]
atol: 0
---
Which row?
+++ reveal
The row canary-a-vector-end.
::::

::::{predict} a-matrix
---
type: matrix
shape: [2, 2]
answer: [[1, 2], [3, 4]]
atol: 0
---
Which rows?
+++ reveal
The rows canary-a-matrix-end.
::::

::::{predict} a-choice
---
type: choice
options: {one: The *first*, two: The second}
answer: two
---
Which one?
+++ reveal
The canary-a-choice-end.
+++ if answer=one
Not that, canary-branch-end.
::::

::::{predict} some-choices
---
type: choices
options: {one: The first, two: The second, three: The third}
answer: [one, two]
---
Which ones?
+++ reveal
Those of canary-some-choices-end.
::::

::::{predict} an-order
---
type: order
items: {low: The low one, high: The high one, odd: The odd one}
answer: [low, high]
---
In which order?
+++ reveal
As in canary-an-order-end.
::::

::::{predict} a-token
---
type: token
tokens: [the, river, bank]
answer: river
---
Which token?
+++ reveal
Wet canary-a-token-end.
::::

::::{predict} an-output
---
type: output
snippet: |
  for i in range(2):
      print(i)
answer: |
  0
  1
---
What does it print?
+++ reveal
Both lines, canary-an-output-end.
::::

::::{predict} some-words
---
type: free_text
model: A model of an answer, canary-model-end.
ideas: [canary-idea-end, another idea, a third idea]
---
Say it in your own words.
+++ reveal
Thank you, canary-some-words-end.
::::

::::{widget} cost
---
tokens: 200000
grouped: true
alt: The cost of a context against its length.
---
::::

The end, canary-last-part-end.
"""
