"""Variants: friendly numbers, never degenerate, the same for everybody, and gradable by the types of questions."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest

from softmark.lessons.variants import GENERATORS, REFERENCES, VERSION, Misgiven, Stream, all_variants
from tests.lessons.answering import key_of, question

COUNT = 50
MANY = {
    "sequence_length": 38,
    "prompt_and_new": 25,
    "longer_text": 24,
    "shared_memory": 6,
}  # how many they have

# Which references answer the questions that a generator is for, with the question's type and settings.
ANSWERED: dict[str, list[tuple[str, str, dict[str, Any]]]] = {
    "small_integer_keys": [
        ("scores", "vector", {"shape": 3}),
        ("scaled_scores", "vector", {"shape": 3}),
        ("shares", "vector", {"shape": 3, "atol": 0.01, "weights": True}),
        ("most_attended", "token", {"tokens": ["the", "river", "bank"]}),
        ("least_attended", "choice", {"options": ["the", "river", "bank"]}),
        ("attended_order", "order", {"items": ["the", "river", "bank"]}),
    ],
    "tied_integer_keys": [
        ("scores", "vector", {"shape": 3}),
        ("most_attended", "token", {"tokens": ["the", "river", "bank"]}),
        ("most_attended", "choices", {"options": ["the", "river", "bank"]}),
        ("attended_order", "order", {"items": ["the", "river", "bank"], "ties": True}),
    ],
    "easy_blend": [("blend", "vector", {"shape": 2})],
    "causal_scores": [
        ("causal_row", "vector", {"shape": 4, "atol": 0.01, "weights": True}),
        ("causal_weights", "matrix", {"shape": [4, 4], "atol": 0.01, "weights": True}),
    ],
    "sequence_length": [("hidden_pairs", "number", {}), ("projections", "number", {})],
    "head_sizes": [
        ("output_shape", "vector", {"shape": 2}),
        ("score_shape", "vector", {"shape": 3}),
        ("head_width", "number", {}),
    ],
    "rows_to_cut": [("head_part", "matrix", {"shape": [2, 3]})],
    "small_model": [
        ("cache_bytes_per_token", "number", {"rtol": 0.01}),
        ("cache_bytes", "number", {"rtol": 0.01}),
        ("cache_vectors_per_token", "number", {}),
        ("attention_flops", "number", {"rtol": 0.01}),
    ],
    "longer_text": [("longer_context", "number", {})],
    "prompt_and_new": [
        ("passes_without_cache", "number", {}),
        ("passes_with_cache", "number", {}),
        ("recomputed_work", "number", {}),
    ],
    "shared_memory": [("conversations", "number", {"atol": 0.9})],
}


def variants(gen: str, given: dict[str, Any] | None = None) -> tuple[Any, ...]:
    return all_variants(gen, min(COUNT, MANY.get(gen, COUNT)), given or {})


each_generator = pytest.mark.parametrize("gen", GENERATORS)


@each_generator
def test_variants_are_plain_json_and_no_two_alike(gen: str) -> None:
    found = [json.dumps(variant, allow_nan=False) for variant in variants(gen)]
    assert len(set(found)) == len(found)
    assert [json.loads(each) for each in found] == list(variants(gen))
    assert GENERATORS[gen].__doc__


@each_generator
def test_fewer_variants_are_the_first_of_more(gen: str) -> None:
    assert all_variants(gen, 5) == variants(gen)[:5]


@each_generator
def test_every_variant_can_be_answered_right(gen: str) -> None:
    """The key fits its type, what is shown of it is right, and no mistake gives the same answer."""
    for variant in variants(gen):
        for reference, type, raw in ANSWERED[gen]:
            found = REFERENCES[reference](variant)
            asked = question(type, found.key, **raw)
            mistakes = {
                name: key_of(type, asked.settings, value)[0] for name, value in found.mistakes.items()
            }
            if type in ("number", "vector", "matrix"):
                assert asked.mark(asked.type.show_key(asked.key, asked.settings), mistakes=mistakes).right
            assert asked.key not in mistakes.values(), (gen, reference, variant)


@each_generator
def test_every_mistake_is_named(gen: str) -> None:
    """By its own name or that of another that gives the same, unless nobody could type it or it counts as right."""
    for variant in variants(gen):
        for reference, type, raw in ANSWERED[gen]:
            if type not in ("number", "vector", "matrix"):
                continue
            found = REFERENCES[reference](variant)
            asked = question(type, found.key, **raw)
            given = {
                name: asked.type.mistake(value, asked.settings) for name, value in found.mistakes.items()
            }
            mistakes = {name: mistake for name, mistake in given.items() if mistake is not None}
            assert mistakes == given or not {"atol", "rtol"} & raw.keys(), (gen, reference, variant)
            for mistake in mistakes.values():
                marked = asked.mark(asked.type.show_key(mistake, asked.settings), mistakes=mistakes)
                assert marked.right or marked.error in mistakes, (gen, reference, variant)


def test_every_generator_has_questions() -> None:
    assert set(ANSWERED) == set(GENERATORS)


@pytest.mark.parametrize("tokens", [2, 3, 4, 6])
@pytest.mark.parametrize("d_k", [4, 9, 16])
def test_small_integer_keys_are_friendly(tokens: int, d_k: int) -> None:
    names = [f"t{place}" for place in range(tokens)]
    for variant in variants("small_integer_keys", {"tokens": names, "d_k": d_k}):
        assert variant["tokens"] == list(variant["keys"]) == names
        numbers = [*variant["q"], *(number for k in variant["keys"].values() for number in k)]
        assert all(type(number) is int and 0 <= number <= 6 for number in numbers)
        assert all(variant["q"])
        scaled = REFERENCES["scaled_scores"](variant).key
        assert all(float(score).is_integer() for score in scaled)
        assert len(set(scaled)) == tokens  # no ties
        assert max(scaled) - min(scaled) <= 5  # every share can be seen
        assert len(REFERENCES["most_attended"](variant).key) == 1


def test_the_answers_vary() -> None:
    for reference in ("least_attended", "most_attended"):
        found = {REFERENCES[reference](variant).key[0] for variant in variants("small_integer_keys")}
        assert found == {"the", "river", "bank"}
    assert {variant["position"] for variant in variants("causal_scores")} == {2, 3}


@pytest.mark.parametrize("tokens", [3, 5, 6])
def test_tied_keys_tie_at_the_top_alone(tokens: int) -> None:
    names = [f"t{place}" for place in range(tokens)]
    for variant in variants("tied_integer_keys", {"tokens": names}):
        ranks = REFERENCES["attended_order"](variant).key
        assert [len(rank) if isinstance(rank, list) else 1 for rank in ranks] == [2] + [1] * (tokens - 2)
        one, other = ranks[0]
        assert variant["keys"][one] != variant["keys"][other]


def test_what_a_lesson_says_is_kept() -> None:
    given = {"keys": {"a": [0, 0], "b": [0, 0]}, "q": [9, 9], "d_k": 9, "values": {}, "token": "b"}
    for variant in variants("small_integer_keys", given):
        assert (variant["token"], variant["d_k"], variant["tokens"]) == ("b", 9, ["a", "b"])
        assert set(variant["values"]) == {"a", "b"}
        assert variant["values"]["a"] != variant["values"]["b"]
        assert variant["q"] != [9, 9]
        assert REFERENCES["blend"](variant).key
    assert all(variant["note"] == "n" for variant in all_variants("head_sizes", 5, {"note": "n"}))
    assert all(len(variant["scores"]) == 6 for variant in all_variants("causal_scores", 5, {"length": 6}))


def test_easy_blends_are_whole() -> None:
    for variant in variants("easy_blend"):
        found = REFERENCES["blend"](variant)
        assert all(float(number).is_integer() for number in found.key)
        assert found.key not in variant["values"].values()


def test_a_causal_row_is_tempting() -> None:
    for variant in variants("causal_scores"):
        row, position = variant["scores"][variant["position"] - 1], variant["position"]
        assert len(set(row[:position])) == 1
        assert min(row[position:]) > row[0]
        assert REFERENCES["causal_row"](variant).key[:position] == pytest.approx([1 / position] * position)


def test_heads_come_out_even() -> None:
    for variant in variants("head_sizes"):
        assert variant["width"] % variant["heads"] == 0
        assert len({variant["length"], variant["width"], variant["heads"]}) == 3
    assert all(v["model"]["heads"] > v["model"]["kv_heads"] for v in variants("small_model"))
    assert all(v["factor"] > 2 for v in variants("longer_text"))


@pytest.mark.parametrize(
    ("gen", "count", "given"),
    [
        ("sequence_length", 39, {}),
        ("sequence_length", 1, {}),
        ("sequence_length", 101, {}),
        ("small_integer_keys", 5, {"d_k": 5}),
        ("small_integer_keys", 5, {"tokens": ["a"]}),
        ("small_integer_keys", 5, {"tokens": list("abcdefg")}),
        ("small_integer_keys", 5, {"keys": 3}),
        ("tied_integer_keys", 5, {"tokens": ["a", "b"]}),
        ("easy_blend", 5, {"tokens": ["a", "b"]}),
        ("causal_scores", 5, {"length": 2}),
    ],
)
def test_variants_that_there_are_not(gen: str, count: int, given: dict[str, Any]) -> None:
    with pytest.raises(Misgiven):
        all_variants(gen, count, given)


def test_an_unknown_generator() -> None:
    with pytest.raises(KeyError):
        all_variants("big_integer_keys", 5)


@each_generator
def test_parts_draw_from_streams_of_their_own(gen: str) -> None:
    """What was drawn from the stream before changes nothing, but where the generator has one part alone."""
    fresh, used = Stream(b"seed"), Stream(b"seed")
    used.below(10)
    if gen != "sequence_length":
        assert GENERATORS[gen](fresh, {}) == GENERATORS[gen](used, {})


# Of the first variants of each, with the answers to them.
DRAWN = {
    "small_integer_keys": "e3dca9a32d684575",
    "tied_integer_keys": "82c85247c5904850",
    "easy_blend": "e6adda92aca9ab4e",
    "causal_scores": "454666e55f5eaa8a",
    "sequence_length": "f374cfb71e10cc26",
    "head_sizes": "c8232db783fb5d73",
    "rows_to_cut": "74d88d015529d798",
    "small_model": "525e448f235e99bc",
    "longer_text": "493291c1b714c9aa",
    "prompt_and_new": "800646b24bc21d51",
    "shared_memory": "6cf79db7c18f8360",
}


@each_generator
def test_what_is_drawn_stays_the_same_for_this_version(gen: str) -> None:
    """An edit that draws or answers otherwise raises VERSION, since frozen variants name it."""
    told = [
        [variant, _rounded([_answer(reference, variant) for reference, _, _ in ANSWERED[gen]])]
        for variant in all_variants(gen, 5)
    ]
    digest = hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()
    assert (VERSION, digest[:16]) == (1, DRAWN[gen])


def _answer(reference: str, variant: Any) -> Any:
    found = REFERENCES[reference](variant)
    return [found.key, found.facts, found.mistakes]


def _rounded(value: Any) -> Any:
    """To six digits: the last ones of an exponential differ between machines."""
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, list):
        return [_rounded(each) for each in value]
    if isinstance(value, dict):
        return {name: _rounded(each) for name, each in value.items()}
    return value
