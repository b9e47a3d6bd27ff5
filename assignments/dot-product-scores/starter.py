import numpy as np


def scores(q: np.ndarray, k: np.ndarray) -> np.ndarray:
    """How well each query matches each key: q k^T / sqrt(d).

    q: (..., Tq, d)   queries
    k: (..., Tk, d)   keys
    Returns (..., Tq, Tk), in the dtype of q. "..." is any number of batch and head axes, or none.
    """
    raise NotImplementedError("write scores(q, k) here")
