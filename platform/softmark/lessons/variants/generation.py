"""Writing one token after the other. given: prompt, the tokens there are; new, the tokens to write.

A pass is one token going through the model. Without a cache, each new token needs passes of all tokens before it;
with one, a token has a single pass, and the last token written needs none.
"""

from __future__ import annotations

from softmark.lessons.variants.given import Given, Reckoned, whole


def _passes(given: Given) -> dict[str, int]:
    prompt, new = whole(given, "prompt", 1, 100_000), whole(given, "new", 1, 1_000)
    without = sum(prompt + written for written in range(new))
    cached = prompt + new - 1
    return {
        "prompt": prompt,
        "new": new,
        "tokens": prompt + new,
        "without_cache": without,
        "with_cache": cached,
        "again": without - cached,
    }


def passes_without_cache(given: Given) -> Reckoned:
    """Passes needed where nothing is kept: a number."""
    facts = _passes(given)
    mistakes = {"as-if-cached": facts["with_cache"], "prompt-each-time": facts["prompt"] * facts["new"]}
    return Reckoned(facts["without_cache"], facts, mistakes)


def passes_with_cache(given: Given) -> Reckoned:
    """Passes needed with a cache: a number."""
    facts = _passes(given)
    return Reckoned(facts["with_cache"], facts, {"as-if-not-cached": facts["without_cache"]})


def recomputed_work(given: Given) -> Reckoned:
    """Passes that a cache saves, since they only repeat what was computed before: a number."""
    facts = _passes(given)
    return Reckoned(facts["again"], facts, {"all-of-them": facts["without_cache"]})
