"""The checks that come with the assignment: run them as often as you like while you write."""

import numpy as np

from grader.checks import (
    Call,
    Draw,
    Student,
    ask_array,
    check_values,
    property_check,
    require_close,
    value_check,
)
from grader.reference import expected_scores

# The worked example of the prompt.
QUERIES = [[1.0, 2.0, 0.0, 1.0], [0.0, -1.0, 3.0, 2.0]]
KEYS = [[2.0, 1.0, 0.0, 4.0], [1.0, 0.0, 2.0, -1.0], [0.0, 3.0, 1.0, 1.0]]


@value_check("worked-example", expected_scores)
def worked_example(draw: Draw) -> Call:
    """First the example of the prompt, then other numbers of the same shapes."""
    if draw.index == 0:
        return Call(np.array(QUERIES), np.array(KEYS))
    return Call(draw.normal(2, 4, dtype=np.float64), draw.normal(3, 4, dtype=np.float64))


@property_check("one-pair-alone")
def one_pair_alone(student: Student, draw: Draw) -> None:
    """What a score depends on: its own pair and nothing else, and the length of both as well as their directions."""
    q, k = draw.normal(5, 6, dtype=np.float64), draw.normal(4, 6, dtype=np.float64)
    tolerance = expected_scores(q, k).tolerance
    result = ask_array(student, Call(q, k), (5, 4), np.float64)
    doubled = ask_array(student, Call(2.0 * q, k), (5, 4), np.float64)
    require_close(
        doubled, 2.0 * result, 4.0 * tolerance,
        "Queries twice as long must have scores twice as high: lengths count as well as directions."
    )  # fmt: skip
    opposite = ask_array(student, Call(q, -k), (5, 4), np.float64)
    require_close(
        opposite, -result, 2.0 * tolerance,
        "Keys that point the opposite way must have the same scores with the opposite sign."
    )  # fmt: skip
    part = ask_array(student, Call(q[:3], k[:2]), (3, 2), np.float64)
    require_close(
        part, result[:3, :2], 2.0 * tolerance[:3, :2],
        "The first 3 queries and 2 keys must have the same scores alone as among the others."
    )  # fmt: skip


@value_check("keeps-dtype", expected_scores)
def keeps_dtype(draw: Draw) -> Call:
    """float16 in, float16 out; then the same for float32. All other checks are in float64."""
    dtype = (np.float16, np.float32)[draw.index]
    return Call(draw.normal(2, 4, 6, dtype=dtype), draw.normal(2, 7, 6, dtype=dtype))


@property_check("leading-axes")
def leading_axes(student: Student, draw: Draw) -> None:
    """No leading axis, one, and three."""
    for leading in [(), (3,), (2, 1, 3)]:
        shapes = [(*leading, 4, 6), (*leading, 5, 6)]
        calls = [Call(*(draw.normal(*shape, dtype=np.float64) for shape in shapes)) for _ in range(2)]
        check_values(student, calls, expected_scores)
