"""Where a learner's numbers come from: a secret, and what is drawn for whom.

Whoever has the source, but not the secret, cannot foretell which variant somebody gets, nor which opaque id is which
option.
"""

from __future__ import annotations

import hmac
import random
from collections.abc import Callable, Sequence
from typing import TypeVar

Item = TypeVar("Item")


def digest(secret: bytes, *parts: str | int | bytes) -> bytes:
    """HMAC-SHA256 of the parts, each with its kind and its length before it: no two tuples of parts collide."""
    code = hmac.new(secret, digestmod="sha256")
    for part in parts:
        if isinstance(part, bytes):
            kind, text = b"b", part
        elif isinstance(part, str):
            kind, text = b"s", part.encode("utf-8", "surrogatepass")
        else:
            kind, text = b"i", b"%d" % part
        code.update(kind + len(text).to_bytes(8, "big") + text)
    return code.digest()


def seal_of(secret: bytes, draw: str) -> Callable[[str], str]:
    """From an author's id to the opaque one of this draw, which a name of the draw tells from every other."""
    return lambda id: digest(secret, "option", draw, id)[:16].hex()


def number_of(
    secret: bytes, learner: int, lesson: int, question: str, version: str, draw: int, count: int
) -> int:
    """Which of `count` numbered variants, from 0, this draw has. None comes back before all of them have come.

    A round is all the variants, shuffled anew; its first differs from the last of the round before. Two take turns.
    lesson: that of one course, so that what somebody saw of it in another course tells nothing.
    """

    def round_of(number: int) -> list[int]:
        seed = digest(secret, "variant", learner, lesson, question, version, number)
        return Stream(seed).shuffled(range(count))

    number, place = divmod(draw, count)
    if count == 2:
        return round_of(0)[place]
    shuffled = round_of(number)
    if place < 2 and number > 0 and shuffled[0] == round_of(number - 1)[-1]:
        shuffled[:2] = reversed(shuffled[:2])
    return shuffled[place]


class Stream:
    """Random draws from a seed: the same on every machine and for every Python, of which only random() is promised."""

    def __init__(self, seed: bytes) -> None:
        self._seed = seed
        self._random = random.Random(seed)

    def of(self, name: str) -> Stream:
        """The stream of one part, which no draw from another part moves."""
        return Stream(digest(self._seed, name))

    def below(self, end: int) -> int:
        """A whole number from 0 to end - 1."""
        return int(self._random.random() * end)

    def pick(self, items: Sequence[Item]) -> Item:
        return items[self.below(len(items))]

    def shuffled(self, items: Sequence[Item]) -> list[Item]:
        left = list(items)
        return [left.pop(self.below(len(left))) for _ in items]

    def some(self, items: Sequence[Item], number: int) -> list[Item]:
        """So many of them, none twice."""
        return self.shuffled(items)[:number]
