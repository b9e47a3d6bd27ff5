"""The checks that come with the assignment: run them as often as you like while you write."""

from dataclasses import replace

import numpy as np

from grader.checks import Call, Check, Draw, Measurable, Result, check_values, speed_check, value_check
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


def timed(id: str, *, bands: list[tuple[float, float]], suspicious_below: float, causal: bool) -> Check:
    """A speed check of 4 heads of 1024 queries and keys.

    261 come first: what is wrong with them already is told at once, and nobody waits for the large ones.
    """

    def call(draw: Draw, length: int) -> Call:
        return Call(*(draw.normal(4, length, 64) for _ in range(3)), causal=causal)

    large = speed_check(id, expected_attention, bands=bands, suspicious_below=suspicious_below)(
        lambda draw: call(draw, 1024)
    )

    def run(student: Measurable, seed: int) -> Result | None:
        check_values(student, [call(Draw(seed, id, index), 261) for index in range(2)], expected_attention)
        return large.run(student, seed)

    return replace(large, run=run)


speed = timed("speed", bands=[(2.2, 1), (4, 0.5)], suspicious_below=0.7, causal=False)

# The matmuls that it is measured against are those of all keys; who leaves out the future does half of them.
causal_speed = timed("causal-speed", bands=[(1.6, 1), (4, 0.5)], suspicious_below=0.35, causal=True)
