"""The checks that come with the assignment: run them as often as you like while you write."""

import numpy as np

from grader.checks import (
    Call,
    Draw,
    Student,
    ask_arrays,
    property_check,
    require,
    require_close,
    value_check,
)
from grader.reference import expected_attention, expected_decode

# The worked example of the prompt.
QUERIES = [[2.0, 0.0, 2.0, 0.0], [0.0, 2.0, 0.0, 2.0]]
KEYS = [[1.0, 1.0, 0.0, 0.0], [0.0, 1.0, 0.0, 1.0]]
VALUES = [[4.0, 4.0], [8.0, 0.0]]
CACHED_KEYS = [[1.0, 0.0, 1.0, 0.0], [0.0, 0.0, 1.0, 1.0]]
CACHED_VALUES = [[10.0, 0.0], [0.0, 10.0]]


@value_check("worked-example", expected_decode)
def worked_example(draw: Draw) -> Call:
    """First the example of the prompt, then other numbers of the same shapes."""
    if draw.index == 0:
        return Call(*map(np.array, (QUERIES, KEYS, VALUES, CACHED_KEYS, CACHED_VALUES)))
    shapes = [(2, 4), (2, 4), (2, 2), (2, 4), (2, 2)]
    return Call(*(draw.normal(*shape, dtype=np.float64) for shape in shapes))


@property_check("caches-grow")
def caches_grow(student: Student, draw: Draw) -> None:
    """Both caches come back longer by the new tokens, which stand at the end."""
    for cached, new in [(5, 1), (5, 3), (0, 4)]:
        shapes = [(2, new, 6), (2, new, 6), (2, new, 4), (2, cached, 6), (2, cached, 4)]
        call = Call(*(draw.normal(*shape, dtype=np.float64) for shape in shapes))
        right = expected_decode(*call.args)
        asked = {name: part.value.shape for name, part in right.items()}
        for name, answer in zip(asked, student.ask(call).answers(list(asked.values())).parts, strict=False):
            if name != "output" and answer.shape is not None:
                tell_length(name, answer.shape, cached, new)
        given = ask_arrays(student, call, asked, np.float64)
        for name, what in [("k_cache", "keys"), ("v_cache", "values")]:
            value, tolerance = right[name].value, right[name].tolerance
            told = f"With {cached} cached tokens and {new} new"
            require_close(
                given[name][:, :cached], value[:, :cached], tolerance[:, :cached],
                f"{told}, the first {cached} rows of `{name}` must be those of the cache as it was.",
            )  # fmt: skip
            require_close(
                given[name][:, cached:], value[:, cached:], tolerance[:, cached:],
                f"{told}, the last {new} rows of `{name}` must be the new {what}, in their order.",
            )  # fmt: skip


def tell_length(name: str, shape: tuple[int, ...], cached: int, new: int) -> None:
    """Raises Failed for a cache of a wrong length, with a guess at what happened."""
    if len(shape) != 3:
        return
    guess = {
        cached: " It is as long as it was before: append the new tokens, and return the longer array.",
        new: " It holds as many as are new: the old ones must stay in it.",
        cached + 2 * new: " It looks as if they had been appended twice.",
    }.get(shape[1], "")
    require(
        shape[1] == cached + new,
        f"With {cached} cached tokens and {new} new, `{name}` must hold {cached + new}, not {shape[1]}.{guess}",
    )


@property_check("step-by-step")
def step_by_step(student: Student, draw: Draw) -> None:
    """One token at a time, from empty caches, gives the rows of the full pass."""
    q, k, v = (draw.normal(2, 10, width, dtype=np.float64) for width in (8, 8, 5))
    right = expected_attention(q, k, v, causal=True)
    caches = [np.zeros((2, 0, 8)), np.zeros((2, 0, 5))]
    for t in range(10):
        shapes = {"output": (2, 1, 5), "k_cache": (2, t + 1, 8), "v_cache": (2, t + 1, 5)}
        call = Call(*(each[:, t : t + 1].copy() for each in (q, k, v)), *caches)
        given = ask_arrays(student, call, shapes, np.float64)
        require_close(
            given["output"], right.value[:, t : t + 1], right.tolerance[:, t : t + 1],
            f"Token {t}, with the caches that your code returned for the {t} before it, must get the same answer "
            "as when all tokens come at once.",
        )  # fmt: skip
        caches = [given["k_cache"], given["v_cache"]]


@value_check("keeps-dtype", expected_decode)
def keeps_dtype(draw: Draw) -> Call:
    """float16 in, float16 out; then the same for float32. All other checks are in float64."""
    dtype = (np.float16, np.float32)[draw.index]
    shapes = [(2, 3, 6), (2, 3, 6), (2, 3, 5), (2, 7, 6), (2, 7, 5)]
    return Call(*(draw.normal(*shape, dtype=dtype) for shape in shapes))
