"""The checks that come with the assignment: run them as often as you like while you write."""

import numpy as np

from grader.checks import Call, Draw, Student, ask_array, padding, property_check, require_close, value_check
from grader.reference import expected_attention

# The worked example of the prompt: causal, and the first key is hidden as well.
QUERIES = [[2.0, 0.0, 2.0, 0.0], [0.0, 2.0, 0.0, 2.0], [2.0, 0.0, 0.0, 2.0]]
KEYS = [[1.0, 0.0, 1.0, 0.0], [0.0, 1.0, 0.0, 1.0], [1.0, 0.0, 0.0, 1.0]]
VALUES = [[10.0, 0.0], [0.0, 10.0], [4.0, 4.0]]
MASK = [False, True, True]


@value_check("worked-example", expected_attention)
def worked_example(draw: Draw) -> Call:
    """First the example of the prompt, then other numbers and another mask of the same shapes."""
    if draw.index == 0:
        return Call(np.array(QUERIES), np.array(KEYS), np.array(VALUES), mask=np.array(MASK), causal=True)
    q, k, v = (draw.normal(*shape, dtype=np.float64) for shape in [(3, 4), (3, 4), (3, 2)])
    return Call(q, k, v, mask=np.array([True, False, True]), causal=True)


@property_check("first-row")
def first_row(student: Student, draw: Draw) -> None:
    """Under causality the first query sees one key, and later keys change no earlier row."""
    q, k, v = (draw.normal(2, 3, 6, 4, dtype=np.float64) for _ in range(3))
    tolerance = expected_attention(q, k, v, causal=True).tolerance
    result = ask_array(student, Call(q, k, v, causal=True), v.shape, np.float64)
    require_close(
        result[..., :1, :], v[..., :1, :], tolerance[..., :1, :],
        "With causal=True the first query sees the first key only, so its result must be the first value."
    )  # fmt: skip
    k[..., 4:, :] += 5.0
    v[..., 4:, :] -= 7.0
    again = ask_array(student, Call(q, k, v, causal=True), v.shape, np.float64)
    require_close(
        again[..., :4, :], result[..., :4, :], 2.0 * tolerance[..., :4, :],
        "With causal=True new numbers in keys and values 4 and 5 must not change the results of rows 0 to 3."
    )  # fmt: skip


@property_check("padding-equals-slicing")
def padding_equals_slicing(student: Student, draw: Draw) -> None:
    """Hiding the last keys is the same as not having them."""
    q, k, v = (draw.normal(2, 3, length, 4, dtype=np.float64) for length in (5, 8, 8))
    lengths = (6, 3)
    padded = ask_array(student, Call(q, k, v, mask=padding(lengths, 8)), q.shape, np.float64)
    for batch, length in enumerate(lengths):
        short = Call(q[batch], k[batch, :, :length], v[batch, :, :length])
        right = expected_attention(*short.args)
        sliced = ask_array(student, short, q.shape[1:], np.float64)
        require_close(sliced, right.value, right.tolerance, f"The first {length} keys alone, without a mask:")
        require_close(
            padded[batch], sliced, 2.0 * right.tolerance,
            f"Hiding all but the first {length} of 8 keys by a mask must give what those {length} give alone."
        )  # fmt: skip


@value_check("keeps-dtype", expected_attention)
def keeps_dtype(draw: Draw) -> Call:
    """float16 in, float16 out; then the same for float32. All other checks are in float64."""
    dtype = (np.float16, np.float32)[draw.index]
    q, k, v = (draw.normal(*shape, dtype=dtype) for shape in [(2, 4, 6), (2, 7, 6), (2, 7, 5)])
    return Call(q, k, v, mask=draw.mask(4, 7))
