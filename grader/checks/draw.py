"""Random inputs, the same for the same seed and check."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray


class Draw:
    """One draw of a check's inputs.

    index: 0 for the first draw of a check, 1 for the second. Shapes must not depend on it; values always do.
    """

    def __init__(self, seed: int, check: str, index: int = 0) -> None:
        self.index = index
        self._random = np.random.default_rng([seed, zlib.crc32(check.encode()), index])

    def normal(self, *shape: int, sd: float = 1.0, dtype: DTypeLike = np.float32) -> NDArray[Any]:
        """Normal numbers of mean 0, already rounded to `dtype`, which is thus no error of the student's."""
        return (sd * self._random.standard_normal(shape)).astype(dtype)

    def permutation(self, length: int) -> NDArray[np.int64]:
        """0 to length - 1 in random order."""
        return self._random.permutation(length)

    def mask(self, *shape: int, keep: float = 0.6) -> NDArray[np.bool_]:
        """True with probability `keep`. The last axis is that of the keys: no row of several is all False."""
        mask = self._random.random(shape) < keep
        if shape[-1] == 1:
            return mask
        certain = self._random.integers(shape[-1], size=(*shape[:-1], 1))
        np.put_along_axis(mask, certain, True, axis=-1)
        return mask


def padding(lengths: Sequence[int], keys: int) -> NDArray[np.bool_]:
    """(B, 1, 1, keys): in batch b the first lengths[b] keys are real; the rest is padding and hidden."""
    return (np.arange(keys) < np.array(lengths)[:, None])[:, None, None, :]
