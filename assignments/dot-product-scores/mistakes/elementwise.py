"""Query i is multiplied by key i, number by number."""

import math


def scores(q, k):
    return q * k / math.sqrt(q.shape[-1])
