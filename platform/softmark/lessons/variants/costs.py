"""What a long context costs: bytes of a cache, and floating-point operations. One place for every figure.

n is a length in tokens. A multiplication and an addition count as two operations. Arithmetic, not a measurement: it
says nothing about how fast a machine does it, nor whether a model works at that length.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction


@dataclass(frozen=True)
class Model:
    """A decoder, by its sizes.

    layers, width (D), heads (H), kv_heads (Hkv), head_width (d): H d are the queries' numbers of a token.
    bytes_a_number: 2 in fp16 and bf16.
    feed_forward, feed_forward_matrices: their inner width, and how many there are in a layer; 0 where only the
    attention is asked about.
    context: the length that it is made for; None where nobody says.
    """

    name: str
    layers: int
    width: int
    heads: int
    kv_heads: int
    head_width: int
    bytes_a_number: int = 2
    feed_forward: int = 0
    feed_forward_matrices: int = 0
    context: int | None = None

    @property
    def ungrouped(self) -> Model:
        """The same with keys and values for each head of its own."""
        return replace(self, kv_heads=self.heads)

    @property
    def vectors_per_token(self) -> int:
        """What the cache keeps of a token: a key and a value for each head that has its own, in each layer."""
        return 2 * self.layers * self.kv_heads

    @property
    def cache_bytes_per_token(self) -> int:
        return self.vectors_per_token * self.head_width * self.bytes_a_number

    def cache_bytes(self, n: int) -> int:
        return self.cache_bytes_per_token * n

    @property
    def attention_flops_per_pair(self) -> int:
        """Operations per n^2 in all layers: q k and the sum of values, 2 H d each, of which causality needs half."""
        return 2 * self.layers * self.heads * self.head_width

    def attention_flops(self, n: int) -> int:
        """Scores and weighted values of n tokens, causal, over all layers; without the softmax, which is little."""
        return self.attention_flops_per_pair * n * n

    @property
    def weights(self) -> int:
        """Numbers in the matrices that each token is multiplied by; without the vocabulary's."""
        of_queries, of_keys = self.heads * self.head_width, self.kv_heads * self.head_width
        attention = 2 * self.width * of_queries + 2 * self.width * of_keys
        return self.layers * (attention + self.feed_forward_matrices * self.width * self.feed_forward)

    @property
    def other_flops_per_token(self) -> int:
        """Everything but the attention itself: projections and feed-forward, two operations a weight."""
        return 2 * self.weights

    def other_flops(self, n: int) -> int:
        return self.other_flops_per_token * n

    def attention_share(self, n: int) -> Fraction:
        """The attention's part of all operations, from 0 to 1."""
        attention = self.attention_flops(n)
        return Fraction(attention, attention + self.other_flops(n))

    @property
    def crossover(self) -> Fraction:
        """The length at which the attention costs as much as everything else."""
        return Fraction(self.other_flops_per_token, self.attention_flops_per_pair)


LLAMA_3_1_8B = Model(
    "Llama-3.1-8B",
    layers=32,
    width=4096,
    heads=32,
    kv_heads=8,
    head_width=128,
    feed_forward=14_336,
    feed_forward_matrices=3,
    context=131_072,
)
GPT_2_SMALL = Model(
    "GPT-2 small",
    layers=12,
    width=768,
    heads=12,
    kv_heads=12,
    head_width=64,
    feed_forward=3072,
    feed_forward_matrices=2,
    context=1024,
)

LEAST, MOST = 512, 1_000_000  # tokens, between which it is asked about
MODELS: Mapping[str, Model] = {"llama-3.1-8b": LLAMA_3_1_8B, "gpt-2-small": GPT_2_SMALL}
