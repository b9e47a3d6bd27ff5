"""Right or wrong: one answer against the value and the error that the reference allows.

In order: exactly a numpy array, of the right dtype, of exactly the right shape (nothing is broadcast), finite,
and each element within its own tolerance.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .interface import ONE_ARRAY, Returns
from .reference import Expected
from .report import Verdict

Array: TypeAlias = NDArray[Any]
Argument: TypeAlias = Array | int | float | bool | str | None

_NUMBERS = frozenset(np.dtype(code) for code in "?bBhHiIlLqQefdFD")  # numpy's, but for those of 80 bits
_SINGLE, _DOUBLE = (float(np.finfo(dtype).eps) for dtype in (np.float32, np.float64))


@dataclass(frozen=True, init=False, eq=False)
class Call:
    """The arguments of one call, `Call(q, k, v, causal=True)`. The layout and writability of arrays count."""

    args: tuple[Argument, ...]
    kwargs: dict[str, Argument]

    def __init__(self, *args: Argument, **kwargs: Argument) -> None:
        object.__setattr__(self, "args", args)
        object.__setattr__(self, "kwargs", kwargs)

    def copy(self) -> Call:
        """The same call with arrays of its own, laid out and protected like these."""
        kwargs = {name: _copy(value) for name, value in self.kwargs.items()}
        return Call(*(_copy(value) for value in self.args), **kwargs)

    @property
    def arrays(self) -> tuple[Array, ...]:
        return tuple(value for value in (*self.args, *self.kwargs.values()) if isinstance(value, np.ndarray))


def _copy(value: Argument) -> Argument:
    if not isinstance(value, np.ndarray):
        return value
    if value.flags.c_contiguous or value.flags.f_contiguous:
        copy = value.copy(order="A")
    else:  # every other element of a wider array
        copy = np.zeros((*value.shape[:-1], 2 * value.shape[-1]), value.dtype)[..., ::2]
        copy[...] = value
    copy.flags.writeable = value.flags.writeable
    return copy


@dataclass(frozen=True, eq=False)
class Answer:
    """What came back from one call.

    array:        None when no array of the expected shape came back.
    shape, dtype: None when it was no array at all; dtype as "float64".
    returned:     in words, "a tuple of 2 (ndarray, ndarray)". Of something that is no array these may be the
                  student's own words, so they go into details and never into a message.
    inputs_kept:  whether the arrays given still hold what they held; None where nobody asked.
    """

    array: Array | None
    shape: tuple[int, ...] | None
    dtype: str | None
    returned: str
    inputs_kept: bool | None = None

    @classmethod
    def of(cls, result: object, shape: tuple[int, ...], inputs_kept: bool | None = None) -> Answer:
        """The answer that a returned object makes, where an array of `shape` was expected."""
        if type(result) is not np.ndarray or result.dtype.newbyteorder("=") not in _NUMBERS:
            return cls(None, None, None, in_words(result), inputs_kept)
        dtype = result.dtype.newbyteorder("=").name
        array = result if result.shape == shape else None
        return cls(array, result.shape, dtype, f"an array of shape {result.shape}, {dtype}", inputs_kept)


@dataclass(frozen=True, eq=False)
class Answers:
    """All that came back from one call.

    parts:    an Answer for each array that was asked for; none where no tuple of as many came back.
    returned: in words, as in `Answer`.
    """

    parts: tuple[Answer, ...]
    returned: str
    inputs_kept: bool | None = None

    @classmethod
    def of(
        cls, result: object, shapes: Sequence[tuple[int, ...]], returns: Returns = ONE_ARRAY,
        inputs_kept: bool | None = None,
    ) -> Answers:  # fmt: skip
        """The answers that a returned object makes; `shapes` are those of the arrays asked for, in their order."""
        if type(result) in (tuple, list) and len(result) in returns.counts:  # type: ignore[arg-type]
            items: list[object] = list(result)  # type: ignore[call-overload]
            parts = tuple(Answer.of(item, shape) for item, shape in zip(items, shapes, strict=False))
            return cls(parts, in_words(result), inputs_kept)
        answer = Answer.of(result, shapes[0], inputs_kept)
        return cls((answer,) if returns.required == 1 else (), answer.returned, inputs_kept)


def in_words(result: object) -> str:
    """What came back instead of an array of numbers; the same words that the sandbox uses."""
    name = type(result).__name__
    if result is None:
        return "None"
    if type(result) in (list, tuple):
        items: list[object] = list(result)  # type: ignore[call-overload]
        kinds = ", ".join(type(item).__name__ for item in items[:3]) + (", ..." if len(items) > 3 else "")
        return f"a {name} of {len(items)} ({kinds})" if items else f"an empty {name}"
    if type(result) is np.ndarray:
        return f"an array of dtype {result.dtype}"
    if isinstance(result, np.ndarray):
        return f"a {name}, a subclass of numpy.ndarray"
    if isinstance(result, np.generic):
        return f"a numpy {name} scalar"
    return f"{'an' if name[:1] in 'aeiou' else 'a'} {name}"


@dataclass(frozen=True)
class Mismatch:
    """How an answer misses.

    message: for the student's eyes whatever the check's visibility: counts, places, shapes and dtypes only.
    detail:  for public checks only: it tells values.
    worst:   the largest error in tolerances; infinite where the values cannot be compared.
    """

    verdict: Verdict
    message: str
    detail: str = ""
    worst: float = np.inf


@dataclass(frozen=True, eq=False)
class Observation:
    """One call, what came back and what was right: the material from which a mistake is named.

    part:    which array of a returned tuple this is; None where the call returns a single one, or was to return a tuple
             and did not.
    returns: what the call was to return.
    """

    call: Call
    answer: Answer
    expected: Expected
    part: int | None = None
    returns: Returns = ONE_ARRAY


THE_RESULT = "the result"


def tuple_mismatch(answers: Answers, returns: Returns) -> Mismatch | None:
    """Where a tuple was asked for and something else came back."""
    if answers.parts:
        return None
    message = (
        f"The result must be a tuple of {len(returns.parts)} arrays, {returns}, and something else came back."
    )
    return Mismatch(Verdict.WRONG_TYPE, message, f"It was {answers.returned}.")


def form_mismatch(
    answer: Answer, shape: tuple[int, ...], dtype: np.dtype[Any], what: str = THE_RESULT
) -> Mismatch | None:
    """What is wrong with an answer before any of its values is compared: type, dtype, shape, not finite."""
    subject = what[:1].upper() + what[1:]
    if answer.shape is None:
        message = (
            f"{subject} must be a plain numpy array (on a GPU, a CuPy one), and something else came back."
        )
        return Mismatch(Verdict.WRONG_TYPE, message, f"It was {answer.returned}.")
    if answer.dtype != dtype.name:
        message = f"{subject} has dtype {answer.dtype} where {dtype.name} is asked for."
        return Mismatch(Verdict.WRONG_TYPE, message)
    if answer.array is None or answer.shape != shape:
        message = f"{subject} has shape {answer.shape} where {shape} is asked for."
        return Mismatch(Verdict.WRONG_SHAPE, message)
    finite = np.isfinite(answer.array)
    if not finite.all():
        message = (
            f"{_count(~finite)} numbers of {what} {_are(~finite)} NaN or infinite, "
            f"the first at index {_index(~finite)}."
        )
        return Mismatch(Verdict.NOT_FINITE, message)
    return None


def differences(answer: Answer, expected: Expected, what: str = THE_RESULT) -> Mismatch | None:
    """How the answer misses what was expected; None where it is right."""
    mismatch = form_mismatch(answer, expected.value.shape, expected.dtype, what)
    if mismatch is None:
        assert answer.array is not None
        return value_mismatch(answer.array, expected, what)
    if answer.shape is not None and answer.dtype != expected.dtype.name:
        return replace(mismatch, message=mismatch.message + _beside_the_dtype(answer, expected))
    return mismatch


def _beside_the_dtype(answer: Answer, expected: Expected) -> str:
    """What else is to say about an answer of the wrong dtype."""
    if answer.array is None:
        return f" Its shape is {answer.shape} where {expected.value.shape} is asked for."
    if answer.array.dtype.kind == "c":
        return ""
    right = bool(
        (errors(answer.array, expected) <= expected.tolerance * precision_lost(answer, expected)).all()
    )
    return " The values are right." if right else ""


def precision_lost(answer: Answer, expected: Expected) -> float:
    """How much coarser the answer's dtype is than the one asked for; 1 where it is as fine, or no float."""
    if answer.array is None or answer.array.dtype.kind != "f":
        return 1.0
    return max(1.0, float(np.finfo(answer.array.dtype).eps) / float(np.finfo(expected.dtype).eps))


