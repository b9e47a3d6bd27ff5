"""What a variant's numbers may be: friendly to somebody without a calculator, and never degenerate.

A generator takes a stream and the `given` that the lesson wrote: that says the tokens and sizes, and whatever else it
says is kept. Each of its parts draws from a stream of its own.
"""

from __future__ import annotations

import itertools
import math
from typing import Any

from softmark.lessons.variants.given import Given, Misgiven, tokens_of, whole
from softmark.lessons.variants.seeds import Stream

_TOKENS = ("the", "river", "bank")
_Q = range(1, 4)  # numbers of a query
_K = range(4)  # of a key, and of a value
_SPREAD = 6  # scaled scores lie in a run of so many whole numbers, so that every share can be seen
_TRIES = 200


def small_integer_keys(stream: Stream, given: Given) -> Given:
    """q, keys by token and d_k, a square: all scaled scores are different whole numbers. No ties.

    With `values` in the given, values by token too.
    """
    tokens = _tokens(given)
    targets = stream.of("scores").some(range(_SPREAD), len(tokens))
    return _with_keys(stream, given, tokens, targets)


def tied_integer_keys(stream: Stream, given: Given) -> Given:
    """The same, but for two tokens that share the largest score, and have different keys."""
    tokens = _tokens(given)
    if len(tokens) < 3:
        raise Misgiven("A tie at the top needs three tokens at least.")
    different = stream.of("scores").some(range(_SPREAD), len(tokens) - 1)
    targets = stream.of("places").shuffled([*different, max(different)])
    return _with_keys(stream, given, tokens, targets)


def _tokens(given: Given) -> list[str]:
    tokens = tokens_of(given) if "keys" in given or "tokens" in given else list(_TOKENS)
    if not 2 <= len(tokens) <= _SPREAD:
        raise Misgiven(f"Keys can be drawn for 2 to {_SPREAD} tokens.")
    return tokens


def _with_keys(stream: Stream, given: Given, tokens: list[str], targets: list[int]) -> Given:
    """Draws a query of two numbers, and for each token a key whose scaled score is its target."""
    d_k = whole(given, "d_k", 4, 64) if "d_k" in given else 4
    root = math.isqrt(d_k)
    if root * root != d_k:
        raise Misgiven('"d_k" must be a square, like 4 or 16, so that its root is a whole number.')
    queries, keys = stream.of("q"), stream.of("keys")
    for _ in range(_TRIES):
        q = [queries.pick(_Q), queries.pick(_Q)]
        found: list[list[int]] = []
        for target in targets:
            fitting = [
                list(k)
                for k in itertools.product(range(root * _SPREAD), repeat=2)
                if q[0] * k[0] + q[1] * k[1] == root * target and max(k) <= max(root, len(_K)) + 2
            ]
            fitting = [k for k in fitting if k not in found]
            if not fitting:
                break
            found.append(keys.pick(fitting))
        else:
            break
    else:
        raise Misgiven(f"No small keys were found for {len(tokens)} tokens and a d_k of {d_k}.")
    drawn: dict[str, Any] = {
        "tokens": tokens,
        "q": q,
        "keys": dict(zip(tokens, found, strict=True)),
        "d_k": d_k,
    }
    if "values" in given:
        pairs = [list(pair) for pair in itertools.product(_K, repeat=2)]
        drawn["values"] = dict(zip(tokens, stream.of("values").some(pairs, len(tokens)), strict=True))
    return {**given, **drawn}


def easy_blend(stream: Stream, given: Given) -> Given:
    """Shares by token, of three tokens, and values that give a blend of whole numbers, which is none of the values."""
    tokens = tokens_of(given) if "shares" in given or "tokens" in given else list(_TOKENS)
    if len(tokens) != 3:
        raise Misgiven("An easy blend is one of three tokens.")
    shares = stream.of("shares").shuffled([0.5, 0.25, 0.25])
    pairs = [list(pair) for pair in itertools.product((0, 4, 8, 12), repeat=2)]
    draws = stream.of("values")
    while True:
        largest, *others = draws.some(pairs, 3)
        blend = [(2 * a + b + c) / 4 for a, b, c in zip(largest, *others, strict=True)]
        if blend not in (largest, *others):  # that of the largest share would be the plain mean, too
            break
    values = [largest if share == 0.5 else others.pop() for share in shares]
    return {
        **given,
        "tokens": tokens,
        "shares": dict(zip(tokens, shares, strict=True)),
        "values": dict(zip(tokens, values, strict=True)),
    }


def causal_scores(stream: Stream, given: Given) -> Given:
    """scores (T, T) and a position in the middle, whose visible scores are alike and smaller than its hidden ones."""
    length = whole(given, "length", 3, 8) if "length" in given else 4
    position = 2 + stream.of("position").below(length - 2)  # sees more than itself, and not everything
    rows = stream.of("scores")
    scores = [[rows.below(4) for _ in range(length)] for _ in range(length)]
    visible = stream.of("visible").below(3)
    scores[position - 1] = [
        visible if place < position else visible + 1 + rows.below(2) for place in range(length)
    ]
    return {**given, "scores": scores, "position": position}


def sequence_length(stream: Stream, given: Given) -> Given:
    """length: 3 to 40 tokens."""
    return {**given, "length": 3 + stream.below(38)}


def head_sizes(stream: Stream, given: Given) -> Given:
    """length, width and heads, of which no two are the same."""
    heads = stream.of("heads").pick((2, 4, 8, 12, 16))
    return {
        **given,
        "length": stream.of("length").pick((5, 6, 7, 9, 10, 20, 30, 50)),
        "width": heads * stream.of("width").pick((16, 32, 64)),
        "heads": heads,
    }


def rows_to_cut(stream: Stream, given: Given) -> Given:
    """rows of two tokens with six one-digit numbers each, no two alike in a row; two heads, and which is asked for."""
    draws = stream.of("rows")
    return {**given, "rows": [draws.some(range(1, 10), 6) for _ in range(2)], "heads": 2, "head": 2}


def small_model(stream: Stream, given: Given) -> Given:
    """A model whose heads share keys and values, by its sizes, and a length."""
    kv_heads = stream.of("kv_heads").pick((1, 2, 4))
    return {
        **given,
        "model": {
            "layers": stream.of("layers").pick((2, 4, 5, 10, 20)),
            "heads": kv_heads * stream.of("group").pick((2, 4)),
            "kv_heads": kv_heads,
            "head_width": stream.of("head_width").pick((10, 20, 50, 100)),
            "bytes_a_number": 2,
        },
        "length": stream.of("length").pick((100, 200, 500, 1000)),
    }


def longer_text(stream: Stream, given: Given) -> Given:
    """length, and a factor other than 2, of which the square is also the double."""
    return {
        **given,
        "length": stream.of("length").pick((500, 1000, 2000, 4000)),
        "factor": stream.of("factor").pick((3, 4, 5, 6, 8, 10)),
    }


def prompt_and_new(stream: Stream, given: Given) -> Given:
    """prompt and new: a round number of tokens, and a few to write."""
    return {
        **given,
        "prompt": stream.of("prompt").pick((5, 10, 20, 50, 100)),
        "new": stream.of("new").pick((2, 3, 4, 5, 6)),
    }


def shared_memory(stream: Stream, given: Given) -> Given:
    """gigabytes and a length of each conversation, so long that rounding its bytes changes no whole number of them."""
    return {
        "model": "llama-3.1-8b",
        **given,
        "gigabytes": stream.of("gigabytes").pick((32, 64)),
        "length": stream.of("length").pick((10_000, 20_000, 30_000, 40_000, 60_000, 100_000)),
    }
