"""The checks that decide the rest of the points; their titles are shown after the due date.

All lengths differ, but for one check in which they are all the same: a mistake that mixes up two axes shows only
where the axes differ, and others, such as a product without a transposition, run only where they do not.
"""

import numpy as np

from grader.checks import (
    Call,
    Draw,
    Student,
    ask_array,
    check_values,
    in_every_layout,
    property_check,
    require_close,
    value_check,
)
from grader.reference import expected_scores


def pair(draw: Draw, queries: tuple[int, ...], keys: tuple[int, ...]) -> Call:
    """Normal float64 queries and keys of these shapes."""
    return Call(draw.normal(*queries, sd=2.0, dtype=np.float64), draw.normal(*keys, dtype=np.float64))


@value_check("rectangular", expected_scores)
def rectangular(draw: Draw) -> Call:
    """2 sequences, 3 heads, 7 queries, 11 keys, d = 6."""
    return pair(draw, (2, 3, 7, 6), (2, 3, 11, 6))


@value_check("all-lengths-equal", expected_scores)
def all_lengths_equal(draw: Draw) -> Call:
    """5 of everything: whatever is mixed up, the shapes fit, and the values alone tell."""
    return pair(draw, (5, 5, 5, 5), (5, 5, 5, 5))


@property_check("single")
def single(student: Student, draw: Draw) -> None:
    """Axes of length 1, none of which may get lost."""
    for queries, keys, width in [(1, 9, 6), (5, 1, 6), (4, 3, 1), (1, 1, 1)]:
        calls = [pair(draw, (2, 3, queries, width), (2, 3, keys, width)) for _ in range(2)]
        check_values(student, calls, expected_scores)


@property_check("inputs-untouched")
def inputs_untouched(student: Student, draw: Draw) -> None:
    """Inputs in any memory layout, writable or not, give the same result and are left as they were."""
    plain = pair(draw, (2, 3, 7, 6), (2, 3, 11, 6))
    right = expected_scores(*plain.args)
    for name, call in in_every_layout(plain).items():
        result = ask_array(student, call, right.value.shape, np.float64, keeps_inputs=True)
        require_close(result, right.value, right.tolerance, name)
