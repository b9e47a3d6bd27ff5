"""Every number that stands in the lesson on the KV cache is the one that comes out, and what it claims holds."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from grader.reference import attention, decode, rope, scores, softmax
from softmark.lessons.questions.numerals import shown_number as spelled
from softmark.lessons.variants import REFERENCES
from softmark.lessons.variants.costs import GPT_2_SMALL as GPT
from softmark.lessons.variants.costs import LLAMA_3_1_8B as LLAMA
from softmark.lessons.written.folder import check_texts
from softmark.lessons.written.lesson import Lesson, Widget

FILE = Path(__file__).parents[2] / "fixtures" / "lessons" / "generating-with-a-cache.md"
SOURCE = FILE.read_text(encoding="utf-8")
TEXT = re.sub(r"[ \n\u00a0]+", " ", SOURCE)  # a narrow space, as in large numbers, stays

WEIGHTS = LLAMA.weights + 2 * 128_256 * LLAMA.width  # with the two tables of the vocabulary


def says(*fragments: str) -> None:
    for fragment in fragments:
        assert fragment in TEXT, fragment


@pytest.fixture(scope="module")
def lesson() -> Lesson:
    checked = check_texts(FILE.name, SOURCE, {})
    assert not checked.problems
    return checked.lessons[0]


def table(lesson: Lesson) -> tuple[Any, Any, Any, str]:
    """The query (1, 4), keys (T, 4) and values (T, 2) of the table by hand, padded with zeros; and its text."""
    widget = next(block for block in lesson.blocks if isinstance(block, Widget))
    said = widget.values.value
    assert said["d_k"] == 4
    pad = ((0, 0), (0, 2))
    q, k = (
        np.pad(np.array([said["q"]], float), pad),
        np.pad(np.array(list(said["keys"].values()), float), pad),
    )
    return q, k, np.array(list(said["values"].values()), float), widget.alt


def test_nothing_is_wrong_with_it(lesson: Lesson) -> None:
    assert lesson.id == FILE.stem
    assert [stop.id for stop in lesson.predicts] == [
        "passes-of-the-plain-loop",
        "what-is-new",
        "shapes-of-the-scores",
        "why-no-queries",
        "size-of-a-cache",
    ]


def test_passes() -> None:
    given = {"prompt": 1_000, "new": 500}
    without = REFERENCES["passes_without_cache"](given).key
    cached = REFERENCES["passes_with_cache"](given).key
    assert cached == 1_000 + 500 - 1
    says(
        "To read a text of 7 tokens once takes 7 passes",
        f"A prompt of 1000 tokens and an answer of 500 take {spelled(without)} passes, and the final text has only "
        f"{1_000 + 500} tokens",
        f"For 1000 and 500 tokens that is {cached} passes. The {spelled(without)} of the plain loop are about "
        f"{round(without / cached)} times as many",
    )


def test_a_new_token_changes_nothing_before_it() -> None:
    """In two layers of causal attention, each with matrices of its own, to the last bit but for the order of sums."""
    draw = np.random.default_rng(5)
    x, matrices = draw.normal(size=(4, 8)), draw.normal(size=(2, 3, 8, 8))

    def layers(x: Any, causal: bool) -> Any:
        for w_q, w_k, w_v in matrices:
            x = x + attention(x @ w_q, x @ w_k, x @ w_v, causal=causal)
        return x

    assert np.allclose(layers(x, True)[:3], layers(x[:3], True))
    assert not np.allclose(layers(x, False)[:3], layers(x[:3], False))
    says("the plain loop makes 3 of the 4 passes of this round once more")


def test_the_table_by_hand(lesson: Lesson) -> None:
    q, k, v, alt = table(lesson)
    raw, scaled = (q @ k.T)[0], scores(q, k)[0]
    shares = softmax(scaled)
    out, k_cache, v_cache = decode(q, k[3:], v[3:], k[:3], v[:3])
    blend = ", ".join(f"{number:.2f}" for number in out[0])
    assert np.allclose(out[0], shares @ v)
    assert np.array_equal(k_cache, k)
    assert np.array_equal(v_cache, v)
    tokens = ("the", "river", "bank", "was")
    of_each = ", ".join(f"{token} {score:g}" for token, score in zip(tokens, raw, strict=True))
    assert f"Scores: {of_each}." in alt
    says("numbers. The last two are zero and not shown, so scores are divided by 2.")
    assert f"Divided by 2: {', '.join(f'{each:g}' for each in scaled)}." in alt
    assert f"Shares: {', '.join(f'{each:.2f}' for each in shares)}." in alt
    assert f"the blend of the values is [{blend}]" in alt.replace("The blend", "the blend")
    says(
        f"There is only one query, [{q[0, 0]:g}, {q[0, 1]:g}]",
        f"The blend, [{blend}], is the last row of",
    )
    all_queries = np.vstack([np.ones((3, 4)), q])
    assert np.allclose(attention(all_queries, k, v, causal=True)[-1], out[0])


def test_what_the_snippet_prints(lesson: Lesson) -> None:
    values = next(stop for stop in lesson.predicts if stop.id == "shapes-of-the-scores").values.value
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(values["snippet"], {})
    assert printed.getvalue().rstrip() == values["answer"].rstrip()
    shapes = [tuple(map(int, re.findall(r"\d+", line))) for line in values["answer"].split("\n") if line]
    cached = [rows * columns for rows, columns in shapes]
    plain = [columns**2 for _, columns in shapes]
    says(
        f"**{shapes[0]}, then {shapes[1]}, then {shapes[2]}.**",
        f"{' + '.join(map(str, cached))} = {sum(cached)} scores",
        f"it would compute {' + '.join(map(str, plain))} = {sum(plain)}",
        f"If you expected ({shapes[1][1]}, {shapes[1][1]}) and ({shapes[2][1]}, {shapes[2][1]})",
        f"{shapes[0][0]} queries, {shapes[0][1]} keys",
        f"so there are {shapes[1][1]} keys",
        f"The third has {shapes[2][0]} query and {shapes[2][1]} keys",
    )


def test_the_size_of_a_cache() -> None:
    sizes = (2, LLAMA.layers, LLAMA.kv_heads, LLAMA.head_width, LLAMA.bytes_a_number)
    assert LLAMA.cache_bytes(8192) == 2**30
    assert LLAMA.ungrouped.cache_bytes_per_token == 4 * LLAMA.cache_bytes_per_token
    assert GPT.heads == GPT.kv_heads
    says(
        f"{' × '.join(map(str, sizes))} = {spelled(LLAMA.cache_bytes_per_token)} bytes a token",
        "a context of 8192 tokens takes 1 GiB",
        f"four times as much, {spelled(LLAMA.ungrouped.cache_bytes_per_token)} bytes a token",
        f"{GPT.layers} layers of width {GPT.width}, nothing shared, and "
        f"{spelled(GPT.cache_bytes_per_token)} bytes a token",
        f"grows by {spelled(LLAMA.cache_bytes_per_token)} bytes a token: 1 GiB at 8192 tokens",
        f"GPT-2 small takes {spelled(GPT.cache_bytes_per_token)} bytes a token",
        f"{round(LLAMA.bytes_a_number * WEIGHTS / 10**9)} GB for Llama-3.1-8B",
        f"{LLAMA.cache_bytes(1_000) / 10**9:.2f} GB after 1000 tokens",
        f"{round(LLAMA.cache_bytes(100_000) / 10**9)} GB after {spelled(100_000)}",
    )


def test_rotary_positions() -> None:
    q, k = np.random.default_rng(6).normal(size=(2, 1, 8))

    def product(at_query: int, at_key: int) -> float:
        return float(rope(q, np.array([at_query]))[0] @ rope(k, np.array([at_key]))[0])

    assert product(7, 3) == pytest.approx(product(107, 103))
    assert product(7, 3) != pytest.approx(product(7, 4))
    says("the same for positions 7 and 3 as for positions 107 and 103")
