"""Variants of a question: generators of their numbers, and references that compute keys and facts from those.

Both are registered here by the name that a lesson uses; a lesson never holds code.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TypeAlias

from softmark.lessons.variants import (
    attended,
    generation,
    generators,
    masked,
    priced,
    shapes,
)
from softmark.lessons.variants.facts import fact, shown
from softmark.lessons.variants.given import Given, Misgiven, Reckoned
from softmark.lessons.variants.seeds import Stream, digest, number_of, seal_of

Generator: TypeAlias = Callable[[Stream, Given], Given]
Reference: TypeAlias = Callable[[Given], Reckoned]

VERSION = 1
"""Raised whenever a generator draws or a reference answers otherwise; frozen with what was drawn."""

MOST_VARIANTS = 100

GENERATORS: Mapping[str, Generator] = MappingProxyType(
    {
        function.__name__: function
        for function in (
            generators.small_integer_keys,
            generators.tied_integer_keys,
            generators.easy_blend,
            generators.causal_scores,
            generators.sequence_length,
            generators.head_sizes,
            generators.rows_to_cut,
            generators.small_model,
            generators.longer_text,
            generators.prompt_and_new,
            generators.shared_memory,
        )
    }
)

REFERENCES: Mapping[str, Reference] = MappingProxyType(
    {
        "scores": attended.raw_scores,
        "scaled_scores": attended.scaled_scores,
        "shares": attended.shares,
        "score_of": attended.score_of,
        "scaled_score_of": attended.scaled_score_of,
        "share_of": attended.share_of,
        "most_attended": attended.most_attended,
        "least_attended": attended.least_attended,
        "attended_order": attended.attended_order,
        "blend": attended.blend,
        "causal_weights": masked.causal_weights,
        "causal_row": masked.causal_row,
        "hidden_pairs": masked.hidden_pairs,
        "projections": shapes.projections,
        "head_width": shapes.head_width,
        "head_part": shapes.head_part,
        "score_shape": shapes.score_shape,
        "output_shape": shapes.output_shape,
        "cache_vectors_per_token": priced.cache_vectors_per_token,
        "cache_bytes_per_token": priced.cache_bytes_per_token,
        "cache_bytes": priced.cache_bytes,
        "attention_flops": priced.attention_flops,
        "attention_share": priced.attention_share,
        "crossover": priced.crossover,
        "longer_context": priced.longer_context,
        "longer_prompt": priced.longer_prompt,
        "conversations": priced.conversations,
        "passes_without_cache": generation.passes_without_cache,
        "passes_with_cache": generation.passes_with_cache,
        "recomputed_work": generation.recomputed_work,
    }
)


def all_variants(gen: str, count: int, given: Given = MappingProxyType({})) -> tuple[Given, ...]:
    """The numbered variants that a question can have, no two alike; given: what the lesson wrote.

    They are the same for everybody; which of them a draw has depends on the secret (`number_of`). Raises Misgiven,
    and KeyError where no generator has this name.
    """
    generator = GENERATORS[gen]
    if not 2 <= count <= MOST_VARIANTS:
        raise Misgiven(f"There can be 2 to {MOST_VARIANTS} variants, not {count}.")
    found: dict[str, Given] = {}
    for number in range(20 * count):
        variant = generator(Stream(digest(b"", "numbered", gen, number)), given)
        found.setdefault(json.dumps(variant, sort_keys=True), variant)
        if len(found) == count:
            return tuple(found.values())
    raise Misgiven(f"{gen} gives no {count} different variants here, only {len(found)}.")


__all__ = [
    "GENERATORS",
    "REFERENCES",
    "VERSION",
    "Generator",
    "Given",
    "Misgiven",
    "Reckoned",
    "Reference",
    "Stream",
    "all_variants",
    "fact",
    "number_of",
    "seal_of",
    "shown",
]
