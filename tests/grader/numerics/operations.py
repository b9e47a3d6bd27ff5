"""The reference's operations, each with its oracle, right styles, and problems of any size and kind."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from grader.checks import Call
from grader.reference import (
    Expected,
    attention,
    attention_backward,
    decode,
    expected_attention,
    expected_backward,
    expected_decode,
    expected_grouped_query,
    expected_multi_head,
    expected_rope,
    expected_scores,
    expected_softmax,
    expected_weights,
    grouped_query_attention,
    multi_head_attention,
    online_attention,
    rope,
    scores,
    softmax,
)
from tests.grader.numerics import right_backward, right_multi_head, right_operations, right_styles

Array = np.ndarray
DTYPES = (np.float16, np.float32, np.float64)


@dataclass(frozen=True)
class Numbers:
    """What a problem is made of.

    spread: the standard deviation of what the scores grow with.
    long:   whether lengths are up to 256 and widths up to 64, or all of them tiny.
    mixed:  whether weights, and what backward passes bring along, are of other kinds than the rest.
    """

    random: np.random.Generator
    dtype: type
    kind: str = "normal"
    spread: float = 1.0
    long: bool = False
    mixed: bool = True

    def array(self, *shape: int, spread: float = 1.0, kind: str | None = None) -> Array:
        return (spread * KINDS[kind or self.kind](self.random, shape)).astype(self.dtype)

    def beside(self, *shape: int, spread: float = 1.0) -> Array:
        kind = str(self.random.choice(kinds(self.long))) if self.mixed else self.kind
        return self.array(*shape, spread=spread, kind=kind)

    def length(self) -> int:
        return int(self.random.choice([64, 256] if self.long else [1, 2, 3, 5, 9]))

    def width(self) -> int:
        return int(self.random.choice([16, 64] if self.long else [1, 2, 3, 4, 8]))

    def leading(self) -> tuple[int, ...]:
        return () if self.long else [(), (2,), (2, 3)][self.random.integers(3)]

    def hidden(self, queries: int, keys: int) -> dict[str, Any]:
        """Causality, a mask, both or neither."""
        mask = self.random.random((queries, keys)) < 0.7 if self.random.random() < 0.4 else None
        return {"mask": mask, "causal": bool(self.random.random() < 0.4)}

    def attention(self) -> tuple[list[Array], dict[str, Any]]:
        leading, queries, keys, width = self.leading(), self.length(), self.length(), self.width()
        q = self.array(*leading, queries, width, spread=self.spread)
        k, v = self.array(*leading, keys, width), self.array(*leading, keys, self.width())
        return [q, k, v], self.hidden(queries, keys)


# Sums that cancel and sums that do not, rows that are all alike, features far from 0 in all rows, equal numbers.
KINDS: dict[str, Callable[[np.random.Generator, tuple[int, ...]], Array]] = {
    "normal": lambda random, shape: random.standard_normal(shape),
    "offset": lambda random, shape: 3.0 + random.standard_normal(shape),
    "positive": lambda random, shape: np.abs(random.standard_normal(shape)),
    "heavy": lambda random, shape: random.standard_normal(shape) * np.exp(random.standard_normal(shape)),
    "integers": lambda random, shape: random.integers(-3, 4, shape).astype(float),
    "equal": lambda random, shape: np.full(shape, 1.1),
    "rows-alike": lambda random, shape: np.broadcast_to(random.standard_normal(shape[-1:]), shape),
    "features-apart": lambda random, shape: (
        random.standard_normal(shape) + 10.0 * random.standard_normal(shape[-1:])
    ),
}


def kinds(long: bool) -> list[str]:
    """But for long sums of equal terms: whoever adds them one after the other rounds each time the same way."""
    return [kind for kind in KINDS if not (long and kind in ("equal", "rows-alike"))]


def attention_problem(numbers: Numbers) -> Call:
    arrays, hidden = numbers.attention()
    return Call(*arrays, **hidden)


def scores_problem(numbers: Numbers) -> Call:
    (q, k, _), _ = numbers.attention()
    return Call(q, k)


def weights_problem(numbers: Numbers) -> Call:
    (q, k, _), hidden = numbers.attention()
    return Call(q, k, **hidden)


def softmax_problem(numbers: Numbers) -> Call:
    x = numbers.array(*numbers.leading(), numbers.length(), numbers.length(), spread=numbers.spread)
    if numbers.random.random() < 0.3:
        x[numbers.random.random(x.shape) < 0.4] = -np.inf
    return Call(x, axis=int(numbers.random.choice([-1, -2])))


def backward_problem(numbers: Numbers) -> Call:
    (q, k, v), hidden = numbers.attention()
    return Call(q, k, numbers.beside(*v.shape), numbers.beside(*q.shape[:-1], v.shape[-1]), **hidden)


def rope_problem(numbers: Numbers) -> Call:
    leading, length = numbers.leading(), numbers.length()
    positions = np.arange(length) + numbers.random.choice([0, 0, 5, 1000])
    if numbers.random.random() < 0.3:
        positions = numbers.random.integers(0, 300, (*leading, length))
    x = numbers.array(*leading, length, 2 * numbers.width(), spread=numbers.spread)
    base = float(numbers.random.choice([100.0, 10000.0, 500000.0]))
    return Call(x, positions, base=base, interleaved=bool(numbers.random.integers(2)))


def grouped_problem(numbers: Numbers) -> Call:
    leading, queries, keys, width = numbers.leading(), numbers.length(), numbers.length(), numbers.width()
    shared, group = numbers.random.integers(1, 3, size=2)
    q = numbers.array(*leading, group * shared, queries, width, spread=numbers.spread)
    k, v = (numbers.array(*leading, shared, keys, w) for w in (width, numbers.width()))
    return Call(q, k, v, **numbers.hidden(queries, keys))


def multi_head_problem(numbers: Numbers) -> Call:
    leading, queries, width, own = numbers.leading(), numbers.length(), numbers.width(), numbers.width()
    shared, group = (int(each) for each in numbers.random.integers(1, 3, size=2))
    heads, d, dv = group * shared, max(1, numbers.width() // 4), max(1, numbers.width() // 4)
    keys, context = queries, None
    if numbers.random.random() < 0.5:
        keys = numbers.length()
        context = numbers.array(*leading, keys, own)
    else:
        own = width

    def weights(rows: int, columns: int, spread: float = 1.0) -> Array:
        return numbers.beside(rows, columns, spread=spread / math.sqrt(rows))

    return Call(
        numbers.array(*leading, queries, width), weights(width, heads * d, numbers.spread),
        weights(own, shared * d), weights(own, shared * dv), weights(heads * dv, width), heads,
        context=context, kv_heads=shared, **numbers.hidden(queries, keys),
    )  # fmt: skip


def decode_problem(numbers: Numbers) -> Call:
    (q, k, v), _ = numbers.attention()
    past = numbers.length() - 1
    k_cache, v_cache = (numbers.array(*each.shape[:-2], past, each.shape[-1]) for each in (k, v))
    new = min(q.shape[-2], k.shape[-2])
    return Call(q[..., :new, :], k[..., :new, :], v[..., :new, :], k_cache, v_cache)


@dataclass(frozen=True)
class Operation:
    """fast: the reference's own ways, of which every one must be right."""

    problem: Callable[[Numbers], Call]
    expected: Callable[..., Expected | dict[str, Expected]]
    fast: Mapping[str, Callable[..., Any]]
    styles: Mapping[str, Callable[..., Any]]

    def right(self, call: Call) -> dict[str, Expected]:
        """By name; a single result has none."""
        right = self.expected(*call.args, **call.kwargs)
        return {"": right} if isinstance(right, Expected) else right


