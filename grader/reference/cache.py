"""Decoding with a cache: the keys and values of a sequence are computed once, and kept."""

from __future__ import annotations

from typing import Any

from array_api_compat import array_namespace

from .attention import attention


def decode(q: Any, k: Any, v: Any, k_cache: Any, v_cache: Any) -> tuple[Any, Any, Any]:
    """n new tokens at the end of a sequence: (their attention (..., n, dv), the caches with their keys and values).

    q, k (..., n, d) and v (..., n, dv) are theirs; k_cache (..., T, d) and v_cache (..., T, dv) are those of the T
    tokens before, T = 0 at first. The caches that come back are new arrays of T + n tokens. Each new token
    sees the cached ones, itself, and the new ones before it.
    """
    xp = array_namespace(q, k, v, k_cache, v_cache)
    k_cache = xp.concat([k_cache, k], axis=-2)
    v_cache = xp.concat([v_cache, v], axis=-2)
    return attention(q, k_cache, v_cache, causal=True), k_cache, v_cache
