"""The checks that decide the rest of the points; their titles are shown after the due date.

Of the fastest answers many are wrong at the edges: of a block, of the range of numbers, of what one call leaves behind
for the next.
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
from grader.reference import expected_attention


def double(draw: Draw, *shapes: tuple[int, ...], sd: float = 1.0) -> list[np.ndarray]:
    """Normal float64 arrays of these shapes; `sd` is that of the first, the queries."""
    first, *others = shapes
    return [draw.normal(*first, sd=sd, dtype=np.float64)] + [
        draw.normal(*shape, dtype=np.float64) for shape in others
    ]


@value_check("rectangular", expected_attention)
def rectangular(draw: Draw) -> Call:
    """All lengths differ, and neither fills whole blocks."""
    return Call(*double(draw, (2, 3, 133, 6), (2, 3, 70, 6), (2, 3, 70, 5), sd=2.0))


@value_check("square", expected_attention)
def square(draw: Draw) -> Call:
    """As many queries as keys, five more than fill any block of up to 256; dv = d."""
    return Call(*double(draw, (261, 6), (261, 6), (261, 6), sd=2.0))


@value_check("causal-square", expected_attention)
def causal_square(draw: Draw) -> Call:
    """The same, causal."""
    return Call(*double(draw, (261, 6), (261, 6), (261, 6), sd=2.0), causal=True)


@property_check("causal-rectangular")
def causal_rectangular(student: Student, draw: Draw) -> None:
    """Fewer queries than keys; and more, so that the first ones see nothing at all."""
    calls = []
    for queries, keys in [(140, 200), (140, 200), (300, 64), (300, 64)]:
        q, k, v = double(draw, (2, queries, 6), (2, keys, 6), (2, keys, 5), sd=2.0)
        # Of 64 whole numbers the mean is exact: who gives it where zeros belong gives the same in any style.
        calls.append(Call(q, k, np.round(4.0 * v), causal=True))
    check_values(student, calls, expected_attention)


@property_check("far-from-zero")
def far_from_zero(student: Student, draw: Draw) -> None:
    """Scores around -4000 in most rows, around 4000 in two, small in one; then, causal, huge ones in the future."""
    rows = np.array([1.0, 1.0, -1.0, 1.0, 0.001, -1.0, 1.0])[:, None]
    for causal in (False, True):
        calls = []
        for _ in range(2):
            q, k, v = double(draw, (2, 7, 6), (2, 90, 6), (2, 90, 5))
            k = -np.abs(k) - 40.0
            if causal:
                k[:, 88:] *= 1.5
            calls.append(Call((np.abs(q) + 40.0) * rows, k, v, causal=causal))
        check_values(student, calls, expected_attention)


@property_check("in-turn")
def in_turn(student: Student, draw: Draw) -> None:
    """Calls of one shape one after the other: nothing that a call leaves behind may show in the next."""
    shapes = [(2, 137, 6), (2, 137, 6), (2, 137, 5)]
    calls = [
        Call(*double(draw, *shapes), causal=causal) for causal in (False, True, True, False, False, True)
    ]
    check_values(student, calls, expected_attention)


@property_check("inputs-untouched")
def inputs_untouched(student: Student, draw: Draw) -> None:
    """Any leading axes and memory layout, writable or not: the same result, and the inputs as they were."""
    for leading in [(), (2, 1, 3)]:
        arrays = double(draw, (*leading, 40, 6), (*leading, 130, 6), (*leading, 130, 5))
        right = expected_attention(*arrays, causal=True)
        for name, call in in_every_layout(Call(*arrays, causal=True)).items():
            result = ask_array(student, call, right.value.shape, np.float64, keeps_inputs=True)
            require_close(result, right.value, right.tolerance, name)
