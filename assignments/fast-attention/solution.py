import math

import numpy as np

BLOCK = 128  # queries at a time: their scores stay in the processor's cache until they are done with


def attention(q, k, v, causal=False):
    """softmax(q k^T / sqrt(d)) v, (..., Tq, dv), in as few passes over memory as numpy allows."""
    *leading, queries, _ = q.shape
    keys = k.shape[-2]
    offset = keys - queries  # query i stands at key i + offset

    # The scale meets q, which is small, and not the scores. One buffer serves every block of every head.
    scaled = q * (1 / math.sqrt(q.shape[-1]))
    buffer = np.empty(BLOCK * keys, dtype=q.dtype)
    result = np.zeros((*leading, queries, v.shape[-1]), dtype=q.dtype)
    first = max(0, -offset) if causal else 0  # queries before that see nothing

    for head in np.ndindex(*leading):
        transposed = k[head].T
        for start in range(first, queries, BLOCK):
            stop = min(start + BLOCK, queries)
            # Under causality nobody in this block looks beyond the key of its last query: half of the work.
            seen = stop + offset if causal else keys
            scores = buffer[: (stop - start) * seen].reshape(stop - start, seen)
            np.matmul(scaled[head][start:stop], transposed[:, :seen], out=scores)
            if causal:
                # Only the keys from the first query's own on can be in anybody's future.
                own = start + offset
                future = ~np.tri(stop - start, stop - start, dtype=bool)
                scores[:, own:][future] = -np.inf

            # Each line is one pass, in place, over scores that are still in the cache. What is divided in the
            # end is the result, not the weights: d numbers a query instead of Tk.
            scores -= scores.max(axis=-1, keepdims=True)
            np.exp(scores, out=scores)
            np.matmul(scores, v[head][:seen], out=result[head][start:stop])
            result[head][start:stop] /= scores.sum(axis=-1, keepdims=True)
    return result
