"""The products are summed along the queries."""

import math


def scores(q, k):
    products = q[..., :, None, :] * k[..., None, :, :]
    return products.sum(axis=-3) / math.sqrt(q.shape[-1])
