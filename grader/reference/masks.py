"""Who may look at what. A mask is boolean, (..., Tq, Tk) or broadcastable to it; True means "may look"."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np


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
