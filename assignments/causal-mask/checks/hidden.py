"""The checks that decide the rest of the points; their titles are shown after the due date.

Batch 2, heads 3, and as many different lengths as fit: a mistake that mixes up two axes shows only where
the axes differ, and others, such as a transposed product, run at all only where they are equal.
"""

import numpy as np

from grader.checks import (
    Call,
    Draw,
    Student,
    ask_array,
    check_values,
    in_every_layout,
    padding,
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


@value_check("nothing-hidden", expected_attention)
def nothing_hidden(draw: Draw) -> Call:
    """Without a mask, and rows of tiny and of huge scores side by side."""
    q, k, v = double(draw, (2, 3, 5, 6), (2, 3, 11, 6), (2, 3, 11, 5), sd=2.0)
    return Call(q * np.array([1.0, 600.0, 1.0, 900.0, -700.0])[:, None], k, v)


@property_check("rectangular")
def rectangular(student: Student, draw: Draw) -> None:
    """All lengths differ, 7 queries and 11 keys; padded to 9 and 6 keys, causal, and both.

    One comparison for all: who forgets the mask when there is causality too answers the first calls right.
    """
    calls = []
    for hidden in [
        {"mask": padding((9, 6), 11)},
        {"causal": True},
        {"mask": padding((9, 6), 11), "causal": True},
    ]:
        for _ in range(2):
            q, k, v = double(draw, (2, 3, 7, 6), (2, 3, 11, 6), (2, 3, 11, 5), sd=2.0)
            calls.append(Call(q, k, v, **hidden))
    check_values(student, calls, expected_attention)


@value_check("square", expected_attention)
def square(draw: Draw) -> Call:
    """As many queries as keys, and dv = d; causal, padded, and one query that sees nothing."""
    q, k, v = double(draw, (2, 3, 11, 6), (2, 3, 11, 6), (2, 3, 11, 6), sd=2.0)
    mask = np.repeat(padding((10, 6), 11), 11, axis=-2)
    mask[1, 0, 8] = False
    return Call(q, k, v, mask=mask, causal=True)


@value_check("hot-hidden-key", expected_attention)
def hot_hidden_key(draw: Draw) -> Call:
    """A hidden key whose score would be huge: it may not even take part in the maximum."""
    q, k, v = double(draw, (2, 3, 11, 6), (2, 3, 11, 6), (2, 3, 11, 6), sd=2.0)
    k[1, :, 8] = 400.0 * q[1, :, 0]
    return Call(q, k, v, mask=padding((11, 6), 11))


@value_check("far-from-zero", expected_attention)
def far_from_zero(draw: Draw) -> Call:
    """Scores around -4000 in most rows, where a hidden key must lie lower still; others around 4000, or small."""
    q, k, v = double(draw, (2, 3, 7, 6), (2, 3, 11, 6), (2, 3, 11, 5))
    rows = np.array([1.0, 1.0, -1.0, 1.0, 0.001, -1.0, 1.0])[:, None]
    return Call((np.abs(q) + 40.0) * rows, -np.abs(k) - 40.0, v, mask=draw.mask(2, 1, 7, 11))


@property_check("mask-shapes")
def mask_shapes(student: Student, draw: Draw) -> None:
    """Any number of leading axes, and any mask that broadcasts, with more queries than keys as well."""
    for leading, masked, (queries, keys), causal in [
        ((), (5, 5), (5, 5), True),
        ((), (6,), (4, 6), False),
        ((2,), (4, 1), (4, 6), False),
        ((2, 3), (2, 1, 1, 6), (4, 6), True),
        ((2, 3), (3, 1, 6), (4, 6), False),
        ((2, 1, 3), (2, 1, 1, 6, 4), (6, 4), True),
    ]:
        shapes = [(*leading, queries, 3), (*leading, keys, 3), (*leading, keys, 5)]
        calls = [Call(*double(draw, *shapes), mask=draw.mask(*masked), causal=causal) for _ in range(2)]
        check_values(student, calls, expected_attention)


@property_check("step-by-step")
def step_by_step(student: Student, draw: Draw) -> None:
    """One query at a time, with the keys so far, gives the rows of the full pass."""
    q, k, v = double(draw, (2, 128, 16), (2, 128, 16), (2, 128, 8))
    right = expected_attention(q, k, v, causal=True)
    full = ask_array(student, Call(q, k, v, causal=True), right.value.shape, np.float64)
    require_close(full, right.value, right.tolerance, "The full pass, with causal=True:")
    for start, stop in [(0, 1), (1, 2), (70, 71), (127, 128), (100, 128)]:
        asked = f"Query {start}" if stop == start + 1 else f"Queries {start} to {stop - 1}"
        call = Call(q[:, start:stop], k[:, :stop], v[:, :stop], causal=True)
        part = ask_array(student, call, (2, stop - start, 8), np.float64)
        require_close(
            part, full[:, start:stop], 2.0 * right.tolerance[:, start:stop],
            f"{asked}, given the first {stop} keys alone, must have the same result as in the full pass.",
        )  # fmt: skip


@property_check("inputs-untouched")
def inputs_untouched(student: Student, draw: Draw) -> None:
    """Inputs in any memory layout, writable or not, give the same result and are left as they were."""
    q, k, v = double(draw, (2, 3, 7, 6), (2, 3, 11, 6), (2, 3, 11, 6))
    mask = draw.mask(2, 3, 7, 11)
    right = expected_attention(q, k, v, mask, causal=True)
    for name, call in in_every_layout(Call(q, k, v, mask=mask, causal=True)).items():
        result = ask_array(student, call, right.value.shape, np.float64, keeps_inputs=True)
        require_close(result, right.value, right.tolerance, name)
