"""The checks that decide the rest of the points; their titles are shown after the due date.

Batch 2, heads 3, and as many different lengths as fit: a mistake that mixes up two axes shows only where
the axes differ, and others, such as a transposed product, run at all only where they are equal.
"""

import numpy as np

from grader.checks import (
    Call,
    Draw,
    Student,
    ask_array,
    in_every_layout,
    property_check,
    require_close,
    value_check,
)
from grader.reference import expected_attention


def double(draw: Draw, *shapes: tuple[int, ...], sd: float = 1.0) -> list[np.ndarray]:
    """Normal float64 arrays of these shapes; `sd` is that of the first, the queries."""
    first, *others = shapes
    return [draw.normal(*first, sd=sd, dtype=np.float64)] + [
        draw.normal(*shape, dtype=np.float64) for shape in others
    ]


@value_check("rectangular", expected_attention)
def rectangular(draw: Draw) -> Call:
    """All lengths differ: 7 queries, 11 keys, d = 6, dv = 5."""
    return Call(*double(draw, (2, 3, 7, 6), (2, 3, 11, 6), (2, 3, 11, 5), sd=2.0))


@value_check("square", expected_attention)
def square(draw: Draw) -> Call:
    """As many queries as keys, and dv = d: mixing up operands goes unnoticed but for the values."""
    return Call(*double(draw, (2, 3, 11, 6), (2, 3, 11, 6), (2, 3, 11, 6), sd=2.0))


@value_check("row-scales", expected_attention)
def row_scales(draw: Draw) -> Call:
    """Rows of tiny and of huge scores side by side: each needs a maximum of its own."""
    q, k, v = double(draw, (2, 3, 5, 6), (2, 3, 11, 6), (2, 3, 11, 5), sd=2.0)
    return Call(q * np.array([1.0, 600.0, 1.0, 900.0, -700.0])[:, None], k, v)


@value_check("far-from-zero", expected_attention)
def far_from_zero(draw: Draw) -> Call:
    """Scores around -4000 in most rows, around 4000 in two, small in one: only differences matter."""
    q, k, v = double(draw, (2, 3, 7, 6), (2, 3, 11, 6), (2, 3, 11, 5))
    rows = np.array([1.0, 1.0, -1.0, 1.0, 0.001, -1.0, 1.0])[:, None]
    return Call((np.abs(q) + 40.0) * rows, -np.abs(k) - 40.0, v)


@value_check("long", expected_attention)
def long(draw: Draw) -> Call:
    """150 keys: no power of two, so the last block of a blockwise answer is a short one."""
    return Call(*double(draw, (2, 130, 16), (2, 150, 16), (2, 150, 8), sd=2.0))


@property_check("inputs-untouched")
def inputs_untouched(student: Student, draw: Draw) -> None:
    """Inputs in any memory layout, writable or not, give the same result and are left as they were."""
    q, k, v = double(draw, (2, 3, 7, 6), (2, 3, 11, 6), (2, 3, 11, 6))
    right = expected_attention(q, k, v)
    for name, call in in_every_layout(Call(q, k, v)).items():
        result = ask_array(student, call, right.value.shape, np.float64, keeps_inputs=True)
        require_close(result, right.value, right.tolerance, name)
