"""The keys are reshaped to (d, Tk) where they should be transposed."""

import math


def scores(q, k):
    columns = k.reshape(*k.shape[:-2], k.shape[-1], k.shape[-2])
    return q @ columns / math.sqrt(q.shape[-1])
