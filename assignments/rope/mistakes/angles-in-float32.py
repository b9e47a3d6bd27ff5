"""Positions and frequencies are float32 whatever x is."""

import numpy as np


def rope(x, positions, base=10000.0, interleaved=False):
    width = x.shape[-1]
    frequencies = base ** (-np.arange(0, width, 2) / width)
    angles = np.outer(np.float32(positions), np.float32(frequencies))
    cos, sin = np.cos(angles), np.sin(angles)
    if interleaved:
        first, second = np.s_[..., ::2], np.s_[..., 1::2]
    else:
        first, second = np.s_[..., : width // 2], np.s_[..., width // 2 :]
    turned = np.empty_like(x)
    turned[first] = x[first] * cos - x[second] * sin
    turned[second] = x[first] * sin + x[second] * cos
    return turned
