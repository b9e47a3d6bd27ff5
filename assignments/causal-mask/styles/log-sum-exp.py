import math

import numpy as np


def visible(q, k, mask, causal):
    """Boolean, (..., Tq, Tk), spread over all leading axes."""
    queries, keys = (q.shape[-2], k.shape[-2])
    seen = np.ones((*q.shape[:-1], keys), dtype=bool)
    if causal:
        seen &= np.arange(keys) <= np.arange(queries)[:, None] + keys - queries
    return seen if mask is None else seen & mask


def attention(q, k, v, mask=None, causal=False):
    scores = np.where(visible(q, k, mask, causal), q @ k.mT / math.sqrt(q.shape[-1]), -np.inf)
    log_total = np.logaddexp.reduce(scores, axis=-1, keepdims=True)
    return np.exp(scores - np.where(np.isneginf(log_total), 0, log_total)) @ v
