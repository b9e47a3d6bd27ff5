"""What the right answer to one call is, and how far from it an answer may lie."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Expected:
    """The right answer to one call.

    value:      in float64, of the shape that the answer must have.
    tolerance:  the largest absolute error allowed for each element; the same shape.
    dtype:      what the answer must be stored in.
    """

    value: NDArray[np.float64]
    tolerance: NDArray[np.float64]
    dtype: np.dtype[Any]
