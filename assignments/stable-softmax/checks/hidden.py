"""The checks that decide the rest of the points; their titles are shown after the due date.

All lengths differ, but for one check in which they are all the same: a mistake that mixes up two axes shows only
where the axes differ, and others, such as a sum that has lost its axis, run only where they do not.

exp of a double is 0 below -745, and has lost digits below -708: rows that lie some 730 apart, or as far below 0,
show the loss of a maximum whether or not a student's code guards its division against a sum of 0.
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
from grader.reference import expected_softmax


def double(draw: Draw, *shape: int, sd: float = 2.0) -> np.ndarray:
    return draw.normal(*shape, sd=sd, dtype=np.float64)


@value_check("many-rows", expected_softmax)
def many_rows(draw: Draw) -> Call:
    """2 sequences, 3 heads, 7 queries, 11 keys; the axis is not told."""
    return Call(double(draw, 2, 3, 7, 11))


@property_check("all-lengths-equal")
def all_lengths_equal(student: Student, draw: Draw) -> None:
    """Along each axis of a cube: whatever is mixed up, the shapes fit, and the values alone tell."""
    axes = [{}, {"axis": 0}, {"axis": 1}, {"axis": -2}]
    check_values(student, [Call(double(draw, 5, 5, 5), **axis) for axis in axes], expected_softmax)


@value_check("rows-far-apart", expected_softmax)
def rows_far_apart(draw: Draw) -> Call:
    """Rows near 0 beside rows around 730."""
    return Call(double(draw, 3, 6, 5) + np.array([0.0, 730.0, 0.0, 0.0, 730.0, 0.0])[:, None])


@value_check("extremes", expected_softmax)
def extremes(draw: Draw) -> Call:
    """Rows around -730 and around 730, two that reach from thousands below 0 to thousands above it, and one near 0."""
    scale = np.array([1.0, 1.0, 900.0, 1.0, 1.0, 600.0])[:, None]
    shift = np.array([-730.0, 730.0, 0.0, -731.0, 0.0, 0.0])[:, None]
    return Call(double(draw, 3, 6, 5) * scale + shift)


@property_check("minus-infinity")
def minus_infinity(student: Student, draw: Draw) -> None:
    """Minus infinity in about half of the places, wherever they are, and in the whole of some rows."""
    calls = []
    for axis in (-1, -1, 0, 1):
        x = double(draw, 6, 4, 5)
        x[~draw.mask(6, 4, 5, keep=0.5)] = -np.inf
        along = np.moveaxis(x, axis, -1)
        along[1, 2] = along[0, 0] = -np.inf
        calls.append(Call(x, axis=axis))
    check_values(student, calls, expected_softmax)


@property_check("inputs-untouched")
def inputs_untouched(student: Student, draw: Draw) -> None:
    """An input in any memory layout, writable or not, gives the same result and is left as it was."""
    x = double(draw, 3, 7, 6)
    right = expected_softmax(x, 1)
    for name, call in in_every_layout(Call(x, axis=1)).items():
        result = ask_array(student, call, x.shape, np.float64, keeps_inputs=True)
        require_close(result, right.value, right.tolerance, name)
