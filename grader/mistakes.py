"""Telling which known mistake a wrong answer comes from.

Each known mistake is a whole submission that is wrong in one way. It is run on the very inputs that the
student's code was given; where it alone answers as that code did, every time, the mistake is named.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from typing import Any

import numpy as np

from .compare import Answer, Observation, differences, precision_lost

# In tolerances of the right answer. Two ways of making the same mistake differ by rounding, which is less than
# the first; a right answer, and a mistake that hardly shows, lie well within the second.
ALIKE = 8.0
CLEARLY_WRONG = 100.0
ENOUGH = 2  # clearly wrong answers: once may be chance

_NO_ALIASES: Mapping[str, frozenset[str]] = {}


class KnownMistakes:
    """The known mistakes of an assignment: by id, the function that makes it, called like a student's."""

    def __init__(self, functions: Mapping[str, Callable[..., Any]]) -> None:
        self.functions = functions

    def agreeing(self, observations: Sequence[Observation]) -> list[str]:
        """The mistakes that explain all observations, two of which must be clearly wrong; in their own order.

        A mistake must answer right, too, where the student's code does: that tells two of them apart.
        """
        clearly_wrong = sum(map(_is_clearly_wrong, observations))
        if not observations or clearly_wrong < min(ENOUGH, len(observations)):
            return []
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return [id for id, function in self.functions.items() if _explains_all(function, observations)]

    def name(
        self, observations: Sequence[Observation], same_as: Mapping[str, frozenset[str]] = _NO_ALIASES
    ) -> str | None:
        """The mistake that explains the observations; None where none does, or where several do.

        same_as: which mistakes look alike on every check: together they count as one, and the first is named.
        """
        agreeing = self.agreeing(observations)
        if not agreeing:
            return None
        first, *others = agreeing
        alike = _aliases(first, same_as)
        return first if all(other in alike for other in others) else None


def _aliases(id: str, same_as: Mapping[str, frozenset[str]]) -> set[str]:
    """What is declared to look like this mistake, by itself or by the other one."""
    return {id, *same_as.get(id, ()), *(other for other, its in same_as.items() if id in its)}


def _is_clearly_wrong(observation: Observation) -> bool:
    mismatch = differences(observation.answer, observation.expected)
    return mismatch is not None and mismatch.worst > CLEARLY_WRONG


def _explains_all(function: Callable[..., Any], observations: Sequence[Observation]) -> bool:
    """Whether the mistake answers every call as the student's code did. It is called once for all parts of a tuple."""
    for call, of_call in groupby(observations, key=lambda observation: observation.call):
        given = call.copy()
        try:
            result = function(*given.args, **given.kwargs)
        except (Exception, SystemExit):  # a mistake that cannot answer this call explains nothing
            return False
        if not all(_explains(result, observation) for observation in of_call):
            return False
    return True


def _explains(result: object, observation: Observation) -> bool:
    if observation.part is not None:
        items = list(result) if isinstance(result, tuple | list) else [result]
        in_form = len(items) in observation.returns.counts or len(items) == observation.returns.required == 1
        if not in_form or observation.part >= len(items):
            return False
        result = items[observation.part]
    return _alike(Answer.of(result, observation.expected.value.shape), observation)


def _alike(mistaken: Answer, observation: Observation) -> bool:
    seen, expected = observation.answer, observation.expected
    if seen.shape is None:
        return mistaken.returned == seen.returned
    if mistaken.dtype != seen.dtype or mistaken.shape != seen.shape:
        return False
    if seen.array is None or mistaken.array is None:
        return False  # an array of a wrong shape never crosses the channel, and a shape alone is no evidence
    finite = np.isfinite(seen.array)
    if not finite.any() or not np.array_equal(finite, np.isfinite(mistaken.array)):
        return False  # nothing but NaN may come from anywhere
    # Each rounds relative to its own numbers as well: where 0 is right, the tolerance is next to nothing.
    eps = float(np.finfo(expected.dtype).eps) if expected.dtype.kind == "f" else 0.0
    rounding = eps * np.where(finite, np.abs(seen.array), 0.0)
    allowed = ALIKE * precision_lost(seen, expected) * (expected.tolerance + rounding)
    difference = np.abs(np.subtract(seen.array, mistaken.array, dtype=_wide(seen.array)))
    same = (difference <= allowed) | (seen.array == mistaken.array)  # equal infinities too
    same |= np.isnan(seen.array) & np.isnan(mistaken.array)
    return bool(same.all())


def _wide(array: np.ndarray[Any, Any]) -> type:
    return np.complex128 if array.dtype.kind == "c" else np.float64
