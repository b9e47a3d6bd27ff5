"""The same call with its arrays in every memory layout that a caller may have them in."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from grader.compare import Array, Call


def in_every_layout(call: Call) -> dict[str, Call]:
    """By the beginning of a sentence: as it is, in Fortran order, every other element of a wider array, read-only."""
    if len(call.arrays) == 1:
        plain, fortran, strided, fixed = (
            "Already with a plain array:", "With an input in Fortran order:",
            "With an input that is a strided view:", "With a read-only input:",
        )  # fmt: skip
    else:
        plain, fortran, strided, fixed = (
            "Already with plain arrays:", "With inputs in Fortran order:",
            "With inputs that are strided views:", "With read-only inputs:",
        )  # fmt: skip
    return {
        plain: call,
        fortran: _laid_out(call, np.asfortranarray),
        strided: _laid_out(call, lambda array: np.repeat(array, 2, axis=-1)[..., ::2]),
        fixed: _laid_out(call, _read_only),
    }


def _laid_out(call: Call, lay_out: Callable[[Array], Array]) -> Call:
    args = [lay_out(value) if isinstance(value, np.ndarray) else value for value in call.args]
    kwargs = {
        name: lay_out(value) if isinstance(value, np.ndarray) else value
        for name, value in call.kwargs.items()
    }
    return Call(*args, **kwargs)


def _read_only(array: Array) -> Array:
    copy = array.copy()
    copy.flags.writeable = False
    return copy
