"""The reference beside the two bare matmuls, in time and in memory, and beside torch where that is installed."""

from __future__ import annotations

import math
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np

from bench.harness import Row, clocked, interleaved, rows, show
from grader.reference import attention, online_attention

HEADS, WIDTH = 4, 64
TOKENS = (1024, 4096)
BARE = "two bare matmuls, head by head"


def measure() -> list[Row]:
    """Prints what it sees, and returns the rows of the tables."""
    table = []
    for tokens in TOKENS:
        print(f"The reference, {HEADS} heads of {tokens} tokens, d = {WIDTH}, float32, one thread")
        tasks = _tasks(tokens)
        own = rows(
            interleaved(
                {name: clocked(task) for name, task in tasks.items()}, rounds=5 if tokens > 2000 else 15
            ),
            {name: None if name == BARE else BARE for name in tasks},
        )
        show(own)
        for name in tasks:
            if "torch" not in name:  # what it allocates is not told to Python
                print(f"  {name}: {peak_mb(tasks[name]):.1f} MB at the most, its result included")
        print()
        table += [Row(f"{tokens} tokens: {row.name}", *_rest(row)) for row in own]
    return table


def _rest(row: Row) -> tuple[float, str, str | None, float | None, float, float]:
    return row.value, row.unit, row.baseline, row.ratio, row.low, row.high


def _tasks(tokens: int) -> dict[str, Callable[[], Any]]:
    dice = np.random.default_rng(0)
    q, k, v = (dice.standard_normal((HEADS, tokens, WIDTH), dtype=np.float32) for _ in range(3))
    tasks: dict[str, Callable[[], Any]] = {
        BARE: lambda: [(q[head] @ k[head].T) @ v[head] for head in range(HEADS)],
        "attention, query blocks": lambda: attention(q, k, v),
        "attention, query blocks, causal": lambda: attention(q, k, v, causal=True),
        "online softmax, key blocks": lambda: online_attention(q, k, v),
        "plain attention, all scores at once": lambda: _plain(q, k, v),
    }
    return tasks | _torch(q, k, v)


def _plain(q: Any, k: Any, v: Any) -> Any:
    scores = q @ k.swapaxes(-1, -2) / math.sqrt(WIDTH)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True) @ v


def _torch(q: Any, k: Any, v: Any) -> dict[str, Callable[[], Any]]:
    try:
        import torch
    except ImportError:
        print("  (torch is not installed, so nothing is measured against it)")
        return {}
    torch.set_num_threads(1)
    own = [torch.from_numpy(each)[None] for each in (q, k, v)]
    return {
        "torch's scaled_dot_product_attention": lambda: torch.nn.functional.scaled_dot_product_attention(*own)
    }


def peak_mb(task: Callable[[], Any]) -> float:
    """The most memory that numpy held at once beside the inputs."""
    tracemalloc.start()
    try:
        task()
        return tracemalloc.get_traced_memory()[1] / 2**20
    finally:
        tracemalloc.stop()
