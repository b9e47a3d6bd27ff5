"""The checks that come with the assignment: run them as often as you like while you write."""

import numpy as np

from grader.checks import Call, Draw, Expected, Student, ask_array, property_check, require_close, value_check
from grader.reference import expected_multi_head

# The worked example of the prompt.
ASKS = [[0.0, 1.0, 0.0, 1.0]]
ANSWERS = [[1.0, 0.0], [0.0, 2.0]]
OUT = [[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0]]


def expected(
    x: np.ndarray, context: np.ndarray, w_q: np.ndarray, w_k: np.ndarray, w_v: np.ndarray, w_o: np.ndarray,
    heads: int, kv_heads: int, mask: np.ndarray | None = None,
) -> Expected:  # fmt: skip
    """What is right for a call of `grouped_attention`."""
    return expected_multi_head(x, w_q, w_k, w_v, w_o, heads, context, kv_heads, mask)


@value_check("worked-example", expected)
def worked_example(draw: Draw) -> Call:
    """First the example of the prompt, then other numbers of the same shapes."""
    if draw.index == 0:
        return Call(
            np.array(ASKS), np.array(ANSWERS), np.eye(4), np.eye(2), 10.0 * np.eye(2), np.array(OUT), 4, 2
        )
    shapes = [(1, 4), (2, 2), (4, 4), (2, 2), (2, 2), (4, 2)]
    return Call(*(draw.normal(*shape, dtype=np.float64) for shape in shapes), 4, 2)


@property_check("shared-heads")
def shared_heads(student: Student, draw: Draw) -> None:
    """Six heads that share two give what six with heads of their own give, where these are copies of the two."""
    shapes = [(2, 4, 10), (2, 5, 7), (10, 24), (7, 8), (7, 6), (18, 8)]
    x, context, w_q, w_k, w_v, w_o = (draw.normal(*shape, sd=0.5, dtype=np.float64) for shape in shapes)
    copies = [np.repeat(w.reshape(7, 2, -1), 3, axis=1).reshape(7, -1) for w in (w_k, w_v)]
    right = expected(x, context, w_q, *copies, w_o, 6, 6)
    own = ask_array(student, Call(x, context, w_q, *copies, w_o, 6, 6), right.value.shape, np.float64)
    require_close(own, right.value, right.tolerance, "With kv_heads = heads = 6:")
    shared = ask_array(student, Call(x, context, w_q, w_k, w_v, w_o, 6, 2), right.value.shape, np.float64)
    require_close(
        shared, own, 2.0 * right.tolerance,
        "Six heads of queries that share two of keys and values must give what they give when heads 0, 1 and 2 each "
        "have a copy of the first, and heads 3, 4 and 5 of the second.",
    )  # fmt: skip


@property_check("hidden-tokens")
def hidden_tokens(student: Student, draw: Draw) -> None:
    """Hiding the last tokens of the context is the same as not having them; who sees nothing gets zeros."""
    shapes = [(4, 6), (7, 5), (6, 12), (5, 6), (5, 4), (8, 3)]
    x, context, *weights = (draw.normal(*shape, sd=0.5, dtype=np.float64) for shape in shapes)
    sizes: dict[str, int] = {"heads": 4, "kv_heads": 2}
    right = expected(x, context[:5], *weights, **sizes)
    short = ask_array(student, Call(x, context[:5].copy(), *weights, **sizes), (4, 3), np.float64)
    require_close(
        short, right.value, right.tolerance, "The first 5 tokens of the context alone, without a mask:"
    )
    mask = np.broadcast_to(np.arange(7) < 5, (4, 7)).copy()
    mask[2] = False
    tolerance = expected(x, context, *weights, **sizes, mask=mask).tolerance
    masked = ask_array(student, Call(x, context, *weights, **sizes, mask=mask), (4, 3), np.float64)
    seeing = [0, 1, 3]
    require_close(
        masked[seeing], short[seeing], right.tolerance[seeing] + tolerance[seeing],
        "Hiding all but the first 5 of 7 tokens by a mask must give what those 5 give alone.",
    )  # fmt: skip
    require_close(masked[2], 0.0, tolerance[2], "A token that sees nothing in any head must get zeros.")


@value_check("keeps-dtype", expected)
def keeps_dtype(draw: Draw) -> Call:
    """float16 in, float16 out; then the same for float32. All other checks are in float64."""
    dtype = (np.float16, np.float32)[draw.index]
    shapes = [(2, 4, 10), (2, 5, 7), (10, 24), (7, 8), (7, 6), (18, 8)]
    return Call(*(draw.normal(*shape, sd=0.5, dtype=dtype) for shape in shapes), 6, 2)
