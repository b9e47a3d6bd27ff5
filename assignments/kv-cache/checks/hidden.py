"""The checks that decide the rest of the points; their titles are shown after the due date.

Batch 2, heads 3, and as many different lengths as fit. Output and caches are graded apart where it helps: who has
made one mistake in each of them is told both.
"""

import numpy as np

from grader.checks import (
    Call,
    Draw,
    Student,
    ask_arrays,
    check_values,
    in_every_layout,
    property_check,
    require_close,
    value_check,
)
from grader.reference import expected_attention, expected_decode

HEADS = (2, 3)


def tokens(
    draw: Draw, new: int, cached: int, d: int, dv: int, leading: tuple[int, ...] = HEADS
) -> list[np.ndarray]:
    """q, k, v, k_cache and v_cache, float64; the queries have standard deviation 2."""
    shapes = [(new, d), (new, d), (new, dv), (cached, d), (cached, dv)]
    deviations = [2.0, 1.0, 1.0, 1.0, 1.0]
    return [
        draw.normal(*leading, *shape, sd=sd, dtype=np.float64)
        for shape, sd in zip(shapes, deviations, strict=True)
    ]


@value_check("output", expected_decode, parts=["output"])
def output(draw: Draw) -> Call:
    """All lengths differ: 4 new tokens, 7 cached ones, d = 6, dv = 5. The caches are not looked at."""
    return Call(*tokens(draw, new=4, cached=7, d=6, dv=5))


@value_check("same-widths", expected_decode, parts=["output"])
def same_widths(draw: Draw) -> Call:
    """dv = d: keys taken for values go unnoticed but for the values. Rows of tiny and of huge scores side by side."""
    q, *others = tokens(draw, new=5, cached=7, d=6, dv=6)
    return Call(q * np.array([1.0, 600.0, 1.0, 900.0, -700.0])[:, None], *others)


@value_check("caches", expected_decode, parts=["k_cache", "v_cache"])
def caches(draw: Draw) -> Call:
    """The caches alone, dv = d, so that they can be exchanged."""
    return Call(*tokens(draw, new=4, cached=7, d=5, dv=5))


@value_check("one-token", expected_decode)
def one_token(draw: Draw) -> Call:
    """A single new token: nothing is hidden from it."""
    return Call(*tokens(draw, new=1, cached=7, d=6, dv=5))


# Not v_cache: a result in a wrong place rounds, so that among exact copies no known mistake would explain it.
@value_check("empty-cache", expected_decode, parts=["output", "k_cache"])
def empty_cache(draw: Draw) -> Call:
    """The first pass: nothing is cached yet. All three results are of one shape, and might be exchanged."""
    return Call(*tokens(draw, new=5, cached=0, d=6, dv=6))


@property_check("portions")
def portions(student: Student, draw: Draw) -> None:
    """The same tokens in portions of any size."""
    q, k, v = (draw.normal(2, 14, width, dtype=np.float64) for width in (8, 8, 5))
    right = expected_attention(q, k, v, causal=True)
    for sizes in [(14,), (4, 10), (1, 6, 1, 1, 5)]:
        kept, start = [np.zeros((2, 0, 8)), np.zeros((2, 0, 5))], 0
        for size in sizes:
            stop = start + size
            shapes = {"output": (2, size, 5), "k_cache": (2, stop, 8), "v_cache": (2, stop, 5)}
            call = Call(*(each[:, start:stop].copy() for each in (q, k, v)), *kept)
            given = ask_arrays(student, call, shapes, np.float64)
            require_close(
                given["output"], right.value[:, start:stop], right.tolerance[:, start:stop],
                f"{size} new tokens after {start}, with the caches that your code returned for those, must get the "
                "same answers as in one pass.",
            )  # fmt: skip
            kept, start = [given["k_cache"], given["v_cache"]], stop


@property_check("shapes")
def shapes(student: Student, draw: Draw) -> None:
    """Any leading axes; first passes and later ones, more new tokens than cached ones and fewer."""
    calls = [
        Call(*tokens(draw, new, cached, d=4, dv=3, leading=leading))
        for leading, new, cached in [
            ((), 3, 5), ((4,), 3, 0), ((2, 3), 6, 2), ((2, 1, 3), 2, 1), ((2, 3), 4, 0), ((3,), 1, 6)
        ]
    ]  # fmt: skip
    check_values(student, calls, expected_decode, parts=["output"])


@property_check("inputs-untouched")
def inputs_untouched(student: Student, draw: Draw) -> None:
    """Inputs in any memory layout, writable or not, give the same results and are left as they were."""
    arrays = tokens(draw, new=4, cached=7, d=6, dv=5)
    right = expected_decode(*arrays)
    asked = {name: part.value.shape for name, part in right.items()}
    for told, call in in_every_layout(Call(*arrays)).items():
        given = ask_arrays(student, call, asked, np.float64, keeps_inputs=True)
        for name, part in right.items():
            require_close(given[name], part.value, part.tolerance, f"{told} in `{name}`,")
