"""The checks that decide the rest of the points; their titles are shown after the due date.

Batch 2, heads 3, and as many different lengths as fit: a mistake that mixes up two axes shows only where
the axes differ, and others, such as a forgotten transposition, run at all only where they are equal. dv stands
apart from dq and dk, so that a mistake on each side is told by its own name.
"""

import numpy as np

from grader.checks import (
    Call,
    Draw,
    Student,
    ask_arrays,
    check_values,
    in_every_layout,
    property_check,
    require_close,
    value_check,
)
from grader.reference import expected_backward


def double(
    draw: Draw, queries: int, keys: int, width: int, value_width: int, sd: float = 2.0
) -> list[np.ndarray]:
    """q, k, v and d_out in float64, batch 2 and heads 3; `sd` is that of the queries, which sets that of the scores."""
    shapes = [(queries, width), (keys, width), (keys, value_width), (queries, value_width)]
    sds = [sd, 1.0, 1.0, 1.0]
    return [draw.normal(2, 3, *shape, sd=sd, dtype=np.float64) for shape, sd in zip(shapes, sds, strict=True)]


def rectangular(draw: Draw) -> Call:
    """All lengths differ: 7 queries, 11 keys, d = 6, dv = 5."""
    return Call(*double(draw, 7, 11, 6, 5), causal=True)


def square(draw: Draw) -> Call:
    """As many queries as keys, and dv = d: mixing up operands goes unnoticed but for the values."""
    return Call(*double(draw, 11, 11, 6, 6))


rectangular_dv = value_check("rectangular-dv", expected_backward, parts=["dv"])(rectangular)
rectangular_dq = value_check("rectangular-dq", expected_backward, parts=["dq"])(rectangular)
rectangular_dk = value_check("rectangular-dk", expected_backward, parts=["dk"])(rectangular)

# A product that lacks a transposition runs here alone. dq and dk stand together: only both of them tell a factor
# that is missing in one from a factor that is missing in both.
square_dv = value_check("square-dv", expected_backward, parts=["dv"])(square)
square_dq_dk = value_check("square-dq-dk", expected_backward, parts=["dq", "dk"])(square)


@property_check("row-scales")
def row_scales(student: Student, draw: Draw) -> None:
    """Rows of tiny and of huge scores side by side: the weights of some are as good as 0 and 1."""
    calls = []
    for _ in range(2):
        q, *others = double(draw, 5, 11, 6, 4)
        calls.append(Call(q * np.array([1.0, 600.0, 1.0, 900.0, -700.0])[:, None], *others))
    check_dq_first(student, calls)


@property_check("sees-nothing")
def sees_nothing(student: Student, draw: Draw) -> None:
    """More queries than keys, causal: the first five queries see no key, and their gradient is 0."""
    calls = []
    for _ in range(2):
        q, *others = double(draw, 9, 4, 4, 5)
        # With whole numbers, four keys and d = 4 all is exact in these rows: who treats them as if they saw all keys
        # alike gives the same gradients in any style.
        calls.append(Call(q, *(np.round(2.0 * each) for each in others), causal=True))
    check_dq_first(student, calls)


def check_dq_first(student: Student, calls: list[Call]) -> None:
    """NaN in one row of the weights is NaN all over dk and dv: dq alone tells which rows it comes from."""
    check_values(student, calls, expected_backward, parts=["dq"])
    check_values(student, calls, expected_backward)


@property_check("inputs-untouched")
def inputs_untouched(student: Student, draw: Draw) -> None:
    """Inputs in any memory layout, writable or not, give the same result and are left as they were."""
    arrays = double(draw, 7, 11, 6, 5, sd=1.0)
    right = expected_backward(*arrays, causal=True)
    shapes = {name: each.value.shape for name, each in right.items()}
    for said, call in in_every_layout(Call(*arrays, causal=True)).items():
        got = ask_arrays(student, call, shapes, np.float64, keeps_inputs=True)
        for name, each in right.items():
            require_close(got[name], each.value, each.tolerance, f"{said} `{name}`:")
