"""The checks that come with the assignment: run them as often as you like while you write."""

import numpy as np

from grader.checks import Call, Draw, speed_check, value_check
from grader.reference import expected_attention

# The worked example of the prompt.
QUERIES = [[2.0, 0.0, 2.0, 0.0], [0.0, 2.0, 0.0, 0.0], [2.0, 2.0, 0.0, 0.0]]
KEYS = [[1.0, 0.0, 1.0, 0.0], [0.0, 1.0, 0.0, 1.0], [1.0, 1.0, 0.0, 0.0]]
VALUES = [[10.0, 0.0], [0.0, 10.0], [4.0, 4.0]]


@value_check("worked-example", expected_attention)
def worked_example(draw: Draw) -> Call:
    """First the example of the prompt, then other numbers of the same shapes."""
    if draw.index == 0:
        return Call(np.array(QUERIES), np.array(KEYS), np.array(VALUES), causal=True)
    shapes = [(3, 4), (3, 4), (3, 2)]
    return Call(*(draw.normal(*shape, dtype=np.float64) for shape in shapes), causal=True)


@value_check("keeps-dtype", expected_attention)
def keeps_dtype(draw: Draw) -> Call:
    """float16 in, float16 out; then the same for float32."""
    dtype = (np.float16, np.float32)[draw.index]
    shapes = [(2, 4, 6), (2, 150, 6), (2, 150, 5)]
    return Call(*(draw.normal(*shape, dtype=dtype) for shape in shapes))


def inputs(draw: Draw, length: int, *, causal: bool) -> Call:
    """4 heads of as many queries as keys."""
    return Call(*(draw.normal(4, length, 64) for _ in range(3)), causal=causal)


@speed_check(
    "speed",
    expected_attention,
    bands=[(2.2, 1), (4, 0.5)],
    small=lambda draw: inputs(draw, 261, causal=False),
)
def speed(draw: Draw) -> Call:
    return inputs(draw, 1024, causal=False)


@speed_check(
    "causal-speed", expected_attention, bands=[(1.6, 1), (4, 0.5)], suspicious_below=0.35,
    small=lambda draw: inputs(draw, 261, causal=True),
)  # fmt: skip
def causal_speed(draw: Draw) -> Call:
    """Measured against the matmuls of all keys; who leaves out the future does half of them."""
    return inputs(draw, 1024, causal=True)
