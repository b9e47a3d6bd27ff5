"""The checks that decide the rest of the points; their titles are shown after the due date.

A wrong result of a blockwise answer depends on the length of the block, which everyone chooses for himself. So
some inputs repeat the same 16 keys: a block of 16, 32, 64 or 128 then makes the same of them, the mistake gives the
same numbers whatever the block's length, and it can be named.
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

PERIOD = 16


def double(draw: Draw, *shapes: tuple[int, ...], sd: float = 1.0) -> list[np.ndarray]:
    """Normal float64 arrays of these shapes; `sd` is that of the first, the queries."""
    first, *others = shapes
    return [draw.normal(*first, sd=sd, dtype=np.float64)] + [
        draw.normal(*shape, dtype=np.float64) for shape in others
    ]


def repeated(draw: Draw, keys: int, lift: float) -> list[np.ndarray]:
    """The same 16 keys and values over and over, (keys, 6) and (keys, 5); `lift` is the keys' last feature."""
    k, v = double(draw, (PERIOD, 6), (PERIOD, 5))
    k[:, -1] = lift
    return [np.tile(each, (-(-keys // PERIOD), 1))[:keys].copy() for each in (k, v)]


def halves(draw: Draw, first_lift: float, second_lift: float) -> Call:
    """As many queries as keys, of which the two halves repeat 16 keys each."""
    q = draw.normal(256, 6, sd=1.5, dtype=np.float64)
    q[:, -1] = 2.0
    first, second = repeated(draw, 128, first_lift), repeated(draw, 128, second_lift)
    return Call(q, *(np.concatenate(parts, axis=-2) for parts in zip(first, second, strict=True)))


@property_check("order-and-copies")
def order_and_copies(student: Student, draw: Draw) -> None:
    """Keys in another order, each with its value, or all of them twice: the result stays the same."""
    for keys in (70, 150, 300):
        q = draw.normal(2, 4, 6, sd=2.0, dtype=np.float64)
        k, v = (draw.normal(2, keys, width, dtype=np.float64) for width in (6, 5))
        tolerance = 2.0 * expected_attention(q, k, v).tolerance
        result = ask_array(student, Call(q, k, v), (2, 4, 5), np.float64)
        for order, said in [
            (draw.permutation(keys), f"The same {keys} keys with their values, in another order,"),
            (np.tile(np.arange(keys), 2), f"The same {keys} keys with their values, all of them twice,"),
        ]:
            call = Call(q, k[:, order].copy(), v[:, order].copy())
            again = ask_array(student, call, (2, 4, 5), np.float64)
            require_close(again, result, tolerance, f"{said} must give the same result.")


@property_check("best-half")
def best_half(student: Student, draw: Draw) -> None:
    """The better keys come last, so that the maximum grows on the way; or first, so that it does not."""
    lifts = [(-1.0, 1.0), (-1.0, 1.0), (1.0, -1.0), (1.0, -1.0)]
    check_values(student, [halves(draw, *lift) for lift in lifts], expected_attention)


@value_check("five-over", expected_attention)
def five_over(draw: Draw) -> Call:
    """Five keys more than fill any block of up to 256, and they are the best."""
    q = draw.normal(7, 6, sd=1.5, dtype=np.float64)
    q[:, -1] = 2.0
    most, few = repeated(draw, 256, -1.0), repeated(draw, 5, 1.0)
    return Call(q, *(np.concatenate(parts, axis=-2) for parts in zip(most, few, strict=True)))


@value_check("three-short", expected_attention)
def three_short(draw: Draw) -> Call:
    """Three keys less than fill any block of 16 to 256."""
    return Call(draw.normal(7, 6, sd=1.5, dtype=np.float64), *repeated(draw, 253, 0.0))


@property_check("far-from-zero")
def far_from_zero(student: Student, draw: Draw) -> None:
    """Scores around -4000 in most rows, around 4000 in two, small in one, and the keys from 256 on half as long again.

    Then the same, causal, with scores far above all others in the future.
    """
    rows = np.array([1.0, 1.0, -1.0, 1.0, 0.001, -1.0, 1.0])[:, None]
    for causal in (False, True):
        calls = []
        for _ in range(2):
            q, k, v = double(draw, (2, 7, 6), (2, 300, 6), (2, 300, 5))
            k = -np.abs(k) - 40.0
            k[:, 256:] *= 1.5
            if causal:
                k[:, 298:] *= 1.5
            calls.append(Call((np.abs(q) + 40.0) * rows, k, v, causal=causal))
        check_values(student, calls, expected_attention)


@value_check("causal-square", expected_attention)
def causal_square(draw: Draw) -> Call:
    """As many queries as keys, and five more than fill any block of up to 256; dv = d."""
    return Call(*double(draw, (2, 261, 6), (2, 261, 6), (2, 261, 6), sd=2.0), causal=True)


@property_check("causal-rectangular")
def causal_rectangular(student: Student, draw: Draw) -> None:
    """Fewer queries than keys; and more, so that the first ones see nothing at all."""
    calls = []
    for queries, keys in [(70, 200), (70, 200), (200, 64), (200, 64)]:
        q, k, v = double(draw, (2, queries, 6), (2, keys, 6), (2, keys, 5), sd=2.0)
        # Of 64 whole numbers the mean is exact: who gives it where zeros belong gives the same in any style.
        calls.append(Call(q, k, np.round(4.0 * v), causal=True))
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
