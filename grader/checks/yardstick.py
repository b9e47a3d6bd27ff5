"""What a student's time and memory are measured against: the two matmuls of attention, or nothing at all.

In the sandbox it is a submission of its own in a child of its own, so that it meets the same channel and the same
limits. That child sees nothing of the grader: this file may import only numpy and the standard library, and where the
arrays lie on a GPU array_api_compat.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np


def yardstick(what: Any, results: Any, /, *args: Any, **kwargs: Any) -> Any:
    """Takes a call's arguments and gives back arrays of ones, as large as the call's results.

    what:    "matmuls": multiplies q k^T and the product with v, q, k and v being the first three arguments; or
             "nothing".
    results: JSON, a list of [dtype, shape].
    """
    on_device = type(args[0]) is not np.ndarray
    if what == "matmuls":
        (two_matmuls_at_once if on_device else two_matmuls)(*args[:3])
    make = _maker_beside(args[0]) if on_device else np.ones  # zeros would take no memory
    arrays = tuple(make(shape, dtype) for dtype, shape in json.loads(results))
    return arrays if len(arrays) > 1 else arrays[0]


def two_matmuls(q: np.ndarray, k: np.ndarray, v: np.ndarray) -> None:
    """Scores and output of every head, without softmax: q (..., Tq, d), k (..., Tk, d), v (..., Tk, dv).

    k and v may have fewer heads than q. One buffer for the scores serves all heads.
    """
    queries = q.reshape(-1, *q.shape[-2:])
    keys, values = (each.reshape(-1, *each.shape[-2:]) for each in (k, v))
    scores = np.empty((q.shape[-2], k.shape[-2]), q.dtype)
    output = np.empty((len(queries), q.shape[-2], v.shape[-1]), q.dtype)
    for head, query in enumerate(queries):
        shared = head * len(keys) // len(queries)
        np.matmul(query, keys[shared].T, out=scores)
        np.matmul(scores, values[shared], out=output[head])


def two_matmuls_at_once(q: Any, k: Any, v: Any) -> None:
    """The same of all heads together, as a GPU wants it."""
    from array_api_compat import array_namespace

    xp = array_namespace(q, k, v)
    sharing = q.shape[-3] // k.shape[-3] if q.ndim > 2 else 1
    keys, values = (xp.repeat(each, sharing, axis=-3) if sharing > 1 else each for each in (k, v))
    xp.matmul(xp.matmul(q, xp.matrix_transpose(keys)), values)


def _maker_beside(array: Any) -> Callable[[Any, str], Any]:
    """What makes arrays of ones on the device of this one."""
    from array_api_compat import array_namespace, device

    xp = array_namespace(array)
    return lambda shape, dtype: xp.ones(tuple(shape), dtype=getattr(xp, dtype), device=device(array))
