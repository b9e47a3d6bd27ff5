import math

import numpy as np


def scores(q, k):
    """The sum from the last feature to the first, each an outer product."""
    terms = [q[..., :, None, c] * k[..., None, :, c] for c in reversed(range(q.shape[-1]))]
    return np.add.reduce(terms) / math.sqrt(q.shape[-1])
