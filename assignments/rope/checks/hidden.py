"""The checks that decide the rest of the points; their titles are shown after the due date.

Batch 2, heads 3, and as many different lengths as fit: a mistake that mixes up two axes shows only where
the axes differ, and others, such as angles on the wrong axis, run at all only where they are equal.
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
from grader.reference import expected_rope


def double(draw: Draw, *shape: int, sd: float = 2.0) -> np.ndarray:
    return draw.normal(*shape, sd=sd, dtype=np.float64)


@value_check("halves", expected_rope)
def halves(draw: Draw) -> Call:
    """Pairs (i, i + d/2), at positions with gaps, in no order, and one of them twice."""
    return Call(double(draw, 2, 3, 7, 10), 2 + draw.permutation(7) ** 2 // 2)


@value_check("interleaved", expected_rope)
def interleaved(draw: Draw) -> Call:
    """Pairs (2i, 2i + 1), the same otherwise."""
    return Call(double(draw, 2, 3, 7, 10), 2 + draw.permutation(7) ** 2 // 2, interleaved=True)


@property_check("square")
def square(student: Student, draw: Draw) -> None:
    """As many heads as positions as pairs: angles on the wrong axis go unnoticed but for the values."""
    calls = [
        Call(double(draw, 2, 4, 4, 8), 1 + draw.permutation(4), interleaved=interleaved)
        for interleaved in (False, True)
        for _ in range(2)
    ]
    check_values(student, calls, expected_rope)


@property_check("bases")
def bases(student: Student, draw: Draw) -> None:
    """Slower and faster pairs than usual, and the base that is meant where none is given."""
    positions = np.array([0, 1, 2, 17, 5])
    calls = [
        Call(double(draw, 2, 5, 6), positions, interleaved=interleaved, **base)
        for interleaved in (False, True)
        for base in ({"base": 500000.0}, {}, {"base": 50.0})
    ]
    check_values(student, calls, expected_rope)


@property_check("far")
def far(student: Student, draw: Draw) -> None:
    """Positions near a million, negative ones and fractions: the angles must be taken in float64."""
    whole = 1_000_000 + 37 * draw.permutation(5)
    fractions = np.array([0.25, -3.5, 1000.125, -70000.75, 12.5])
    calls = [
        Call(double(draw, 2, 5, 8), positions, interleaved=interleaved)
        for positions in (whole, fractions)
        for interleaved in (False, True)
    ]
    check_values(student, calls, expected_rope)


@value_check("half-precision-far", expected_rope)
def half_precision_far(draw: Draw) -> Call:
    """float16, whose own whole numbers have gaps from 2048 on."""
    return Call(draw.normal(2, 5, 8, dtype=np.float16), 9001 + 2 * draw.permutation(5))


@property_check("shapes")
def shapes(student: Student, draw: Draw) -> None:
    """No leading axis and several, one row as in decoding, and a single pair."""
    calls = [
        Call(double(draw, *shape), 3 + draw.permutation(shape[-2]), interleaved=interleaved)
        for shape in [(6, 4), (1, 8), (2, 3, 1, 2), (2, 1, 3, 5, 6)]
        for interleaved in (False, True)
    ]
    check_values(student, calls, expected_rope)


@property_check("inputs-untouched")
def inputs_untouched(student: Student, draw: Draw) -> None:
    """Inputs in any memory layout, writable or not, give the same result and are left as they were."""
    x, positions = double(draw, 2, 3, 7, 10), draw.permutation(7)
    for interleaved in (False, True):
        right = expected_rope(x, positions, interleaved=interleaved)
        for name, call in in_every_layout(Call(x, positions, interleaved=interleaved)).items():
            result = ask_array(student, call, x.shape, np.float64, keeps_inputs=True)
            require_close(result, right.value, right.tolerance, name)
