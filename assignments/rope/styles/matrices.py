import numpy as np


def angles_of(positions, width, base):
    """(T, d/2) in float64."""
    return np.asarray(positions, dtype=np.float64)[:, None] / base ** (np.arange(0, width, 2) / width)


def halves(x, interleaved):
    half = x.shape[-1] // 2
    return (x[..., ::2], x[..., 1::2]) if interleaved else (x[..., :half], x[..., half:])


def rope(x, positions, base=10000.0, interleaved=False):
    """A (d, d) matrix for each position."""
    width = x.shape[-1]
    angles = angles_of(positions, width, base)
    first, second = halves(np.arange(width), interleaved)
    turns = np.zeros((len(positions), width, width))
    turns[:, first, first] = turns[:, second, second] = np.cos(angles)
    turns[:, first, second], turns[:, second, first] = (-np.sin(angles), np.sin(angles))
    return np.einsum("tij,...tj->...ti", turns, x).astype(x.dtype)
