"""The checks that decide the rest of the points; their titles are shown after the due date.

Several numbers of groups, and as many different lengths as fit: a mistake that mixes up two axes or two widths shows
only where they differ, and others, such as keys made of the wrong tokens, run at all only where they are equal.
"""

from typing import Any

import numpy as np

from grader.checks import (
    Call,
    Draw,
    Expected,
    Student,
    ask_array,
    check_values,
    in_every_layout,
    padding,
    property_check,
    require_close,
    value_check,
)
from grader.reference import expected_multi_head


def expected(
    x: np.ndarray, context: np.ndarray, w_q: np.ndarray, w_k: np.ndarray, w_v: np.ndarray, w_o: np.ndarray,
    heads: int, kv_heads: int, mask: np.ndarray | None = None,
) -> Expected:  # fmt: skip
    """What is right for a call of `grouped_attention`."""
    return expected_multi_head(x, w_q, w_k, w_v, w_o, heads, context, kv_heads, mask)


def inputs(
    draw: Draw, heads: int, kv_heads: int, *, leading: tuple[int, ...] = (2,), queries: int = 5, keys: int = 9,
    width: int = 10, context_width: int = 7, d: int = 4, dv: int = 3, out: int = 8,
) -> list[Any]:  # fmt: skip
    """All arguments but the mask, float64; x has standard deviation 2, the weights 0.4."""

    def normal(*shape: int, sd: float) -> np.ndarray:
        return draw.normal(*shape, sd=sd, dtype=np.float64)

    x, context = normal(*leading, queries, width, sd=2.0), normal(*leading, keys, context_width, sd=1.0)
    shapes = [
        (width, heads * d),
        (context_width, kv_heads * d),
        (context_width, kv_heads * dv),
        (heads * dv, out),
    ]
    return [x, context, *(normal(*shape, sd=0.4) for shape in shapes), heads, kv_heads]


SQUARE = {"queries": 6, "keys": 6, "width": 12, "context_width": 12, "d": 3, "dv": 3, "out": 12}


@value_check("rectangular", expected)
def rectangular(draw: Draw) -> Call:
    """Two heads of keys and values for six of queries; all lengths and widths differ."""
    return Call(*inputs(draw, 6, 2))


@value_check("larger-half", expected)
def larger_half(draw: Draw) -> Call:
    """Three heads of keys and values for six of queries: more groups than members in each."""
    return Call(*inputs(draw, 6, 3))


@value_check("square", expected)
def square(draw: Draw) -> Call:
    """Both sequences of one shape, all widths 12: mixing up operands goes unnoticed but for the values."""
    return Call(*inputs(draw, 4, 2, **SQUARE))


@value_check("own-heads", expected)
def own_heads(draw: Draw) -> Call:
    """As many heads of keys and values as of queries, and square weights: they might even be transposed."""
    return Call(*inputs(draw, 4, 4, **SQUARE))


@property_check("masks")
def masks(student: Student, draw: Draw) -> None:
    """Padding, one mask for all heads, one for each, and queries that see nothing in some of them."""
    for_each_head = [draw.mask(2, 6, 7, 7) for _ in range(2)]
    for mask in for_each_head:
        mask[0, 1, 3] = False
        mask[1, 2:, 5] = False
    calls = [
        Call(*inputs(draw, 6, 2, queries=7, keys=7), mask=mask)
        for mask in (padding((5, 3), 7), draw.mask(7, 7), draw.mask(2, 1, 7, 7), *for_each_head)
    ]
    check_values(student, calls, expected)


@value_check("row-scales", expected)
def row_scales(draw: Draw) -> Call:
    """Rows of tiny and of huge scores side by side."""
    x, *others = inputs(draw, 6, 2)
    return Call(x * np.array([1.0, 600.0, 1.0, 900.0, -700.0])[:, None], *others)


@property_check("shapes")
def shapes(student: Student, draw: Draw) -> None:
    """Any leading axes and numbers of heads, one token that asks, and a mask with fewer axes than the scores."""
    for sizes, masked in [
        ({"heads": 4, "kv_heads": 1, "leading": ()}, (9,)),
        ({"heads": 1, "kv_heads": 1, "leading": (2, 1, 3)}, (2, 1, 3, 1, 1, 9)),
        ({"heads": 8, "kv_heads": 2, "leading": (3,), "queries": 1}, (8, 1, 9)),
    ]:
        calls = [Call(*inputs(draw, **sizes), mask=draw.mask(*masked)) for _ in range(2)]
        check_values(student, calls, expected)


@property_check("inputs-untouched")
def inputs_untouched(student: Student, draw: Draw) -> None:
    """Inputs in any memory layout, writable or not, give the same result and are left as they were."""
    plain = Call(*inputs(draw, 6, 2), mask=draw.mask(2, 6, 5, 9))
    right = expected(*plain.args, **plain.kwargs)
    for name, call in in_every_layout(plain).items():
        result = ask_array(student, call, right.value.shape, np.float64, keeps_inputs=True)
        require_close(result, right.value, right.tolerance, name)
