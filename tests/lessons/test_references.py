"""References: the numbers that lessons.md tells, and the same as the code that grades assignments."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given as examples
from hypothesis import strategies as st

from grader.reference import attention, causal_mask, decode, multi_head_attention, softmax, split_heads
from softmark.lessons.variants import REFERENCES, Misgiven, fact, shown
from softmark.lessons.variants.given import plain

BANK = {"q": [2, 2], "keys": {"the": [0, 0], "river": [2, 0], "bank": [1, 1]}, "d_k": 4}
VALUES = {"the": [0, 0], "river": [4, 0], "bank": [0, 4]}

small = st.integers(-4, 4)
vectors = st.lists(small, min_size=2, max_size=2)


def key(reference: str, **given: Any) -> Any:
    return REFERENCES[reference](given).key


def test_the_table_by_hand() -> None:
    assert key("scores", **BANK) == [0, 4, 4]
    assert key("scaled_scores", **BANK) == [0, 2, 2]
    assert [round(share, 2) for share in key("shares", **BANK)] == [0.06, 0.47, 0.47]
    assert key("most_attended", **BANK) == ["river", "bank"]
    assert key("least_attended", **BANK) == ["the"]
    assert key("attended_order", **BANK) == [["river", "bank"], "the"]
    assert key("score_of", **BANK, token="river") == 4
    assert key("scaled_score_of", **BANK, token="river") == 2
    assert round(key("share_of", **BANK, token="the"), 4) == 0.0634


def test_facts_of_the_table_by_hand() -> None:
    facts = REFERENCES["least_attended"](BANK).facts
    names = "scores scaled shares river.score the.share bank.scaled root d_k tokens".split()
    told = {name: shown(fact(facts, name)) for name in names}
    assert told == {
        "scores": "0, 4, 4",
        "scaled": "0, 2, 2",
        "shares": "0.06, 0.47, 0.47",
        "river.score": "4",
        "the.share": "0.06",
        "bank.scaled": "2",
        "root": "2",
        "d_k": "4",
        "tokens": "the, river, bank",
    }
    assert shown(fact({"rows": [[1, 2], [3, 4]]}, "rows.2")) == "3, 4"
    for unknown in ("scores.0", "scores.4", "lake.score", "river.", ".score", "river.score.x", "nothing", ""):
        with pytest.raises(KeyError):
            fact(facts, unknown)


def test_a_token_with_a_dot_in_it() -> None:
    given = {"q": [1, 0], "keys": {"U.S.": [1, 0], "end": [0, 1]}}
    assert fact(REFERENCES["scores"](given).facts, "U.S..score") == 1


def test_the_width_that_counts_is_d_k() -> None:
    wide = {**BANK, "d_k": 16}
    assert key("scaled_scores", **wide) == [0, 1, 1]
    without = {name: value for name, value in BANK.items() if name != "d_k"}
    assert key("scaled_scores", **without)[1] == pytest.approx(4 / math.sqrt(2))


def test_mistakes_with_names() -> None:
    assert REFERENCES["scaled_scores"](BANK).mistakes == {"not-scaled": [0, 4, 4], "divided-by-d": [0, 1, 1]}
    assert REFERENCES["scores"](BANK).mistakes == {"scaled-already": [0, 2, 2]}
    wrong = REFERENCES["shares"](BANK).mistakes
    assert wrong["no-exponential"] == [0, 0.5, 0.5]
    assert wrong["not-scaled"] == pytest.approx(softmax(np.array([0.0, 4.0, 4.0])))
    assert REFERENCES["share_of"]({**BANK, "token": "river"}).mistakes["no-exponential"] == 0.5
    negative = {**BANK, "keys": {"the": [-1, 0], "river": [2, 0], "bank": [1, 1]}}
    assert "no-exponential" not in REFERENCES["shares"](negative).mistakes


def test_a_blend() -> None:
    expected = attention(np.array([[2.0, 2, 0, 0]]), np.array([[0.0, 0, 0, 0], [2, 0, 0, 0], [1, 1, 0, 0]]),
                         np.array([[0.0, 0], [4, 0], [0, 4]]))  # fmt: skip
    found = REFERENCES["blend"]({**BANK, "values": VALUES})
    assert found.key == pytest.approx(expected[0])
    assert found.facts["river"]["value"] == [4, 0]
    assert found.facts["river"]["score"] == 4
    assert found.mistakes["plain-mean"] == pytest.approx([4 / 3, 4 / 3])
    assert found.mistakes["plain-sum"] == [4, 4]
    assert found.mistakes["only-the-largest"] in ([4, 0], [0, 4])


def test_a_blend_of_given_shares() -> None:
    shares = {"the": 0.25, "river": 0.5, "bank": 0.25}
    found = REFERENCES["blend"]({"shares": shares, "values": VALUES})
    assert found.key == [2, 1]
    assert found.mistakes["only-the-largest"] == [4, 0]
    assert found.facts["river"] == {"share": 0.5, "value": [4, 0], "part": [2, 0]}
    for wrong in ({**shares, "the": 0.5}, {"the": -0.5, "river": 1, "bank": 0.5}):
        with pytest.raises(Misgiven, match="sum to 1"):
            key("blend", shares=wrong, values=VALUES)


@examples(vectors, st.lists(vectors, min_size=2, max_size=5))
def test_most_and_least_are_the_ends_of_the_order(q: list[int], rows: list[list[int]]) -> None:
    given = {"q": q, "keys": {f"t{place}": row for place, row in enumerate(rows)}, "d_k": 4}
    scores, shares, order = (key(name, **given) for name in ("scores", "shares", "attended_order"))
    groups = [each if isinstance(each, list) else [each] for each in order]
    assert sorted(token for group in groups for token in group) == sorted(
        f"t{place}" for place in range(len(rows))
    )
    assert key("most_attended", **given) == groups[0]
    assert key("least_attended", **given) == groups[-1]
    by_score = [{scores[int(token[1:])] for token in group} for group in groups]
    assert all(len(group) == 1 for group in by_score)
    assert [group.pop() for group in by_score] == sorted(set(scores), reverse=True)
    assert sum(shares) == pytest.approx(1)


def test_scores_that_rounding_alone_parts_are_tied() -> None:
    given = {"q": [0.1, 0.2, 0.3], "keys": {"a": [1, 1, 0], "b": [0, 0, 1]}, "d_k": 4}
    assert 0.1 + 0.2 != 0.3
    assert key("most_attended", **given) == ["a", "b"]


def test_where_tokens_are_named_their_order_is_that() -> None:
    named = {**BANK, "tokens": ["bank", "the", "river"]}
    assert key("scores", **named) == [4, 0, 4]
    assert key("scores", **BANK) == [0, 4, 4]


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({}, "must name its tokens"),
        ({**BANK, "q": "2, 2"}, '"q" must be a list of numbers'),
        ({**BANK, "q": [2, True]}, '"q" must be a list of numbers'),
        ({**BANK, "q": [2, float("nan")]}, "larger than a million"),
        ({**BANK, "q": [2, 10**7]}, "larger than a million"),
        ({**BANK, "q": [1, 2, 3]}, "equally long"),
        ({**BANK, "keys": {"the": [1, 2], "river": [1]}}, "equally long"),
        ({**BANK, "keys": {"the": [1, 2], "river": 1}}, '"keys" of river must be'),
        ({**BANK, "keys": [[1, 2]]}, "must name its tokens"),
        ({**BANK, "tokens": ["the", "river"]}, "of each token and of nothing else: the, river"),
        ({**BANK, "tokens": ["the", "the", "river", "bank"]}, "twice"),
        ({**BANK, "d_k": 1}, '"d_k" must be a whole number from 2'),
        ({**BANK, "d_k": 4.0}, '"d_k" must be a whole number'),
        ({**BANK, "keys": {"scores": [1, 2], "b": [1, 1]}}, 'No token can be called "scores"'),
    ],
)
def test_a_given_that_nothing_can_be_computed_from(given: Any, told: str) -> None:
    with pytest.raises(Misgiven, match=told):
        REFERENCES["shares"](given)


def test_a_token_to_ask_about() -> None:
    with pytest.raises(Misgiven, match="must be one of the tokens"):
        key("share_of", **BANK, token="lake")


def test_causal_weights() -> None:
    scores = [[0, 5, 5], [0, 0, 9], [0, 0, 0]]
    found = REFERENCES["causal_weights"]({"scores": scores})
    assert found.key == [[1, 0, 0], [0.5, 0.5, 0], [pytest.approx(1 / 3)] * 3]
    row = REFERENCES["causal_row"]({"scores": scores, "position": 2})
    assert row.key == [0.5, 0.5, 0]
    assert row.facts["row"] == row.key
    assert row.mistakes["not-masked"] == pytest.approx(softmax(np.array([0.0, 0, 9])))
    assert row.mistakes["masked-after-softmax"] == pytest.approx([*row.mistakes["not-masked"][:2], 0])
    assert row.mistakes["looks-ahead-only"] == pytest.approx([0, *softmax(np.array([0.0, 9]))])
    for position in (0, 4, "2"):
        with pytest.raises(Misgiven):
            key("causal_row", scores=scores, position=position)


@pytest.mark.parametrize("scores", [None, [[1]], [[1, 2]], [[1, 2], [3]], [[1, 2], "ab"], [[0] * 13] * 13])
def test_scores_that_are_no_square(scores: Any) -> None:
    with pytest.raises(Misgiven):
        key("causal_weights", scores=scores)


@pytest.mark.parametrize(("length", "hidden"), [(1, 0), (2, 1), (4, 6), (10, 45)])
def test_hidden_pairs(length: int, hidden: int) -> None:
    found = REFERENCES["hidden_pairs"]({"length": length})
    assert found.key == hidden == length * (length - 1) // 2
    assert found.mistakes["hides-itself"] == length * (length + 1) // 2
    assert found.facts["visible"] + found.key == found.facts["pairs"] == length**2


def test_vectors_and_shapes() -> None:
    assert key("projections", length=1) == 3
    assert key("projections", length=10) == 30
    sizes = {"length": 5, "width": 8, "heads": 2}
    zeros = np.zeros((8, 8))
    assert key("output_shape", **sizes) == list(
        multi_head_attention(np.zeros((5, 8)), zeros, zeros, zeros, zeros, 2).shape
    )
    heads = split_heads(np.zeros((5, 8)), 2)
    assert key("head_width", **sizes) == heads.shape[-1] == 4
    assert key("score_shape", **sizes) == [heads.shape[0], 5, 5]
    with pytest.raises(Misgiven, match="evenly"):
        key("head_width", length=5, width=8, heads=3)
    with pytest.raises(Misgiven, match='"heads"'):
        key("head_width", length=5, width=8, heads=0)


def test_the_part_of_a_head() -> None:
    given = {"rows": [[1, 2, 3, 4], [5, 6, 7, 8]], "heads": 2, "head": 2}
    found = REFERENCES["head_part"](given)
    assert found.key == split_heads(np.array(given["rows"]), 2)[1].tolist() == [[3, 4], [7, 8]]
    assert found.mistakes == {
        "not-cut-first": [[5, 6], [7, 8]],
        "dealt-out": [[2, 4], [6, 8]],
        "another-head": [[1, 2], [5, 6]],
    }
    for wrong in ({"rows": [[1, 2], [3]]}, {"head": 3}, {"heads": 3}, {"rows": [[0, 0]] * 13}):
        with pytest.raises(Misgiven):
            REFERENCES["head_part"](given | wrong)


def test_costs() -> None:
    llama = {"model": "llama-3.1-8b"}
    assert key("cache_bytes_per_token", **llama) == 131_072
    assert key("cache_vectors_per_token", **llama) == 512
    assert key("cache_bytes", **llama, length=8_192) == 2**30
    assert key("attention_flops", **llama, length=1_000) == 262_144_000_000
    assert round(key("attention_share", **llama, length=131_072), 2) == 0.71
    assert key("crossover", **llama) == 53_248
    assert key("longer_context", length=1_000, factor=3) == 9
    assert key("cache_bytes_per_token", model="gpt-2-small") == 36_864


def test_mistakes_about_costs() -> None:
    llama = REFERENCES["cache_bytes_per_token"]({"model": "llama-3.1-8b"})
    assert llama.mistakes == {
        "not-grouped": 524_288,
        "keys-only": 65_536,
        "one-layer": 4_096,
        "numbers-not-bytes": 65_536,
    }
    gpt = REFERENCES["cache_bytes"]({"model": "gpt-2-small", "length": 10})
    assert "not-grouped" not in gpt.mistakes
    assert gpt.facts["bytes"] == 368_640
    assert REFERENCES["longer_context"]({"length": 10, "factor": 5}).mistakes == {
        "linear": 5,
        "twice-as-much": 10,
    }


def test_a_model_by_its_sizes() -> None:
    sizes = {"layers": 2, "heads": 4, "kv_heads": 2, "head_width": 10}
    assert key("cache_bytes_per_token", model=sizes) == 2 * 2 * 2 * 10 * 2
    assert key("cache_bytes_per_token", model={**sizes, "bytes_a_number": 4}) == 2 * 2 * 2 * 10 * 4
    for model, told in (
        ("gpt-5", "must be one of llama-3.1-8b, gpt-2-small"),
        (None, "must be one of"),
        ({**sizes, "kv_heads": 3}, "cannot share"),
        ({**sizes, "layers": 0}, '"layers"'),
    ):
        with pytest.raises(Misgiven, match=told):
            key("cache_bytes_per_token", model=model)
    with pytest.raises(Misgiven, match="whole model"):
        key("crossover", model=sizes)


@pytest.mark.parametrize(("prompt", "new"), [(1, 1), (5, 1), (5, 3), (10, 4)])
def test_passes_are_those_of_decoding(prompt: int, new: int) -> None:
    """Counted while tokens are written one by one, once with the grader's cache and once without."""
    without = cached = 0
    k_cache = v_cache = np.zeros((0, 2))
    for written in range(new):
        without += prompt + written  # all tokens so far, again
        fresh = np.zeros((prompt if written == 0 else 1, 2))  # the prompt, and then the token written last
        _, k_cache, v_cache = decode(fresh, fresh, fresh, k_cache, v_cache)
        cached += len(fresh)
    given = {"prompt": prompt, "new": new}
    assert key("passes_without_cache", **given) == without
    assert key("passes_with_cache", **given) == cached == len(k_cache)
    assert key("recomputed_work", **given) == without - cached
    assert REFERENCES["passes_without_cache"](given).mistakes["as-if-cached"] == cached


