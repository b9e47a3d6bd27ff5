"""The oracle: attention in float64, and the error that a right answer in a narrower type may have.

Plain numpy with all scores at once: meant for the small inputs of checks, not for long sequences.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .expected import Expected
from .masks import visible_keys

Array = NDArray[Any]

# In twenty right styles the error stays below half of what these allow, in float16 below two thirds.
ELEMENT_FACTOR = {np.dtype(np.float16): 4.0, np.dtype(np.float32): 16.0, np.dtype(np.float64): 16.0}


def expected_attention(
    q: Array, k: Array, v: Array, mask: NDArray[np.bool_] | None = None, causal: bool = False
) -> Expected:
    """softmax(q k^T / sqrt(d)) v with its tolerance; a query that sees no key gives 0.

    q (..., Tq, d), k (..., Tk, d), v (..., Tk, dv), all of the dtype that the answer must have: float16, float32
    or float64, KeyError for any other; mask broadcastable to (..., Tq, Tk), True = may look.
    """
    dtype = q.dtype
    q, k, v = (np.asarray(each, dtype=np.float64) for each in (q, k, v))
    scores = (q / math.sqrt(q.shape[-1])) @ k.swapaxes(-1, -2)
    visible = visible_keys(q.shape[-2], k.shape[-2], mask, causal)
    if visible is not None:
        visible = np.broadcast_to(visible, scores.shape)
        reach = np.abs(scores).max(axis=-1, keepdims=True, where=visible, initial=0.0)
        scores = np.where(visible, scores, -np.inf)
    else:
        reach = np.abs(scores).max(axis=-1, keepdims=True, initial=0.0)
    peak = scores.max(axis=-1, keepdims=True, initial=-np.inf)
    weights = np.exp(scores - np.where(peak == -np.inf, 0.0, peak))
    total = weights.sum(axis=-1, keepdims=True)
    weights /= np.where(total == 0.0, 1.0, total)
    return Expected(weights @ v, element_tolerance(dtype, reach, weights @ np.abs(v)), dtype)


def element_tolerance(dtype: np.dtype[Any], reach: Array, spread: Array) -> NDArray[np.float64]:
    """How far an element of attention's result may lie from the oracle's: what rounding in `dtype` excuses.

    reach:   the largest |score| among the keys that each query may see, (..., Tq, 1): one rounding of a score
             of that size changes its weight by as much, relatively.
    spread:  the weighted mean of |v|, (..., Tq, dv): the weighted sum rounds relative to that.

    Scores are products of d terms, and round relative to those. Where a query sees but two or three keys, and
    its products with all of them happen to cancel, that can exceed this bound: large scores need many keys.
    """
    limits = np.finfo(dtype)
    tolerance: NDArray[np.float64] = spread * (1.0 + reach)
    tolerance *= ELEMENT_FACTOR[dtype] * float(limits.eps)
    tolerance += float(limits.tiny)
    return tolerance
