import numpy as np


def rope(x, positions, base=10000.0, interleaved=False):
    """Rotary position embedding: (..., T, d), (T,) -> (..., T, d)."""
    width = x.shape[-1]

    # One angle for each position and pair, in float64: at position 5000 narrower numbers blur the fast pairs.
    frequencies = base ** (-np.arange(0, width, 2) / width)
    angles = np.outer(positions, frequencies)
    cos, sin = np.cos(angles), np.sin(angles)

    # The styles differ only in where the two features of a pair stand.
    if interleaved:
        first, second = np.s_[..., ::2], np.s_[..., 1::2]
    else:
        first, second = np.s_[..., : width // 2], np.s_[..., width // 2 :]

    # Turn each pair by its angle. The new array has the dtype of x, so storing rounds to it.
    turned = np.empty_like(x)
    turned[first] = x[first] * cos - x[second] * sin
    turned[second] = x[first] * sin + x[second] * cos
    return turned
