import math


def scores(q, k):
    """How well each query matches each key: (..., Tq, d), (..., Tk, d) -> (..., Tq, Tk)."""
    # With the last two axes of k exchanged, each key is a column, and @ multiplies every row with every column.
    products = q @ k.swapaxes(-1, -2)

    # A sum of d products spreads like the root of d. math.sqrt gives a plain float, which keeps the dtype of q.
    return products / math.sqrt(q.shape[-1])
