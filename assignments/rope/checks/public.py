"""The checks that come with the assignment: run them as often as you like while you write."""

import numpy as np

from grader.checks import (
    Call,
    Draw,
    Student,
    ask_array,
    check_values,
    property_check,
    require,
    require_close,
    value_check,
)
from grader.reference import expected_rope

# The worked example of the prompt.
ROWS = [[1.0, 2.0, 3.0, 4.0], [1.0, 1.0, 0.0, 0.0]]
POSITIONS = [0, 3]


@property_check("worked-example")
def worked_example(student: Student, draw: Draw) -> None:
    """The example of the prompt, then other numbers at other positions, both in both styles."""
    inputs = [(np.array(ROWS), POSITIONS, 100.0), (draw.normal(2, 4, dtype=np.float64), [5, 2], 30.0)]
    calls = [
        Call(x, np.array(positions), base=base, interleaved=interleaved)
        for x, positions, base in inputs
        for interleaved in (False, True)
    ]
    check_values(student, calls, expected_rope)


@property_check("lengths-kept")
def lengths_kept(student: Student, draw: Draw) -> None:
    """Turning changes no length, and at position 0 nothing at all; elsewhere it does turn."""
    positions = np.array([0, 4, 0, 25, 300])
    for interleaved in (False, True):
        x = draw.normal(2, 3, 5, 8, sd=2.0, dtype=np.float64)
        tolerance = expected_rope(x, positions, interleaved=interleaved).tolerance
        turned = ask_array(student, Call(x, positions, interleaved=interleaved), x.shape, np.float64)
        told = f"With interleaved={interleaved}"
        require_close(
            turned[..., [0, 2], :], x[..., [0, 2], :], tolerance[..., [0, 2], :],
            f"{told} a row at position 0 must come back as it is.",
        )  # fmt: skip
        require_close(
            length(turned), length(x), length(tolerance) + 16.0 * np.finfo(np.float64).eps * length(x),
            f"{told} each row must keep its length, the root of the sum of its squares.",
        )  # fmt: skip
        moved = (np.abs(turned - x) > tolerance).any(axis=-1)[..., [1, 3, 4]]
        require(bool(moved.all()), f"{told} rows at other positions than 0 must not come back as they are.")


def length(x: np.ndarray) -> np.ndarray:
    return np.sqrt((x * x).sum(axis=-1))


@property_check("only-distance")
def only_distance(student: Student, draw: Draw) -> None:
    """The product of a turned query and a turned key stays when both move equally far, and not when one does."""
    at = np.array([0, 1, 7, 40])
    for interleaved in (False, True):
        q, k = (draw.normal(4, 6, sd=2.0, dtype=np.float64) for _ in range(2))
        before, error_before = products(student, q, k, at + 5, at, interleaved)
        for shift in (3, 100):
            after, error = products(student, q, k, at + 5 + shift, at + shift, interleaved)
            require_close(
                after, before, error_before + error,
                f"With interleaved={interleaved}: when queries and keys all move on by {shift} positions, their "
                "products must stay as they are, for the distances do.",
            )  # fmt: skip
        nearer, error = products(student, q, k, at + 4, at, interleaved)
        require(
            bool((np.abs(nearer - before) > error_before + error).all()),
            f"With interleaved={interleaved}: at another distance the products must be others.",
        )


def products(
    student: Student, q: np.ndarray, k: np.ndarray, of_q: np.ndarray, of_k: np.ndarray, interleaved: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Of each query with the key of the same row, both turned by the student; and how far off they may be."""
    turned, errors = [], []
    for x, positions in [(q, of_q), (k, of_k)]:
        call = Call(x, positions, interleaved=interleaved)
        turned.append(ask_array(student, call, x.shape, np.float64))
        errors.append(expected_rope(x, positions, interleaved=interleaved).tolerance)
    terms = turned[0] * turned[1]
    error = np.abs(turned[0]) * errors[1] + errors[0] * np.abs(turned[1])
    return terms.sum(axis=-1), (error + 16.0 * np.finfo(np.float64).eps * np.abs(terms)).sum(axis=-1)


@value_check("keeps-dtype", expected_rope)
def keeps_dtype(draw: Draw) -> Call:
    """float16 in, float16 out; then the same for float32."""
    dtype = (np.float16, np.float32)[draw.index]
    return Call(draw.normal(2, 5, 8, dtype=dtype), np.array([3, 0, 1, 12, 7]))
