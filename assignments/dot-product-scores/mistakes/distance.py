"""The scores are squared distances between query and key, not products."""

import math


def scores(q, k):
    apart = q[..., :, None, :] - k[..., None, :, :]
    return -(apart**2).sum(axis=-1) / math.sqrt(q.shape[-1])
