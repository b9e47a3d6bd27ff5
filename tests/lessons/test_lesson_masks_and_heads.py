"""The lesson on masks and heads: every number that stands in it is computed.

The tables of two heads of all-MiniLM-L6-v2 lie beside it; the test of attention-on-a-sentence says how they were made.
"""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from grader.reference import attention, causal_mask, merge_heads, multi_head_attention, softmax, split_heads
from softmark.lessons.variants import REFERENCES, shown
from softmark.lessons.variants.costs import LLAMA_3_1_8B
from softmark.lessons.written.folder import check_texts

NAME = "masks-and-heads.md"


@pytest.fixture(scope="module")
def folder(root: Path) -> Path:
    return root / "fixtures" / "lessons"


@pytest.fixture(scope="module")
def source(folder: Path) -> str:
    return (folder / NAME).read_text()


@pytest.fixture(scope="module")
def text(source: str) -> str:
    """In one line."""
    return re.sub(r"[ \n]+", " ", source)


def test_nothing_is_wrong_with_it(folder: Path, source: str) -> None:
    data = {path.name: path.read_bytes() for path in folder.glob("*.json")}
    checked = check_texts(NAME, source, data)
    assert checked.problems == ()
    assert [predict.id for predict in checked.lessons[0].predicts] == [
        "one-masked-row", "the-row-of-it", "how-many-hidden", "what-one-head-can-give", "cut-into-heads",
        "eight-for-one",
    ]  # fmt: skip


def test_the_drawn_mask(source: str) -> None:
    rows = [
        line.split()
        for line in source.splitlines()
        if line.split()[1:] and set(line.split()[1:]) <= {"o", "."}
    ]
    assert [row[0] for row in rows] == "the animal was tired".split()
    assert [[mark == "o" for mark in row[1:]] for row in rows] == causal_mask(4, 4).tolist()
    assert math.exp(-math.inf) == 0


def test_the_exercises(text: str) -> None:
    n = 1000
    assert f"A text of {shown(n)} tokens holds {n - 1} such exercises" in text
    assert f"run the model {n - 1} times" in text
    hidden = REFERENCES["hidden_pairs"]({"length": n}).facts
    assert (
        f"With {shown(n)} tokens it is {shown(hidden['hidden'])} of {shown(hidden['pairs'])} that are hidden"
        in text
    )


def test_nothing_up_to_it_knows_the_end() -> None:
    """Layers of causal attention with everything random: the same until the token that differs."""
    draw = np.random.default_rng(1)
    tired = draw.normal(size=(16, 8))
    wide = tired.copy()
    wide[13] = draw.normal(size=8)
    for causal in (True, False):
        one, other = tired, wide
        for layer in range(3):
            w = np.random.default_rng(layer).normal(size=(4, 8, 8)) / 2
            one, other = (x + multi_head_attention(x, *w, 2, causal=causal) for x in (one, other))
            same = np.isclose(one, other).all(axis=1).tolist()
            assert same == [causal and place < 13 for place in range(16)]


def test_a_leak_through_the_sum() -> None:
    """Masking after the softmax lets the hidden scores decide how much is left."""
    left = [softmax(np.array([1.0, 1, hidden]))[:2].sum() for hidden in (0, 5)]
    assert left[0] != pytest.approx(left[1])


def test_what_one_head_can_give(text: str) -> None:
    values = np.array([[8, 0], [0, 8]])
    for w, blend in ((0.5, [4, 4]), (0.25, [2, 6])):
        assert (np.array([w, 1 - w]) @ values).tolist() == blend
        assert f"With $w = {w}$ it is {blend}" in text or f"with $w = {w}$ it is {blend}" in text
    needed = {name: np.linalg.solve(values.T, blend) for name, blend in (("both", [8, 8]), ("more", [6, 6]))}
    assert needed["both"].tolist() == [1, 1]
    assert needed["more"].tolist() == [0.75, 0.75]
    assert needed["both"].sum() == 2
    assert "[8, 8] needs twice as much weight as there is" in text
    assert needed["more"].sum() == 1.5
    assert "[6, 6] would take a weight of 0.75 for each. That is 1.5 in a row" in text
    assert "[6, 6] one and a half times as much" in text
    assert all(sum(blend) == 8 for blend in ([4, 4], [2, 6]))


