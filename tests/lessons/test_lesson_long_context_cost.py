"""Every number that stands in the lesson on long contexts is the one that comes out."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from grader.reference import causal_mask
from softmark.lessons.questions.numerals import shown_number as spelled
from softmark.lessons.variants import REFERENCES
from softmark.lessons.variants.costs import GPT_2_SMALL, LLAMA_3_1_8B, Model
from softmark.lessons.written.folder import check_texts

FILE = Path(__file__).parents[2] / "fixtures" / "lessons" / "long-context-cost.md"
SOURCE = FILE.read_text(encoding="utf-8")
TEXT = re.sub(r"[ \n\u00a0]+", " ", SOURCE)  # a narrow space, as in large numbers, stays

LLAMA, D = LLAMA_3_1_8B, LLAMA_3_1_8B.width
BOOK, CHAPTER, MILLION = 131_072, 4_096, 1_000_000
VOCABULARY = 128_256  # of Llama-3.1; each token has a row in two tables
WEIGHTS = LLAMA.weights + 2 * VOCABULARY * D


def says(*fragments: str) -> None:
    for fragment in fragments:
        assert fragment in TEXT, fragment


def of_width(number: int, model: Model = LLAMA) -> int:
    """How many times the square of the width: exactly."""
    times = Fraction(number, model.width**2)
    assert times.denominator == 1
    return int(times)


def matrices(model: Model) -> int:
    """Operations of the matrices for a token in one layer."""
    return model.other_flops(1) // model.layers


def test_nothing_is_wrong_with_it() -> None:
    checked = check_texts(FILE.name, SOURCE, {})
    assert not checked.problems
    assert checked.lessons[0].id == FILE.stem
    assert [stop.id for stop in checked.lessons[0].predicts] == [
        "pairs-of-a-longer-text",
        "where-attention-overtakes",
        "chapter-and-book",
        "conversations-on-a-card",
        "what-blocks-save",
    ]


def test_pairs() -> None:
    pairs = int(causal_mask(4, 4).sum())
    assert pairs == 1 + 2 + 3 + 4
    says(f"1 + 2 + 3 + 4 = {pairs} pairs", f"half of 4 × 4 = {4 * 4}", "very close to $n^2 / 2$")
    for given in ({"length": 500, "factor": 10}, {"length": 500, "factor": 3}):
        before, after = (
            int(n) * (int(n) + 1) // 2 for n in (given["length"], given["length"] * given["factor"])
        )
        assert after / before == pytest.approx(REFERENCES["longer_context"](given).key, rel=0.02)


def test_the_two_lines() -> None:
    half = of_width(LLAMA.weights // LLAMA.layers)
    pairs = LLAMA.attention_flops_per_pair // LLAMA.layers
    heads = LLAMA.heads * LLAMA.head_width
    assert heads == D
    queries, keys = Fraction(heads, D), Fraction(LLAMA.kv_heads * LLAMA.head_width, D)
    forward = Fraction(LLAMA.feed_forward, D)
    assert 2 * queries + 2 * keys + 3 * forward == half
    assert keys == Fraction(1, 4)
    says(
        f"a vector of $D$ = {D} numbers",
        f"| all the matrices | ${of_width(matrices(LLAMA))} \\cdot D^2$ |",
        f"| attention in a text of $n$ tokens | ${pairs // D} \\cdot D \\cdot n$ |",
        f"of a layer hold ${half} \\cdot D^2$ numbers",
        f"because {LLAMA.heads} heads of queries share {LLAMA.kv_heads} heads of keys",
        f"hold ${spelled(forward)} \\cdot D^2$ each",
        f"1 + 1 + {spelled(keys)} + {spelled(keys)} + {spelled(3 * forward)} = {half}",
        "The one for queries and the one after the heads hold $D^2$ each",
        "A token meets $n/2$ keys on average",
        f"A meeting with one key costs ${2 * heads // D} \\cdot D$ operations",
        f"for the score and ${2 * heads // D} \\cdot D$ more",
        f"${4 * heads // D} \\cdot D \\cdot n/2$ is $2 \\cdot D \\cdot n$",
    )


def test_where_they_meet() -> None:
    found = REFERENCES["crossover"]({"model": "llama-3.1-8b"})
    assert found.key == 13 * D
    words = found.key * 3 / 4
    says(
        f"equal where $2 \\cdot D \\cdot n = {of_width(matrices(LLAMA))} \\cdot D^2$",
        "Divide both sides by $2 \\cdot D$",
        f"$n = 13 \\cdot D$ is left, which is 13 × {D}",
        "attention costs $2 \\cdot D \\cdot n$, so divide by $2 \\cdot D$ and not by $D$",
        f"13 is how many times as long as the *width* the text has to be, and the width is {D}",
        "share of attention in all the work: $\\frac{n}{n + 13 \\cdot D}$",
        f"about {spelled(round(words, -4))} words",
        f"+++ if answer={26 * D} That is 26 × {D}",
        f"+++ if answer={D} That is $n = D$",
        "$2 \\cdot D \\cdot D = 2 \\cdot D^2$ operations, and the matrices cost 13 times as many",
        "+++ if answer=13 You found the factor",
        f"They cross at {spelled(int(found.key))} tokens",
        "at about 13 times its width",
        f"all {LLAMA.layers} layers, attention comes to "
        f"${LLAMA.attention_flops_per_pair // 1000}\\,{LLAMA.attention_flops_per_pair % 1000} \\cdot n^2$ operations",
        f"the matrices to ${LLAMA.other_flops(1) / 10**10:.3f} \\cdot 10^{{10}} \\cdot n$",
    )
    assert found.mistakes["not-causal"] == found.key / 2
    assert matrices(LLAMA) == 13 * LLAMA.attention_flops_per_pair // LLAMA.layers * D


def test_shares() -> None:
    for n in (CHAPTER, 32_768, BOOK, MILLION):
        share = LLAMA.attention_share(n)
        assert share == Fraction(n, n + 13 * D)
        says(f"| {spelled(n)} | {round(100 * share)} % |")


def test_gpt_2() -> None:
    gpt = GPT_2_SMALL
    times = of_width(gpt.weights // gpt.layers, gpt)
    assert gpt.crossover == times * gpt.width
    assert gpt.context is not None
    says(
        f"its $D$ is {gpt.width}",
        f"hold ${times} \\cdot D^2$ numbers a layer",
        f"at {times} × {gpt.width} = {gpt.crossover}",
        f"no more than {gpt.context} tokens",
        f"there attention does {round(100 * gpt.attention_share(gpt.context))} %",
    )


def test_chapter_and_book() -> None:
    factor = BOOK // CHAPTER
    share = LLAMA.attention_share(CHAPTER)
    parts = share.denominator
    assert (share.numerator, CHAPTER) == (1, D)
    linear, square = (parts - 1) * factor, factor**2
    found = REFERENCES["longer_prompt"]({"model": "llama-3.1-8b", "length": CHAPTER, "factor": factor})
    assert found.key == pytest.approx((linear + square) / parts)
    assert found.facts["longer"] == BOOK
    assert found.mistakes == {"linear": factor, "square": square}
    says(
        f"given: {{model: llama-3.1-8b, length: {CHAPTER}, factor: {factor}}}",
        f"attention does exactly {share} of the work",
        f"into {parts} equal parts. The matrices take {parts - 1} of them",
        f"{parts - 1} × {factor} = {linear} parts",
        f"1 × {factor} × {factor} = {square} parts",
        f"that is {linear + square} parts, and {linear + square} / {parts} =",
        f"The {parts - 1} parts of the matrices do",
        f"attention is 1 part of {parts}. Only that part grows with the square; the {parts - 1} others",
    )


def test_a_token_after_the_book() -> None:
    pairs, rest = LLAMA.attention_flops_per_pair // LLAMA.layers, matrices(LLAMA)
    further = 2 * pairs * BOOK + rest  # all the keys, where the prompt's tokens meet half of them
    of_the_prompt = pairs * BOOK + rest
    times = round(BOOK * of_the_prompt / further, -2)
    says(
        f"meets all $n$ = {spelled(BOOK)} keys",
        f"$4 \\cdot D \\cdot n = {of_width(2 * pairs * BOOK)} \\cdot D^2$ operations a layer",
        f"and ${of_width(rest)} \\cdot D^2$ for the matrices",
        f"together ${of_width(further)} \\cdot D^2$",
        f"took ${of_width(of_the_prompt)} \\cdot D^2$ for *each*",
        f"as about {spelled(times)} further ones",
    )


def test_memory() -> None:
    each = LLAMA.cache_bytes_per_token
    sizes = (2, LLAMA.layers, LLAMA.kv_heads, LLAMA.head_width, LLAMA.bytes_a_number)
    assert each == LLAMA.context == BOOK
    assert LLAMA.cache_bytes(8192) == 2**30
    says(
        f"has {LLAMA.layers} layers and {LLAMA.kv_heads} such heads. A vector is {LLAMA.head_width} numbers long",
        f"a number takes {LLAMA.bytes_a_number} bytes",
        f"{' × '.join(map(str, sizes))} = **{spelled(each)} bytes for each token**",
        "8192 tokens leave exactly 1 GiB",
        f"{spelled(MILLION)} tokens leave {round(LLAMA.cache_bytes(MILLION) / 10**9)} GB",
        f"about {round(WEIGHTS / 10**9)} billion numbers of {LLAMA.bytes_a_number} bytes",
        f"takes {round(WEIGHTS * LLAMA.bytes_a_number / 10**9)} GB",
        f"{{{{ length }}}} × {spelled(each)} bytes",
        f"so a token takes {spelled(each)} bytes",
        f"One conversation of {spelled(MILLION)} tokens needs {round(LLAMA.cache_bytes(MILLION) / 10**9)} GB, and no",
        "no card of 80 GB holds it",
        f"was made for {spelled(BOOK)} of them",
    )
    assert LLAMA.cache_bytes(MILLION) > 80 * 10**9
    left = 80 * 10**9 - 2 * WEIGHTS  # on such a card
    assert left == pytest.approx(64 * 10**9, rel=0.01)
    says(f"(1 GB is {spelled(10**9)} bytes)")


@pytest.mark.parametrize(
    ("gigabytes", "length", "each", "room", "tokens"),
    [(64, 20_000, 2.62144, 24.4140625, 488_281), (32, 100_000, 13.1072, 2.44140625, 244_140)],
)
def test_conversations(gigabytes: int, length: int, each: float, room: float, tokens: int) -> None:
    found = REFERENCES["conversations"]({"model": "llama-3.1-8b", "gigabytes": gigabytes, "length": length})
    assert found.key == int(room)
    facts = {"each_gigabytes": each, "room": room, "fit": int(room), "tokens": tokens}
    assert facts.items() <= found.facts.items()
    assert found.mistakes == {"rounded-up": int(room) + 1, "not-grouped": int(room / 4)}


def test_conversations_that_fit_exactly() -> None:
    found = REFERENCES["conversations"]({"model": "gpt-2-small", "gigabytes": 36_864, "length": 1_000_000})
    assert found.key == 1_000
    assert not found.mistakes


def test_without_grouping() -> None:
    alone = LLAMA.ungrouped
    assert alone.attention_flops(BOOK) == LLAMA.attention_flops(BOOK)
    says(
        f"becomes {alone.cache_bytes_per_token // LLAMA.cache_bytes_per_token} times as large",
        f"to {spelled(int(alone.crossover))} tokens",
        "| heads share keys and values | the same | the same | here a quarter |",
        "| numbers of 1 byte in the cache | the same | the same | half |",
    )
    assert alone.crossover.denominator == 1
    assert 2 * replace(LLAMA, bytes_a_number=1).cache_bytes_per_token == LLAMA.cache_bytes_per_token


def test_the_square() -> None:
    says(
        f"For {spelled(BOOK)} tokens the full square of one head has {spelled(BOOK**2)} scores",
        f"At 2 bytes each they take {round(2 * BOOK**2 / 10**9)} GB, and there are {LLAMA.heads} heads in each of "
        f"{LLAMA.layers} layers",
    )
