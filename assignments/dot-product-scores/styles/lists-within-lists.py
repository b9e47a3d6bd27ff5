import numpy as np


def scores(q, k):
    """No numpy until the end: plain floats, added up by Python."""

    def rows(q, k, axes):
        if axes > 2:
            return [rows(one, other, axes - 1) for one, other in zip(q, k, strict=True)]
        return [
            [sum((a * b for a, b in zip(query, key, strict=True))) / len(query) ** 0.5 for key in k]
            for query in q
        ]

    return np.array(rows(q.tolist(), k.tolist(), q.ndim), dtype=q.dtype)