@pytest.mark.parametrize(
    ("head", "asks", "asked", "said"),
    [
        (8, "it", "was", "*it* gives the next token, *was*, {}"),
        (8, "it", "was", "leads to the next token, 'was', with a weight of {}"),
        (7, "it", "tired", "*it* gives *tired* {}"),
        (7, "it", "tired", "leads to 'tired', with a weight of {}"),
        (7, "cross", "street", "*cross* gives *street* {}"),
    ],
)
def test_two_heads_of_one_layer(folder: Path, text: str, head: int, asks: str, asked: str, said: str) -> None:
    data: dict[str, Any] = json.loads((folder / f"tired-layer-1-head-{head}.json").read_text())
    assert data["provenance"] == {"model": "all-MiniLM-L6-v2", "layer": 1, "head": head}
    (state,) = data["states"].values()
    rows, tokens = np.array(state["weights"]), state["tokens"]
    assert rows.sum(axis=1) == pytest.approx(1, abs=16 * 0.00005)
    row = rows[tokens.index(asks)]
    assert row.argmax() == tokens.index(asked)
    assert said.format(f"{row[tokens.index(asked)]:.2f}") in text
    if head == 8:
        follows = [rows[place, place + 1] for place in range(15)]
        assert sum(weight > 0.5 for weight in follows) > 15 / 2


def test_the_shapes(text: str) -> None:
    n, width, heads = 16, 384, 12
    x = np.arange(n * width, dtype=float).reshape(n, width)
    cut = split_heads(x, heads)
    d = cut.shape[-1]
    assert f"{width} / {heads} = {d} numbers" in text
    weights = softmax(cut @ cut.swapaxes(1, 2))
    blends = attention(cut, cut, cut)
    for step, array in (
        ("the tokens, `x`", x),
        ("cut into heads", cut),
        ("scores and weights, a table for each head", weights),
        ("the blends", blends),
        ("joined, side by side", merge_heads(blends)),
    ):
        assert f"| {step} | {array.shape} |" in text
    assert text.count(f"| {(n, width)} |") == 4
    length = n * d
    assert f"a stretch of {length} neighbouring numbers, all from two tokens" in text
    straight = x.reshape(heads, n, d)
    assert {len(set((each // width).ravel())) for each in straight} == {2}


def test_its_code(source: str) -> None:
    code = source.split("```python\n")[1].split("```")[0]
    scope: dict[str, Any] = {}
    exec(code, scope)
    x = np.random.default_rng(2).normal(size=(5, 12))
    assert (scope["split"](x, 4) == split_heads(x, 4)).all()


def test_eight_for_one(text: str) -> None:
    n, width, heads = 100, 512, 8
    d = width // heads
    assert (
        f"has one head that uses all {width} numbers. It is replaced by {heads} heads of {d} numbers" in text
    )
    assert f"{heads} × {d} = {heads * d}" in text
    assert heads * d == width
    assert f"{n} × {n} × {width} = {shown(n * n * width)} multiplications before" in text
    assert f"{heads} × {n} × {n} × {d} = {shown(heads * n * n * d)} after" in text
    assert f"{shown(heads * n * n)} weights in place of {shown(n * n)}" in text


def test_each_head_writes_through_its_strip() -> None:
    draw = np.random.default_rng(3)
    heads, w_o = draw.normal(size=(4, 5, 3)), draw.normal(size=(12, 7))
    strips = w_o.reshape(4, 3, 7)
    assert merge_heads(heads) @ w_o == pytest.approx(sum(h @ w for h, w in zip(heads, strips, strict=True)))


def test_grouped_heads(text: str) -> None:
    model = LLAMA_3_1_8B
    group = model.heads // model.kv_heads
    assert (
        f"there are {model.heads} heads of queries and {model.kv_heads} of keys and values, so {group} heads"
        in text
    )
    assert model.ungrouped.cache_bytes_per_token == group * model.cache_bytes_per_token
    assert f"kept for each token {group} times smaller" in text
