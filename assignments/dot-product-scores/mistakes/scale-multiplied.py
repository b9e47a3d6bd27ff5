"""The products are multiplied by the square root of d."""

import math


def scores(q, k):
    return q @ k.swapaxes(-1, -2) * math.sqrt(q.shape[-1])
