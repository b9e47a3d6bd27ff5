"""Questions about costs. given: a model, by a name of `costs.MODELS` or by its sizes, and a length."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from softmark.lessons.variants.costs import MODELS, Model
from softmark.lessons.variants.given import Given, Misgiven, Reckoned, whole

_SIZES = ("layers", "heads", "kv_heads", "head_width")


def _model(given: Given) -> Model:
    said = given.get("model")
    if isinstance(said, str) and said in MODELS:
        return MODELS[said]
    if not isinstance(said, Mapping):
        raise Misgiven(
            f'"model" must be one of {", ".join(MODELS)}, or give its {", ".join(_SIZES)} and bytes_a_number.'
        )
    layers, heads, kv_heads, head_width = (whole(said, name, most=100_000) for name in _SIZES)
    if heads % kv_heads:
        raise Misgiven(f"{heads} heads cannot share {kv_heads} heads of keys and values evenly.")
    size = whole(said, "bytes_a_number", most=8) if "bytes_a_number" in said else 2
    return Model("this model", layers, heads * head_width, heads, kv_heads, head_width, size)


def _facts(model: Model) -> dict[str, Any]:
    return {
        "name": model.name,
        "layers": model.layers,
        "width": model.width,
        "heads": model.heads,
        "kv_heads": model.kv_heads,
        "head_width": model.head_width,
        "bytes_a_number": model.bytes_a_number,
        "vectors_per_token": model.vectors_per_token,
        "bytes_per_token": model.cache_bytes_per_token,
        "ungrouped_bytes_per_token": model.ungrouped.cache_bytes_per_token,
        "group": model.heads // model.kv_heads,
    }


def cache_vectors_per_token(given: Given) -> Reckoned:
    """How many vectors the cache keeps of each token: a number."""
    model = _model(given)
    count = model.vectors_per_token
    mistakes = _grouped(model, model.ungrouped.vectors_per_token)
    mistakes |= {"keys-only": count // 2, "one-layer": count // model.layers}
    return Reckoned(count, _facts(model), mistakes)


def cache_bytes_per_token(given: Given) -> Reckoned:
    """How many bytes the cache takes for each token: a number."""
    return _bytes(_model(given), 1)


def cache_bytes(given: Given) -> Reckoned:
    """How many bytes the cache takes for `length` tokens: a number."""
    return _bytes(_model(given), whole(given, "length"))


def _bytes(model: Model, n: int) -> Reckoned:
    count = model.cache_bytes(n)
    mistakes = _grouped(model, model.ungrouped.cache_bytes(n))
    mistakes |= {
        "keys-only": count // 2,
        "one-layer": count // model.layers,
        "numbers-not-bytes": count // model.bytes_a_number,
    }
    facts = {
        **_facts(model),
        "length": n,
        "bytes": count,
        "gigabytes": count / 10**9,
        "gibibytes": count / 2**30,
        "ungrouped_bytes": model.ungrouped.cache_bytes(n),
    }
    return Reckoned(count, facts, mistakes)


def _grouped(model: Model, without: int) -> dict[str, Any]:
    """The mistake of forgetting that heads share keys and values, where they do."""
    return {"not-grouped": without} if model.kv_heads < model.heads else {}


def attention_flops(given: Given) -> Reckoned:
    """How many operations causal attention takes for `length` tokens, over all layers: a number."""
    model, n = _model(given), whole(given, "length")
    count = model.attention_flops(n)
    facts = {**_facts(model), "length": n, "flops": count, "flops_per_pair": model.attention_flops_per_pair}
    mistakes = {"not-causal": 2 * count, "linear": model.attention_flops_per_pair * n}
    return Reckoned(count, facts, mistakes)


def attention_share(given: Given) -> Reckoned:
    """The attention's part of all operations at `length` tokens, from 0 to 1: a number."""
    model, n = _whole_model(given), whole(given, "length")
    share = float(model.attention_share(n))
    facts = {**_facts(model), "length": n, "share": share, "percent": 100 * share}
    return Reckoned(share, facts, {"of-the-others": 1 - share})


def crossover(given: Given) -> Reckoned:
    """The length from which attention costs more than everything else: a number."""
    model = _whole_model(given)
    at = float(model.crossover)
    facts = {**_facts(model), "crossover": at, "flops_per_pair": model.attention_flops_per_pair,
             "other_flops_per_token": model.other_flops(1)}  # fmt: skip
    return Reckoned(at, facts, {"not-causal": at / 2})


def _whole_model(given: Given) -> Model:
    model = _model(given)
    if not model.feed_forward:
        raise Misgiven(f"This needs a whole model: one of {', '.join(MODELS)}.")
    return model


def longer_context(given: Given) -> Reckoned:
    """How many times as many scores there are when the text grows `factor` times as long: a number."""
    factor = whole(given, "factor", 2, 1_000)
    before = whole(given, "length")
    one_head = replace(MODELS["gpt-2-small"], layers=1, heads=1, kv_heads=1)
    times = one_head.attention_flops(factor * before) // one_head.attention_flops(before)
    facts = {"factor": factor, "length": before, "longer": factor * before, "times": times}
    return Reckoned(times, facts, {"linear": factor, "twice-as-much": 2 * factor})


def longer_prompt(given: Given) -> Reckoned:
    """How many times as many operations of all kinds a text takes that is `factor` times as long: a number."""
    model, factor = _whole_model(given), whole(given, "factor", 2, 1_000)
    before = whole(given, "length")
    after = factor * before
    once, then = (model.attention_flops(n) + model.other_flops(n) for n in (before, after))
    facts = {
        **_facts(model),
        "factor": factor,
        "length": before,
        "longer": after,
        "times": then / once,
        "percent": float(100 * model.attention_share(before)),
        "percent_longer": float(100 * model.attention_share(after)),
    }
    return Reckoned(then / once, facts, {"linear": factor, "square": factor**2})


def conversations(given: Given) -> Reckoned:
    """For how many conversations of `length` tokens there is room in `gigabytes` of memory: a number."""
    model, length = _model(given), whole(given, "length")
    memory = whole(given, "gigabytes", 1, 100_000) * 10**9
    each = model.cache_bytes(length)
    fit = memory // each
    facts = {
        **_facts(model),
        "length": length,
        "each_gigabytes": each / 10**9,
        "room": memory / each,
        "fit": fit,
        "tokens": memory // model.cache_bytes_per_token,
    }
    mistakes = _grouped(model, memory // model.ungrouped.cache_bytes(length))
    mistakes |= {"rounded-up": fit + 1} if memory % each else {}
    return Reckoned(fit, facts, mistakes)
