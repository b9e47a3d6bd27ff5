"""The checks that come with the assignment: run them as often as you like while you write."""

import numpy as np

from grader.checks import Call, Draw, Student, ask_arrays, property_check, require, require_close, value_check
from grader.reference import attention, expected_backward

# The worked example of the prompt.
QUERIES = [[1.0, 1.0, 1.0, 1.0], [2.0, 0.0, 2.0, 0.0]]
KEYS = [[1.0, 0.0, 1.0, 0.0], [0.0, 1.0, 0.0, 1.0], [1.0, 1.0, 0.0, 0.0]]
VALUES = [[1.0, 0.0], [0.0, 1.0], [2.0, 1.0]]
D_OUT = [[3.0, 0.0], [1.0, 2.0]]

STEP = 1e-5


@value_check("worked-example", expected_backward)
def worked_example(draw: Draw) -> Call:
    """First the example of the prompt, then other numbers of the same shapes."""
    if draw.index == 0:
        return Call(np.array(QUERIES), np.array(KEYS), np.array(VALUES), np.array(D_OUT))
    return Call(*(draw.normal(*shape, dtype=np.float64) for shape in [(2, 4), (3, 4), (3, 2), (2, 2)]))


@property_check("small-steps")
def small_steps(student: Student, draw: Draw) -> None:
    """What a gradient is: it foretells how much a small step in an input changes the loss.

    The loss is the sum of d_out * attention(q, k, v), and the step goes some way in all elements at once. Its
    slope comes from two forward passes, one a step ahead and one a step back, without any formula of a gradient.
    """
    for causal in (False, True):
        inputs = {"q": (2, 3, 5, 4), "k": (2, 3, 7, 4), "v": (2, 3, 7, 6)}
        given = {name: draw.normal(*shape, dtype=np.float64) for name, shape in inputs.items()}
        d_out = draw.normal(2, 3, 5, 6, dtype=np.float64)
        shapes = {f"d{name}": shape for name, shape in inputs.items()}
        call = Call(*given.values(), d_out, causal=causal)
        gradients = ask_arrays(student, call, shapes, np.float64)
        for name, array in given.items():
            direction = draw.normal(*array.shape, dtype=np.float64)
            ahead, back = (
                (d_out * attention(**given | {name: array + step * direction}, causal=causal)).sum()
                for step in (STEP, -STEP)
            )
            slope = (ahead - back) / (2 * STEP)
            foretold = (gradients[f"d{name}"] * direction).sum()
            # By rounding, and by the square of the step, the two passes are off by less than 1e-10 of this.
            size = np.linalg.norm(d_out) * np.linalg.norm(direction)
            require(
                bool(abs(foretold - slope) <= 1e-6 * size),
                f"With causal={causal}, a small step in {name} changes the sum of d_out * attention(q, k, v), "
                f"but not by the sum of d{name} * step, as it would if d{name} were its gradient.",
            )


@property_check("sums")
def sums(student: Student, draw: Draw) -> None:
    """The same vector added to all keys changes nothing; added to all values, it is added to each result."""
    shapes = {"dq": (2, 3, 5, 4), "dk": (2, 3, 7, 4), "dv": (2, 3, 7, 6)}
    for causal in (False, True):
        q, k, v = (draw.normal(*shape, dtype=np.float64) for shape in shapes.values())
        d_out = draw.normal(2, 3, 5, 6, dtype=np.float64)
        call = Call(q, k, v, d_out, causal=causal)
        right = expected_backward(*call.args, causal=causal)
        got = ask_arrays(student, call, shapes, np.float64)
        require_close(
            got["dk"].sum(axis=-2), 0.0, right["dk"].tolerance.sum(axis=-2),
            f"dk, summed over the keys, must be 0 (causal={causal}): if all keys move by the same vector, all "
            "scores of a query grow alike, and the softmax does not notice."
        )  # fmt: skip
        require_close(
            got["dv"].sum(axis=-2), d_out.sum(axis=-2), right["dv"].tolerance.sum(axis=-2),
            f"dv, summed over the keys, must be d_out, summed over the queries (causal={causal}): if all values "
            "move by the same vector, so does every result."
        )  # fmt: skip


@value_check("keeps-dtype", expected_backward)
def keeps_dtype(draw: Draw) -> Call:
    """float16 in, float16 out; then the same for float32. All other checks are in float64."""
    dtype = (np.float16, np.float32)[draw.index]
    shapes = [(2, 4, 6), (2, 7, 6), (2, 7, 5), (2, 4, 5)]
    return Call(*(draw.normal(*shape, dtype=dtype) for shape in shapes))