OPERATIONS = {
    "attention": Operation(
        attention_problem, expected_attention, {"blocks": attention, "online": online_attention},
        right_styles.STYLES,
    ),
    "scores": Operation(scores_problem, expected_scores, {"fast": scores}, right_operations.SCORES),
    "softmax": Operation(softmax_problem, expected_softmax, {"fast": softmax}, right_operations.SOFTMAX),
    "weights": Operation(weights_problem, expected_weights, {}, right_operations.WEIGHTS),
    "grouped query": Operation(
        grouped_problem, expected_grouped_query, {"fast": grouped_query_attention}, {}
    ),
    "multi head": Operation(
        multi_head_problem, expected_multi_head, {"fast": multi_head_attention}, right_multi_head.MULTI_HEAD
    ),
    "rope": Operation(rope_problem, expected_rope, {"fast": rope}, right_operations.ROPE),
    "decode": Operation(decode_problem, expected_decode, {"fast": decode}, {}),
    "backward": Operation(
        backward_problem, expected_backward, {"fast": attention_backward}, right_backward.BACKWARD
    ),
}  # fmt: skip


def misses(result: Any, right: Mapping[str, Expected]) -> dict[str, float]:
    """The largest error of each result in tolerances; the form must be right."""
    results = result if isinstance(result, tuple) else (result,)
    found = {}
    for (name, expected), array in zip(right.items(), results, strict=True):
        assert array.dtype == expected.dtype
        assert array.shape == expected.value.shape == expected.tolerance.shape
        error = np.abs(array.astype(np.float64) - expected.value)
        found[name] = float((error / expected.tolerance).max(initial=0.0))
    return found