def test_rounding_alone_does_not_make_a_key() -> None:
    assert plain(np.array([1.9999999999999998, -0.0])) == [2, 0]
    assert str(plain(np.array([-1e-15]))[0]) == "0.0"
    assert key("scaled_scores", q=[2, 2], keys={"a": [3, 0], "b": [0, 0]}, d_k=9) == [2, 0]


def test_what_is_reckoned_is_plain_json() -> None:
    for name, given in EXAMPLES.items():
        found = REFERENCES[name](given)
        for part in (found.key, found.facts, found.mistakes):
            assert json.loads(json.dumps(part, allow_nan=False)) == part


SIZES = {"length": 6, "width": 8, "heads": 2}
LLAMA = {"model": "llama-3.1-8b", "length": 100}
GIVEN: list[tuple[str, dict[str, Any]]] = [
    ("scores scaled_scores shares most_attended least_attended attended_order", BANK),
    ("score_of scaled_score_of share_of", {**BANK, "token": "the"}),
    ("blend", {**BANK, "values": VALUES}),
    ("causal_weights causal_row", {"scores": [[1, 2], [3, 4]], "position": 2}),
    ("hidden_pairs projections head_width score_shape output_shape", SIZES),
    ("head_part", {"rows": [[1, 2], [3, 4]], "heads": 2, "head": 1}),
    ("cache_vectors_per_token cache_bytes_per_token cache_bytes", LLAMA),
    ("attention_flops attention_share crossover", LLAMA),
    ("longer_context", {"length": 10, "factor": 3}),
    ("longer_prompt", {**LLAMA, "factor": 3}),
    ("conversations", {**LLAMA, "gigabytes": 64}),
    ("passes_without_cache passes_with_cache recomputed_work", {"prompt": 5, "new": 2}),
]
EXAMPLES = {name: given for names, given in GIVEN for name in names.split()}


def test_each_reference_says_what_it_gives() -> None:
    assert set(EXAMPLES) == set(REFERENCES)
    assert all(reference.__doc__ for reference in REFERENCES.values())


@pytest.mark.parametrize("name", REFERENCES)
def test_nothing_given_is_told_in_a_sentence(name: str) -> None:
    for given in (
        {},
        *(dict.fromkeys(EXAMPLES[name], value) for value in (None, [[]], "x", -1, {"x": None})),
    ):
        with pytest.raises(Misgiven):
            REFERENCES[name](given)


def test_the_mask_is_the_graders() -> None:
    assert np.array_equal(np.array(key("causal_weights", scores=[[0, 0], [0, 0]])) > 0, causal_mask(2, 2))
