import numpy as np


def rope(
    x: np.ndarray, positions: np.ndarray, base: float = 10000.0, interleaved: bool = False
) -> np.ndarray:
    """Rotary position embedding: each pair of features is turned by an angle that grows with the position.

    x: (..., T, d)     queries or keys, one per row; d is even
    positions: (T,)    where each row stands; any numbers, whole or not, in any order
    base:              pair i turns by position * base ** (-2i / d)
    interleaved:       pair i is features (2i, 2i + 1) if True, (i, i + d/2) if False
    Returns (..., T, d), in the dtype of x.
    """
    raise NotImplementedError("write rope(x, positions, base, interleaved) here")
