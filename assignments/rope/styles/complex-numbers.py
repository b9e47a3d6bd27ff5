import numpy as np


def halves(x, interleaved):
    half = x.shape[-1] // 2
    return (x[..., ::2], x[..., 1::2]) if interleaved else (x[..., :half], x[..., half:])


def joined(first, second, interleaved):
    if interleaved:
        return np.stack([first, second], axis=-1).reshape(*first.shape[:-1], -1)
    return np.concatenate([first, second], axis=-1)


def angles_of(positions, width, base):
    """(T, d/2) in float64."""
    return np.asarray(positions, dtype=np.float64)[:, None] / base ** (np.arange(0, width, 2) / width)


def rope(x, positions, base=10000.0, interleaved=False):
    a, b = halves(x.astype(np.float64), interleaved)
    turned = (a + 1j * b) * np.exp(1j * angles_of(positions, x.shape[-1], base))
    return joined(turned.real, turned.imag, interleaved).astype(x.dtype)
