"""The softmax, stable: no score is too large for it."""

from __future__ import annotations

import math
from typing import Any

from array_api_compat import array_namespace

from .precision import widened


def softmax(x: Any, axis: int = -1) -> Any:
    """exp(x) divided by its sum along `axis`, of the shape and dtype of x; a row of only -inf gives 0."""
    xp = array_namespace(x)
    (wide,) = widened(xp, x)
    if wide.shape[axis] == 0:  # nothing to take the maximum of
        return xp.zeros_like(x)
    peak = xp.max(wide, axis=axis, keepdims=True)
    weights = xp.exp(wide - xp.where(peak == -math.inf, 0.0, peak))
    total = xp.sum(weights, axis=axis, keepdims=True)
    return xp.astype(weights / xp.where(total == 0.0, 1.0, total), x.dtype, copy=False)
