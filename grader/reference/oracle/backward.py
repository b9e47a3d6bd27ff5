"""What is right of the gradients of attention."""

from __future__ import annotations

import math

from ..expected import Expected
from ..masks import visible_keys
from .attention import rounded_scores
from .factors import BACKWARD
from .rounding import Array, Rounded


def expected_backward(
    q: Array, k: Array, v: Array, d_out: Array, mask: Array | None = None, causal: bool = False
) -> dict[str, Expected]:
    """dq, dk and dv, of the shapes of q, k and v: the gradients of the sum of d_out * attention(...).

    q, k, v, mask and causal as in `expected_attention`, d_out (..., Tq, dv).
    """
    factor = BACKWARD[q.dtype]
    visible = visible_keys(q.shape[-2], k.shape[-2], mask, causal)
    queries, keys, values, gradient = (Rounded.exact(each) for each in (q, k, v, d_out))
    weights = rounded_scores(queries, keys).softmax(visible)
    d_weights = gradient @ values.mT
    d_scores = weights * (d_weights - (weights * d_weights).sum()) / math.sqrt(q.shape[-1])
    gradients = {"dq": d_scores @ keys, "dk": d_scores.mT @ queries, "dv": weights.mT @ gradient}
    return {name: each.expected(q.dtype, factor) for name, each in gradients.items()}
