import math

import numpy as np


def rope(x, positions, base=10000.0, interleaved=False):
    """Loops over positions and pairs, with Python's own cosine and sine."""
    width = x.shape[-1]
    turned = x.copy()
    for t, position in enumerate(positions.tolist()):
        for i in range(width // 2):
            first, second = (2 * i, 2 * i + 1) if interleaved else (i, i + width // 2)
            theta = position * base ** (-2 * i / width)
            a, b = (x[..., t, first].astype(np.float64), x[..., t, second].astype(np.float64))
            turned[..., t, first] = a * math.cos(theta) - b * math.sin(theta)
            turned[..., t, second] = a * math.sin(theta) + b * math.cos(theta)
    return turned
