"""Forgets to return the result."""

import math


def scores(q, k):
    q @ k.swapaxes(-1, -2) / math.sqrt(q.shape[-1])
