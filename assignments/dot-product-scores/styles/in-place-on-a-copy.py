import math

import numpy as np


def scores(q, k):
    scaled = np.array(q, order="C")
    scaled /= math.sqrt(q.shape[-1])
    return np.matmul(scaled, np.swapaxes(k, -2, -1))