def errors(array: Array, expected: Expected) -> NDArray[np.float64]:
    """The absolute error of each element; NaN or infinite where the array is."""
    with np.errstate(invalid="ignore", over="ignore"):
        return np.asarray(np.abs(np.subtract(array, expected.value, dtype=np.float64)))


def value_mismatch(array: Array, expected: Expected, what: str = THE_RESULT) -> Mismatch | None:
    """Which elements lie further off than they may; the form is right already."""
    error = errors(array, expected)
    wrong = ~(error <= expected.tolerance)  # so that a NaN is wrong
    if not wrong.any():
        return None
    with np.errstate(
        over="ignore", divide="ignore"
    ):  # where 0 is right, hardly any error is allowed, or none
        ratio = np.divide(error, expected.tolerance, out=np.zeros_like(error), where=wrong)
    place = np.unravel_index(int(np.argmax(ratio)), ratio.shape)
    worst = float(ratio[place])
    message = (
        f"{_count(wrong)} numbers of {what} {_are(wrong)} too far off, the worst at index {_written(place)}."
    )
    if expected.dtype == np.float64 and worst * _DOUBLE <= _SINGLE:
        message += (
            " They agree to six digits or more: look for work done in a narrower dtype, or for a small number"
            " added where none belongs."
        )
    detail = (
        f"At index {_written(place)}: yours {array[place]:.9g}, right {expected.value[place]:.9g}, "
        f"allowed error {expected.tolerance[place]:.2g}."
    )
    return Mismatch(Verdict.WRONG_ANSWER, message, detail, worst)


def _count(flags: NDArray[np.bool_]) -> str:
    return f"{np.count_nonzero(flags)} of {flags.size}"


def _are(flags: NDArray[np.bool_]) -> str:
    return "is" if np.count_nonzero(flags) == 1 else "are"


def _index(flags: NDArray[np.bool_]) -> str:
    """Where the first flag is set."""
    return _written(np.unravel_index(int(np.argmax(flags)), flags.shape))


def _written(place: tuple[Any, ...]) -> str:
    return "[" + ", ".join(str(int(i)) for i in place) + "]"
