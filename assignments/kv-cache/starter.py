import numpy as np


def decode(
    q: np.ndarray, k: np.ndarray, v: np.ndarray, k_cache: np.ndarray, v_cache: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Attention for n new tokens at the end of a sequence whose first T tokens are in the caches.

    q: (..., n, d)         queries of the new tokens
    k: (..., n, d)         their keys
    v: (..., n, dv)        their values
    k_cache: (..., T, d)   keys of the tokens before; T may be 0
    v_cache: (..., T, dv)  their values
    Returns (output, k_cache, v_cache), all in the dtype of q:
        output (..., n, dv); each new token sees the cached ones, the new ones before it and itself
        k_cache (..., T + n, d) and v_cache (..., T + n, dv), new arrays: the old ones stay as they are
    """
    raise NotImplementedError("write decode(q, k, v, k_cache, v_cache) here")
