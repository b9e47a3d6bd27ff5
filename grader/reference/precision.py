"""Half precision is for storage: what is stored in it is computed in float32."""

from __future__ import annotations

from types import ModuleType
from typing import Any


def widened(xp: ModuleType, *arrays: Any) -> tuple[Any, ...]:
    """The arrays, those of half precision in float32; the others are not copied."""
    return tuple(xp.astype(each, xp.float32) if xp.finfo(each.dtype).bits < 32 else each for each in arrays)
