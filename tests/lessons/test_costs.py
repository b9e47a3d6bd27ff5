"""What a long context costs: each figure that the lessons tell."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from softmark.lessons.variants.costs import GPT_2_SMALL, LLAMA_3_1_8B, MODELS

LLAMA, GPT = LLAMA_3_1_8B, GPT_2_SMALL


def test_the_cache_of_llama() -> None:
    assert LLAMA.cache_bytes_per_token == 2 * 32 * 8 * 128 * 2 == 131_072
    assert LLAMA.cache_bytes(8_192) == 2**30
    assert round(LLAMA.cache_bytes(1_000_000) / 10**9) == 131
    assert LLAMA.vectors_per_token == 2 * 32 * 8


def test_without_grouping() -> None:
    assert LLAMA.ungrouped.cache_bytes_per_token == 512 * 1024
    assert LLAMA.ungrouped.attention_flops(100) == LLAMA.attention_flops(100)
    assert LLAMA.ungrouped.weights > LLAMA.weights
    assert GPT.ungrouped == GPT


def test_the_cache_of_gpt_2() -> None:
    assert GPT.cache_bytes_per_token == 36_864


@pytest.mark.parametrize("n", [1, 512, 1_000_000])
def test_the_operations_of_llama(n: int) -> None:
    assert LLAMA.attention_flops(n) == 262_144 * n**2
    assert f"{LLAMA.other_flops(n) / n:.3e}" == "1.396e+10"


def test_where_attention_costs_as_much_as_everything_else() -> None:
    assert LLAMA.crossover == 53_248
    assert LLAMA.attention_flops(53_248) == LLAMA.other_flops(53_248)
    assert LLAMA.attention_share(53_248) == Fraction(1, 2)
    assert GPT.crossover == 9_216


@pytest.mark.parametrize(("n", "percent"), [(4_096, 7), (32_768, 38), (131_072, 71), (1_000_000, 95)])
def test_the_attentions_share(n: int, percent: int) -> None:
    assert round(100 * LLAMA.attention_share(n)) == percent


def test_what_the_models_are_made_for() -> None:
    assert {name: model.context for name, model in MODELS.items()} == {
        "llama-3.1-8b": 131_072,
        "gpt-2-small": 1_024,
    }
    assert all(model.heads * model.head_width == model.width for model in MODELS.values())


@given(st.sampled_from(sorted(MODELS)), st.integers(1, 10**6), st.integers(2, 100))
def test_how_costs_grow(name: str, n: int, times: int) -> None:
    model = MODELS[name]
    assert model.cache_bytes(times * n) == times * model.cache_bytes(n)
    assert model.other_flops(times * n) == times * model.other_flops(n)
    assert model.attention_flops(times * n) == times**2 * model.attention_flops(n)
    assert 0 < model.attention_share(n) < model.attention_share(times * n) < 1


def test_the_attention_is_counted_as_the_loops_of_one_head_would() -> None:
    """Multiplications and additions of q k^T and of the weighted values, halved for causality."""
    n, d = 6, GPT.head_width
    full = n * n * d * 2 + n * n * d * 2
    assert GPT.attention_flops(n) == GPT.layers * GPT.heads * full // 2
