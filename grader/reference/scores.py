"""How well each key answers each query."""

from __future__ import annotations

import math
from typing import Any

from array_api_compat import array_namespace

from .precision import widened


def scores(q: Any, k: Any) -> Any:
    """q k^T / sqrt(d), (..., Tq, Tk) in the dtype of q. q (..., Tq, d), k (..., Tk, d)."""
    xp = array_namespace(q, k)
    wide_q, wide_k = widened(xp, q, k)
    product = xp.matmul(wide_q * (1.0 / math.sqrt(q.shape[-1])), xp.matrix_transpose(wide_k))
    return xp.astype(product, q.dtype, copy=False)
