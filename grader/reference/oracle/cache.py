"""What is right of decoding with a cache."""

from __future__ import annotations

import numpy as np

from ..expected import Expected
from .attention import expected_attention
from .rounding import Array, Rounded


def expected_decode(q: Array, k: Array, v: Array, k_cache: Array, v_cache: Array) -> dict[str, Expected]:
    """The output for n new tokens, and the caches with their keys and values, which are exact copies.

    q, k (..., n, d), v (..., n, dv), k_cache (..., T, d), v_cache (..., T, dv).
    """
    keys, values = np.concatenate([k_cache, k], axis=-2), np.concatenate([v_cache, v], axis=-2)
    output = expected_attention(q, keys, values, causal=True)
    copies = {
        name: Rounded.exact(cache).expected(cache.dtype, 0.0)
        for name, cache in (("k_cache", keys), ("v_cache", values))
    }
    return {"output": output, **copies}
