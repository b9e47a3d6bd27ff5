"""The checks that come with the assignment: run them as often as you like while you write."""

import numpy as np

from grader.checks import Call, Draw, Student, ask_array, property_check, require_close, value_check
from grader.reference import expected_multi_head

# The worked example of the prompt.
TOKENS = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]
W_Q = [[1.0, 0.0], [0.0, 2.0]]
W_K = [[1.0, 1.0], [0.0, 1.0]]
W_V = [[4.0, 0.0], [0.0, 6.0]]
W_O = [[1.0, 0.0], [1.0, 1.0]]


def call(
    draw: Draw, shape: tuple[int, ...], heads: int, d: int, dv: int, out: int, dtype: type = np.float64
) -> Call:
    """Tokens of this shape, and weights under which scores have a standard deviation of about 2."""
    width = shape[-1]
    shapes = [(width, heads * d), (width, heads * d), (width, heads * dv), (heads * dv, out)]
    weights = [draw.normal(*each, sd=1.5 / width**0.5, dtype=dtype) for each in shapes]
    return Call(draw.normal(*shape, dtype=dtype), *weights, heads)


@value_check("worked-example", expected_multi_head)
def worked_example(draw: Draw) -> Call:
    """First the example of the prompt, then other numbers of the same shapes."""
    if draw.index == 0:
        return Call(*(np.array(each) for each in (TOKENS, W_Q, W_K, W_V, W_O)), 2)
    return call(draw, (3, 2), heads=2, d=1, dv=1, out=2)


@value_check("one-head", expected_multi_head)
def one_head(draw: Draw) -> Call:
    """With one head there is nothing to split: attention, and a projection before and after it."""
    return call(draw, (5, 6), heads=1, d=4, dv=3, out=7)


@property_check("heads-side-by-side")
def heads_side_by_side(student: Student, draw: Draw) -> None:
    """Where w_o is the identity, each head's columns of the result are what that head gives alone."""
    x, w_q, w_k, w_v = call(draw, (2, 5, 6), heads=3, d=4, dv=2, out=1).arrays[:4]
    together = Call(x, w_q, w_k, w_v, np.eye(6), 3)
    tolerance = expected_multi_head(*together.args).tolerance
    result = ask_array(student, together, (2, 5, 6), np.float64)
    for head in range(3):
        own, of_values = slice(4 * head, 4 * head + 4), slice(2 * head, 2 * head + 2)
        alone = Call(x, w_q[:, own], w_k[:, own], w_v[:, of_values], np.eye(2), 1)
        right = expected_multi_head(*alone.args)
        one = ask_array(student, alone, (2, 5, 2), np.float64)
        require_close(one, right.value, right.tolerance, f"Head {head} alone, as a call with one head:")
        require_close(
            result[..., of_values], one, tolerance[..., of_values] + right.tolerance,
            f"Columns {2 * head} and {2 * head + 1} of the joined heads must be what head {head} gives alone: it has "
            f"columns {4 * head} to {4 * head + 3} of w_q and w_k."
        )  # fmt: skip


@value_check("keeps-dtype", expected_multi_head)
def keeps_dtype(draw: Draw) -> Call:
    """float16 in, float16 out; then the same for float32. All other checks are in float64."""
    dtype = (np.float16, np.float32)[draw.index]
    return call(draw, (2, 5, 6), heads=2, d=4, dv=3, out=7, dtype=dtype)
