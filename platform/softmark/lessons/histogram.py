"""How the answers to one question spread, and how much of that a class may see.

Without variants answers are counted by what was said. With variants each learner has other numbers: these are counted
by how they were marked. So is, for a class, a grid or an output, which has too many ways to be wrong; staff see each.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from softmark.lessons.questions.numerals import shown_number
from softmark.lessons.written.drawn import Question

LEAST = 10  # answers, before a class sees any
SMALL = 3  # of two who answered alike, each knows who the other is as soon as they talk

_TOO_MANY_WAYS = ("vector", "matrix", "output")
_CLOSE_ENOUGH = ("number", *_TOO_MANY_WAYS)  # of which several answers are right


@dataclass(frozen=True)
class Alike:
    """Predictions with one answer and one mark, and how many there are.

    response: as a Prediction keeps it. right, partly: all of the credit, or a part of it. error: by name.
    mine:     the reader's own is among them.
    """

    response: dict[str, Any]
    right: bool
    partly: bool = False
    error: str = ""
    count: int = 1
    mine: bool = False


@dataclass(frozen=True)
class Bin:
    """Predictions that are counted together.

    name:   no other bin has it.
    answer: its texts, each to be read by itself; none where they are counted by their mark.
    right:  whether it is right; of merged ones, whether a right one is among them. mine: as above.
    """

    name: str
    count: int
    answer: tuple[str, ...] = ()
    right: bool = False
    partly: bool = False
    error: str = ""
    mine: bool = False
    merged: bool = False


def has_bins(question: Question) -> bool:
    """A text in one's own words is like no other."""
    return question.type.takes_answer


def bins_of(question: Question, answers: Iterable[Alike], *, each_way: bool = False) -> tuple[Bin, ...]:
    """Every bin there is, the fullest first: for the staff. each_way: to be wrong has its own, if there are many."""
    found: dict[str, Bin] = {}
    for alike in answers:
        each = bin_of(question, alike, each_way=each_way)
        before = found.get(each.name)
        if before is not None:
            answer = min(before.answer, each.answer)  # of several ways to write the same
            each = replace(
                each, count=before.count + each.count, answer=answer, mine=before.mine or each.mine
            )
        found[each.name] = each
    return tuple(sorted(found.values(), key=_rank))


def merged(bins: Sequence[Bin]) -> tuple[Bin, ...]:
    """What a class may see of it: nothing of fewer than LEAST, and no bin of fewer than SMALL.

    Small ones become one, which comes last. If that is small itself, the smallest of the others joins it: else it
    would tell of one or two people what they said, and they would be known by what everybody else says.
    """
    if sum(each.count for each in bins) < LEAST:
        return ()
    large = sorted((each for each in bins if each.count >= SMALL), key=_rank)
    rest = [each for each in bins if each.count < SMALL]
    while rest and sum(each.count for each in rest) < SMALL:
        rest.append(large.pop())
    if not rest:
        return tuple(large)
    other = Bin(
        name="others",
        count=sum(each.count for each in rest),
        right=any(each.right for each in rest),
        mine=any(each.mine for each in rest),
        merged=True,
    )
    return (*large, other)


def bin_of(question: Question, alike: Alike, *, each_way: bool = False) -> Bin:
    """Where these are counted. each_way: as above."""
    kind, settings = question.type, question.settings
    marked = Bin(
        _mark(alike), alike.count, right=alike.right, partly=alike.partly,
        error="" if alike.right else alike.error, mine=alike.mine,
    )  # fmt: skip
    if len(question.variants) > 1 or (kind.name in _TOO_MANY_WAYS and not each_way):
        return marked
    if alike.right and kind.name in _CLOSE_ENOUGH:
        return replace(marked, answer=kind.key_texts(question.variants[0].key, settings))
    response = kind.response_from_json(alike.response)
    answer = kind.response_texts(response, settings)
    match kind.name:
        case "number":
            value: Fraction = response.value
            return replace(marked, name=f"said {value}", answer=(shown_number(value, Fraction(0)),))
        case "vector" | "matrix":
            name = str(response.values)
        case "output":
            name = "\n".join(response.counting)
        case _:
            name = json.dumps(kind.response_to_json(response), sort_keys=True)
    return replace(marked, name=f"said {name}", answer=answer)  # not what _mark calls others


def _mark(alike: Alike) -> str:
    if alike.right:
        return "right"
    return f"error {alike.error}" if alike.error else "partly" if alike.partly else "wrong"


def _rank(each: Bin) -> tuple[int, tuple[str, ...], str]:
    return -each.count, each.answer, each.name
