"""The gradients of attention, written out."""

from __future__ import annotations

import math
from typing import Any

from array_api_compat import array_namespace, device

from .masks import visible_keys
from .precision import widened
from .scores import scores
from .softmax import softmax


def attention_backward(
    q: Any, k: Any, v: Any, d_out: Any, mask: Any = None, causal: bool = False
) -> tuple[Any, Any, Any]:
    """(dq, dk, dv), of the shapes and the dtype of q, k and v: the gradients of the sum of d_out * attention(...).

    q, k, v, mask and causal as for `attention`, d_out (..., Tq, dv). A query that sees no key gives no gradient.
    All scores are held at once.
    """
    xp = array_namespace(q, k, v, d_out)
    dtype = q.dtype
    q, k, v, d_out = widened(xp, q, k, v, d_out)
    visible = visible_keys(q.shape[-2], k.shape[-2], mask, causal, xp=xp, device=device(q))
    logits = scores(q, k)
    weights = softmax(logits if visible is None else xp.where(visible, logits, -math.inf))
    d_weights = xp.matmul(d_out, xp.matrix_transpose(v))
    # A row of weights sums to 1, so what all its scores have in common changes nothing.
    common = xp.sum(weights * d_weights, axis=-1, keepdims=True)
    d_logits = weights * (d_weights - common) * (1.0 / math.sqrt(q.shape[-1]))
    gradients = (
        xp.matmul(d_logits, k),
        xp.matmul(xp.matrix_transpose(d_logits), q),
        xp.matmul(xp.matrix_transpose(weights), d_out),
    )
    dq, dk, dv = (xp.astype(each, dtype, copy=False) for each in gradients)
    return dq, dk, dv
