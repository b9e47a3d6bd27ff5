"""The angles are laid out for neighbours, though halves are paired."""

import numpy as np


def rope(x, positions, base=10000.0, interleaved=False):
    width = x.shape[-1]
    frequencies = base ** (-np.arange(0, width, 2) / width)
    angles = np.outer(positions, frequencies)
    angles = np.repeat(angles, 2, axis=-1)
    return (x * np.cos(angles) + partner(x, interleaved) * np.sin(angles)).astype(x.dtype)


def partner(x, interleaved):
    """For each feature, the other one of its pair; with a minus where that is the second."""
    if interleaved:
        return np.stack([-x[..., 1::2], x[..., ::2]], axis=-1).reshape(x.shape)
    half = x.shape[-1] // 2
    return np.concatenate([-x[..., half:], x[..., :half]], axis=-1)
