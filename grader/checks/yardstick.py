"""What a student's time and memory are measured against: the two matmuls of attention, or nothing at all.

In the sandbox it is a submission of its own in a child of its own, so that it meets the same channel and the same
limits. That child sees nothing of the grader: this file may import only numpy and the standard library.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np


def yardstick(what: Any, results: Any, /, *args: Any, **kwargs: Any) -> Any:
    """Takes a call's arguments and gives back arrays of ones, as large as the call's results.

    what:    "matmuls": multiplies q k^T and the product with v, q, k and v being the first three arguments; or
             "nothing".
    results: JSON, a list of [dtype, shape].
    """
    if what == "matmuls":
        two_matmuls(*args[:3])
    arrays = tuple(
        np.ones(shape, dtype) for dtype, shape in json.loads(results)
    )  # zeros would take no memory
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
