import math

import numpy as np


class MultiHeadAttention:
    """Each head's own slice of the matrices, one head after the other."""

    def __init__(self, w_q, w_k, w_v, w_o, heads):
        self.heads = [
            (each(w_q), each(w_k), each(w_v), each(w_o.T).T)
            for each in (lambda w, h=h: np.split(w, heads, axis=1)[h] for h in range(heads))
        ]

    def forward(self, x, causal=False):
        return sum(self.attend(x, *head, causal) for head in self.heads)

    def attend(self, x, w_q, w_k, w_v, w_o, causal):
        q, k, v = x @ w_q, x @ w_k, x @ w_v
        scores = q @ np.swapaxes(k, -1, -2) / math.sqrt(q.shape[-1])
        if causal:
            scores = np.where(np.tri(x.shape[-2], dtype=bool), scores, -np.inf)
        weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
        return weights / weights.sum(axis=-1, keepdims=True) @ v @ w_o
