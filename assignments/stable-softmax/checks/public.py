"""The checks that come with the assignment: run them as often as you like while you write."""

import numpy as np

from grader.checks import (
    Call,
    Draw,
    Student,
    ask_array,
    check_values,
    property_check,
    require,
    require_close,
    value_check,
)
from grader.reference import expected_softmax

# The worked example of the prompt.
INF = float("inf")
NUMBERS = [[1.0, 2.0, 3.0], [1001.0, 1002.0, 1003.0], [-INF, 0.0, 0.0], [-INF, -INF, -INF]]


@value_check("worked-example", expected_softmax)
def worked_example(draw: Draw) -> Call:
    """First the example of the prompt, then other numbers, likewise large or hidden."""
    if draw.index == 0:
        return Call(np.array(NUMBERS))
    x = draw.normal(4, 3, sd=2.0, dtype=np.float64)
    x[1] += 1000.0
    x[2, 1] = x[3] = -INF
    return Call(x)


@property_check("sums-and-shifts")
def sums_and_shifts(student: Student, draw: Draw) -> None:
    """What holds of any softmax: weights not below 0 that sum to 1, and only differences matter."""
    x = np.round(64.0 * draw.normal(5, 7, sd=2.0, dtype=np.float64)) / 64.0  # no shift below is rounded
    tolerance = expected_softmax(x).tolerance
    weights = ask_array(student, Call(x), x.shape, np.float64)
    require(bool((weights >= 0.0).all()), "No weight may be below 0.")
    sums = weights.sum(axis=-1)
    require_close(sums, 1.0, tolerance.sum(axis=-1) + 1e-15, "The weights of each row must sum to 1.")
    for shift in (8.0, 1000.0, -1000.0):
        again = ask_array(student, Call(x + shift), x.shape, np.float64)
        require_close(
            again, weights, tolerance + expected_softmax(x + shift).tolerance,
            f"{shift:+g} on all numbers changes no difference between two of them, so it must change no weight."
        )  # fmt: skip


@value_check("keeps-dtype", expected_softmax)
def keeps_dtype(draw: Draw) -> Call:
    """float16 in, float16 out; then the same for float32. All other checks are in float64."""
    return Call(draw.normal(4, 7, sd=2.0, dtype=(np.float16, np.float32)[draw.index]))


@property_check("any-axis")
def any_axis(student: Student, draw: Draw) -> None:
    """Every axis of an array, counted from the front and from the end; one axis alone, and one of length 1."""
    axes = [((3, 4, 5), axis) for axis in (-1, 0, 1, 2, -2, -3)]
    for shape, axis in [*axes, ((6,), -1), ((6,), 0), ((4, 1), 1), ((2, 3, 4, 5), -3)]:
        calls = [Call(draw.normal(*shape, sd=2.0, dtype=np.float64), axis=axis) for _ in range(2)]
        check_values(student, calls, expected_softmax)
