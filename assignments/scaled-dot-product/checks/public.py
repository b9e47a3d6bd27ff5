"""The checks that come with the assignment: run them as often as you like while you write."""

import math

import numpy as np

from grader.checks import Call, Draw, Expected, Student, check_values, property_check, value_check
from grader.reference import expected_attention

# The worked example of the prompt.
QUERIES = [[2.0, 0.0, 2.0, 0.0], [0.0, 2.0, 0.0, 0.0]]
KEYS = [[1.0, 0.0, 1.0, 0.0], [0.0, 1.0, 0.0, 1.0], [1.0, 1.0, 0.0, 0.0]]
VALUES = [[10.0, 0.0], [0.0, 10.0], [4.0, 4.0]]


@value_check("worked-example", expected_attention)
def worked_example(draw: Draw) -> Call:
    """First the example of the prompt, then other numbers of the same shapes."""
    if draw.index == 0:
        return Call(np.array(QUERIES), np.array(KEYS), np.array(VALUES))
    return Call(*(draw.normal(*shape, dtype=np.float64) for shape in [(2, 4), (3, 4), (3, 2)]))


def two_keys_closed_form(q: np.ndarray, k: np.ndarray, v: np.ndarray) -> Expected:
    """With two keys the softmax is a sigmoid: the first key's weight is 1 / (1 + exp(score 1 - score 0))."""
    scores = (q * k).sum(axis=-1) / math.sqrt(q.shape[-1])
    first = 1.0 / (1.0 + np.exp(scores[1] - scores[0]))
    value = first * v[:1] + (1.0 - first) * v[1:]
    return Expected(value, expected_attention(q, k, v).tolerance, q.dtype)


@value_check("two-keys", two_keys_closed_form)
def two_keys(draw: Draw) -> Call:
    """One query and two keys, where the answer is known without a softmax."""
    shapes = [(1, 5), (2, 5), (2, 3)]
    return Call(*(draw.normal(*shape, sd=1.5, dtype=np.float64) for shape in shapes))


@value_check("keeps-dtype", expected_attention)
def keeps_dtype(draw: Draw) -> Call:
    """float16 in, float16 out; then the same for float32. All other checks are in float64."""
    dtype = (np.float16, np.float32)[draw.index]
    shapes = [(2, 4, 6), (2, 7, 6), (2, 7, 5)]
    return Call(*(draw.normal(*shape, dtype=dtype) for shape in shapes))


@property_check("leading-axes")
def leading_axes(student: Student, draw: Draw) -> None:
    """No leading axis, one, and three. Tq = Tk here, as in self-attention."""
    for leading in [(), (3,), (2, 1, 3)]:
        shapes = [(*leading, 5, 4), (*leading, 5, 4), (*leading, 5, 3)]
        calls = [Call(*(draw.normal(*shape, dtype=np.float64) for shape in shapes)) for _ in range(2)]
        check_values(student, calls, expected_attention)
