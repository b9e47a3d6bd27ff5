"""One query against the keys of a few tokens, as one does it by hand: scores, scaled, shares, blend.

given: q (d,), keys by token (d,), d_k the width that counts for sqrt(d_k), where the numbers left out are zeros;
for a blend also values by token (dv,). Computed by the reference that grades assignments.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from grader.reference import attention, scores, softmax
from softmark.lessons.variants.given import (
    MOST_WIDTH,
    Array,
    Given,
    Misgiven,
    Reckoned,
    by_token,
    numbers,
    plain,
    rows_by_token,
    tokens_of,
    whole,
)

_SAME = 1e-9  # scores this close are one score
_GENERAL = ("tokens", "scores", "scaled", "shares", "unscaled_shares", "d_k", "root", "blend", "key")


@dataclass(frozen=True, eq=False)
class Attended:
    """q (d_k,), k (T, d_k); raw, scaled, shares (T,): before and after dividing by sqrt(d_k), and after the softmax."""

    tokens: list[str]
    q: Array
    k: Array

    @property
    def d_k(self) -> int:
        return len(self.q)

    @property
    def raw(self) -> Array:
        return self.k @ self.q

    @property
    def scaled(self) -> Array:
        row: Array = scores(self.q[None], self.k)[0]
        return row

    @property
    def shares(self) -> Array:
        shares: Array = softmax(self.scaled)
        return shares

    @property
    def unscaled_shares(self) -> Array:
        shares: Array = softmax(self.raw)
        return shares

    @property
    def facts(self) -> dict[str, Any]:
        """All of it, and of each token by its name: {{ river.share }}."""
        columns = {"score": self.raw, "scaled": self.scaled, "share": self.shares}
        return {
            "tokens": self.tokens,
            "scores": plain(self.raw),
            "scaled": plain(self.scaled),
            "shares": plain(self.shares),
            "unscaled_shares": plain(self.unscaled_shares),
            "d_k": self.d_k,
            "root": math.sqrt(self.d_k),
            **{
                token: {name: plain(column)[place] for name, column in columns.items()}
                for place, token in enumerate(self.tokens)
            },
        }

    def ranks(self) -> list[list[str]]:
        """The tokens from the largest score to the smallest, those of one score together."""
        scaled, ranks = self.scaled, list[list[str]]()
        for place in np.argsort(-scaled, kind="stable"):
            if ranks and scaled[self.tokens.index(ranks[-1][0])] - scaled[place] <= _SAME:
                ranks[-1].append(self.tokens[place])
            else:
                ranks.append([self.tokens[place]])
        return [[token for token in self.tokens if token in rank] for rank in ranks]


def read_attended(given: Given) -> Attended:
    tokens = tokens_of(given)
    _refuse_general_names(tokens)
    q, k = np.array(numbers(given.get("q"), '"q"')), rows_by_token(given, "keys", tokens)
    if k.shape[1] != len(q):
        raise Misgiven('"q" and each vector of "keys" must be equally long.')
    d_k = whole(given, "d_k", len(q), MOST_WIDTH) if "d_k" in given else len(q)
    zeros = d_k - len(q)
    return Attended(tokens, np.pad(q, (0, zeros)), np.pad(k, ((0, 0), (0, zeros))))


def _refuse_general_names(tokens: list[str]) -> None:
    for token in tokens:
        if token in _GENERAL:
            raise Misgiven(f'No token can be called "{token}": texts call all of them so.')


def raw_scores(given: Given) -> Reckoned:
    """The score of each token, q k, before it is scaled: a vector."""
    attended = read_attended(given)
    return Reckoned(plain(attended.raw), attended.facts, {"scaled-already": plain(attended.scaled)})


def scaled_scores(given: Given) -> Reckoned:
    """The score of each token divided by sqrt(d_k): a vector."""
    attended = read_attended(given)
    mistakes = {
        "not-scaled": plain(attended.raw),
        "divided-by-d": plain(attended.raw / attended.d_k),
    }
    return Reckoned(plain(attended.scaled), attended.facts, mistakes)


def shares(given: Given) -> Reckoned:
    """The share of the attention that each token gets: a vector that sums to 1."""
    attended = read_attended(given)
    return Reckoned(plain(attended.shares), attended.facts, _wrong_shares(attended))


def _wrong_shares(attended: Attended) -> dict[str, Any]:
    wrong = {"not-scaled": plain(attended.unscaled_shares)}
    total = attended.raw.sum()
    if total > 0 and attended.raw.min() >= 0:
        wrong["no-exponential"] = plain(attended.raw / total)
    return wrong


def score_of(given: Given) -> Reckoned:
    """The score of the token that `token` names, before it is scaled: a number."""
    return _of_one(given, raw_scores(given))


def scaled_score_of(given: Given) -> Reckoned:
    """Its score divided by sqrt(d_k): a number."""
    return _of_one(given, scaled_scores(given))


def share_of(given: Given) -> Reckoned:
    """Its share: a number from 0 to 1."""
    return _of_one(given, shares(given))


def _of_one(given: Given, all_of_them: Reckoned) -> Reckoned:
    tokens = tokens_of(given)
    if given.get("token") not in tokens:
        raise Misgiven(f'"token" must be one of the tokens: {", ".join(tokens)}.')
    place = tokens.index(given["token"])
    mistakes = {name: row[place] for name, row in all_of_them.mistakes.items()}
    return Reckoned(all_of_them.key[place], all_of_them.facts, mistakes)


def most_attended(given: Given) -> Reckoned:
    """The tokens with the largest share: a list, of one unless there is a tie."""
    attended = read_attended(given)
    return Reckoned(attended.ranks()[0], attended.facts)


def least_attended(given: Given) -> Reckoned:
    """The tokens with the smallest share: a list, of one unless there is a tie."""
    attended = read_attended(given)
    ranks = attended.ranks()
    mistakes = {"most-attended": ranks[0]} if len(ranks) > 1 else {}
    return Reckoned(ranks[-1], attended.facts, mistakes)


def attended_order(given: Given) -> Reckoned:
    """The tokens from the largest share to the smallest, those of one share together in a list."""
    attended = read_attended(given)
    ranks = attended.ranks()
    return Reckoned([rank if len(rank) > 1 else rank[0] for rank in ranks], attended.facts)


def blend(given: Given) -> Reckoned:
    """The values weighted by their shares and summed: a vector (dv,).

    The shares are those of q and keys, or given by token where the question is about the sum alone.
    """
    tokens = tokens_of(given)
    v = rows_by_token(given, "values", tokens)
    if "shares" in given:
        _refuse_general_names(tokens)
        weights = np.array(numbers(by_token(given, "shares", tokens), '"shares"'))
        if weights.min() < 0 or abs(weights.sum() - 1) > _SAME:
            raise Misgiven('The numbers of "shares" must be 0 or more, and sum to 1.')
        facts: dict[str, Any] = {"tokens": tokens, "shares": plain(weights)}
        facts |= {token: {"share": share} for token, share in zip(tokens, plain(weights), strict=True)}
        summed, wrong = weights @ v, dict[str, Any]()
    else:
        attended = read_attended(given)
        weights, facts = attended.shares, attended.facts
        summed = attention(attended.q[None], attended.k, v)[0]
        wrong = {"not-scaled": plain(attended.unscaled_shares @ v)}
    mistakes = {
        **wrong,
        "plain-mean": plain(v.mean(axis=0)),
        "only-the-largest": plain(v[int(np.argmax(weights))]),
        "plain-sum": plain(v.sum(axis=0)),
    }
    values: Mapping[str, Any] = dict(zip(tokens, plain(v), strict=True))
    parts: Mapping[str, Any] = dict(zip(tokens, plain(weights[:, None] * v), strict=True))
    facts |= {token: {**facts[token], "value": values[token], "part": parts[token]} for token in tokens}
    return Reckoned(plain(summed), {**facts, "blend": plain(summed)}, mistakes)
