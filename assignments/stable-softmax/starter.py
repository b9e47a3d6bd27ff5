import numpy as np


def softmax(x: np.ndarray, axis: int = -1) -> np.ndarray:
    """exp(x) divided by its sum along `axis`.

    x: any shape with at least one axis; may hold -inf, which gets weight 0
    axis: an axis of x, counted from the front or, if negative, from the end
    Returns weights of the shape and the dtype of x; a row of nothing but -inf gives zeros.
    """
    raise NotImplementedError("write softmax(x, axis) here")
