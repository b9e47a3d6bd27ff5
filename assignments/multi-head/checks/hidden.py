"""The checks that decide the rest of the points; their titles are shown after the due date.

All lengths differ, but for one check in which they are all the same: a mistake that mixes up two axes shows only
where the axes differ, and others, such as transposed weights, run only where they do not.
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
from grader.reference import expected_multi_head


def call(
    draw: Draw, shape: tuple[int, ...], heads: int, d: int, dv: int, out: int, causal: bool = False
) -> Call:
    """Float64 tokens of this shape, and weights under which scores have a standard deviation of about 2."""
    width = shape[-1]
    shapes = [(width, heads * d), (width, heads * d), (width, heads * dv), (heads * dv, out)]
    weights = [draw.normal(*each, sd=1.5 / width**0.5, dtype=np.float64) for each in shapes]
    return Call(draw.normal(*shape, dtype=np.float64), *weights, heads, causal=causal)


@value_check("rectangular", expected_multi_head)
def rectangular(draw: Draw) -> Call:
    """2 sequences of 7 tokens, 10 wide; 3 heads, d = 4, dv = 5; a result 6 wide."""
    return call(draw, (2, 7, 10), heads=3, d=4, dv=5, out=6)


@value_check("all-lengths-equal", expected_multi_head)
def all_lengths_equal(draw: Draw) -> Call:
    """4 of everything, and square weights: whatever is mixed up, the shapes fit, and the values alone tell."""
    return call(draw, (4, 4, 16), heads=4, d=4, dv=4, out=16)


@property_check("causal")
def causal(student: Student, draw: Draw) -> None:
    """Every width another, then all the same."""
    calls = [call(draw, (2, 7, 10), heads=3, d=4, dv=5, out=6, causal=True) for _ in range(2)]
    calls.append(call(draw, (2, 6, 12), heads=3, d=4, dv=4, out=12, causal=True))
    check_values(student, calls, expected_multi_head)


@property_check("later-tokens")
def later_tokens(student: Student, draw: Draw) -> None:
    """The first token sees itself alone, and what is added at the end changes nothing before it."""
    x, *weights, heads = call(draw, (2, 9, 6), heads=2, d=4, dv=3, out=5).args
    right = expected_multi_head(x, *weights, heads, causal=True)
    full = ask_array(student, Call(x, *weights, heads, causal=True), (2, 9, 5), np.float64)
    for length in (1, 2, 8):
        part = ask_array(
            student, Call(x[:, :length], *weights, heads, causal=True), (2, length, 5), np.float64
        )
        require_close(
            part, full[:, :length], 2.0 * right.tolerance[:, :length],
            f"The first {length} of 9 tokens must have the same results alone as in front of the others."
        )  # fmt: skip
    require_close(full, right.value, right.tolerance, "All 9 tokens, with causal=True:")


@property_check("leading-axes")
def leading_axes(student: Student, draw: Draw) -> None:
    """Any number of batch axes in front."""
    for leading in [(), (3,), (2, 1, 3)]:
        calls = [call(draw, (*leading, 5, 6), heads=2, d=4, dv=3, out=7) for _ in range(2)]
        check_values(student, calls, expected_multi_head)


def with_score_offsets(call: Call, rows: np.ndarray, columns: np.ndarray) -> Call:
    """The call with rows[i] * columns[j] added to the score of token i with token j, in every head.

    Two of the tokens' numbers hold them, and go nowhere else but to one column of each head's queries and keys.
    """
    x, w_q, w_k, w_v, w_o, heads = call.args
    d = w_q.shape[1] // heads
    x[..., 0], x[..., 1] = rows, columns
    w_q[:2] = w_k[:2] = w_v[:2] = w_q[:, ::d] = w_k[:, ::d] = 0.0
    w_q[0, ::d] = d**0.5
    w_k[1, ::d] = 1.0
    return Call(x, w_q, w_k, w_v, w_o, heads, **call.kwargs)


ROWS = np.array([0.0, 2000.0, 0.0, -2000.0, 0.0, 2000.0, 0.0])


@value_check("large-scores", expected_multi_head)
def large_scores(draw: Draw) -> Call:
    """Rows of scores around 0, 2000 and -2000: each needs a maximum of its own."""
    return with_score_offsets(call(draw, (2, 7, 10), heads=3, d=4, dv=5, out=6), ROWS, np.ones(7))


@value_check("hot-future", expected_multi_head)
def hot_future(draw: Draw) -> Call:
    """Scores that grow by 2000 from one token to the next, or fall: later ones may not even take part in a maximum."""
    plain = call(draw, (2, 7, 10), heads=3, d=4, dv=5, out=6, causal=True)
    return with_score_offsets(plain, ROWS, np.arange(1.0, 8.0))


@property_check("inputs-untouched")
def inputs_untouched(student: Student, draw: Draw) -> None:
    """Inputs in any memory layout, writable or not, give the same result and are left as they were."""
    *arrays, heads = call(draw, (2, 7, 10), heads=3, d=4, dv=5, out=6).args
    right = expected_multi_head(*arrays, heads, causal=True)
    for name, asked in in_every_layout(Call(*arrays, heads, causal=True)).items():
        result = ask_array(student, asked, right.value.shape, np.float64, keeps_inputs=True)
        require_close(result, right.value, right.tolerance, name)
