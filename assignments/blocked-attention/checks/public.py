"""The checks that come with the assignment: run them as often as you like while you write."""

import numpy as np

from grader.checks import (
    Call,
    Draw,
    Expected,
    Student,
    check_values,
    memory_check,
    property_check,
    value_check,
)
from grader.reference import expected_attention

# The worked example of the prompt.
QUERY = [[2.0, 0.0, 2.0, 0.0]]
KEYS = [[0.0, 1.0, 0.0, 1.0], [1.0, 1.0, 0.0, 0.0], [1.0, 0.0, 1.0, 0.0], [0.0, 0.0, 1.0, 1.0]]
VALUES = [[0.0, 10.0], [4.0, 4.0], [10.0, 0.0], [0.0, 2.0]]

# 64 fills a block of every usual size up to 64; the others do not.
KEY_COUNTS = (1, 3, 5, 64, 65, 100, 127, 130, 200)


@value_check("worked-example", expected_attention)
def worked_example(draw: Draw) -> Call:
    """First the example of the prompt, then other numbers of the same shapes."""
    if draw.index == 0:
        return Call(np.array(QUERY), np.array(KEYS), np.array(VALUES))
    return Call(*(draw.normal(*shape, dtype=np.float64) for shape in [(1, 4), (4, 4), (4, 2)]))


@property_check("any-length")
def any_length(student: Student, draw: Draw) -> None:
    """Fewer keys than a block, as many, a few more, and several blocks with a shorter one at the end."""
    calls = []
    for keys in KEY_COUNTS:
        for _ in range(2):
            q = draw.normal(2, 3, 4, 6, sd=2.0, dtype=np.float64)
            k, v = (draw.normal(2, 3, keys, width, dtype=np.float64) for width in (6, 5))
            calls.append(Call(q, k, v))
    check_values(student, calls, expected_attention)


@value_check("keeps-dtype", expected_attention)
def keeps_dtype(draw: Draw) -> Call:
    """float16 in, float16 out; then the same for float32. All other checks of values are in float64."""
    dtype = (np.float16, np.float32)[draw.index]
    shapes = [(2, 4, 6), (2, 150, 6), (2, 150, 5)]
    return Call(*(draw.normal(*shape, dtype=dtype) for shape in shapes))


def expected_in_blocks(q: np.ndarray, k: np.ndarray, v: np.ndarray, causal: bool) -> Expected:
    """expected_attention for as many queries as keys, some queries at a time: the judge, too, has little memory."""
    blocks = []
    for start in range(0, q.shape[-2], 250):
        stop = min(start + 250, q.shape[-2])
        seen = stop if causal else k.shape[-2]
        block = q[..., start:stop, :], k[..., :seen, :], v[..., :seen, :]
        blocks.append(expected_attention(*block, causal=causal))
    value, tolerance = (
        np.concatenate([getattr(block, part) for block in blocks], axis=-2) for part in ("value", "tolerance")
    )
    return Expected(value, tolerance, q.dtype)


def long(draw: Draw, length: int) -> Call:
    """One head of as many queries as keys."""
    return Call(*(draw.normal(1, length, 8, dtype=np.float64) for _ in range(3)), causal=True)


@memory_check("memory", expected_in_blocks, most_mb=48, small=lambda draw: long(draw, 261))
def memory(draw: Draw) -> Call:
    """3500 queries and keys: all scores would take 98 MB, and 256 columns of them take 7."""
    return long(draw, 3500)
