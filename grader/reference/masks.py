"""Who may look at what. A mask is boolean, (..., Tq, Tk) or broadcastable to it; True means "may look"."""

from __future__ import annotations

import math
from types import ModuleType
from typing import Any

import numpy as np
from array_api_compat import array_namespace
from array_api_compat import device as device_of


def causal_mask(
    queries: int, keys: int, *, rows: range | None = None, xp: ModuleType = np, device: Any = None
) -> Any:
    """(len(rows), keys): each query sees the keys up to its own position; `rows` are all of them unless told.

    Aligned at the bottom right: the last query is the newest token and sees every key. With fewer queries
    than keys this is decoding; with more, the first queries see nothing.
    """
    rows = range(queries) if rows is None else rows
    position = xp.arange(rows.start, rows.stop, device=device) + (keys - queries)
    return xp.arange(keys, device=device)[None, :] <= position[:, None]


def visible_keys(
    queries: int,
    keys: int,
    mask: Any = None,
    causal: bool = False,
    *,
    rows: range | None = None,
    xp: ModuleType = np,
    device: Any = None,
) -> Any:
    """A mask and causality combined: a key must be allowed by both. None where nothing is hidden.

    mask: None, or broadcastable to (..., len(rows), keys): already cut to those rows.
    """
    if not causal:
        return mask
    past = causal_mask(queries, keys, rows=rows, xp=xp, device=device)
    return past if mask is None else xp.logical_and(past, mask)


def padding_mask(lengths: Any, keys: int) -> Any:
    """(..., 1, keys): in each sequence of `keys` tokens the first lengths[...] are real, and the rest is padding.

    lengths: an integer array (...), an axis for each leading axis of the queries, of length 1 where they are alike:
    (B,) for queries (B, Tq, d), (B, 1) for queries (B, H, Tq, d).
    """
    xp = array_namespace(lengths)
    return xp.arange(keys, device=device_of(lengths)) < lengths[..., None, None]


def sliding_window_mask(
    queries: int, keys: int, window: int, *, xp: ModuleType = np, device: Any = None
) -> Any:
    """(queries, keys): each query sees the newest `window` keys up to its own position, its own among them.

    Aligned at the bottom right, like `causal_mask`, of which it is a part.
    """
    position = xp.arange(queries, device=device)[:, None] + (keys - queries)
    age = position - xp.arange(keys, device=device)[None, :]
    return xp.logical_and(age >= 0, age < window)


def additive(mask: Any, dtype: Any) -> Any:
    """The mask as what is added to the scores: 0 where a query may look and -inf where not, of this dtype."""
    xp = array_namespace(mask)
    look, hide = (xp.asarray(each, dtype=dtype, device=device_of(mask)) for each in (0.0, -math.inf))
    return xp.where(mask, look, hide)
