"""A learner who is made up: answers to any stop, right, wrong, or none that can be read."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from softmark.lessons.drawing import seal
from softmark.lessons.models import Draw, Reading
from softmark.lessons.questions.numerals import number_from_json
from softmark.lessons.standing import Asked
from tests.lessons.answering import HOSTILE

Texts = list[str]
NO_ANSWERS = [text for text in HOSTILE if len(text) < 3_000 and "\ud800" not in text and "\udfff" not in text]


def right(asked: Asked, reading: Reading) -> Texts:
    """The key of the stop that waits, as it would be typed."""
    draw = reading.draws.get(question=asked.id, number=0)
    return _typed(asked, draw.key, seal(reading, asked.id, 0))


def wrong(asked: Asked, reading: Reading, chance: random.Random) -> Texts:
    """A well-known mistake where there is one, or anything else that can be read."""
    draw: Draw = reading.draws.get(question=asked.id, number=0)
    sealed = seal(reading, asked.id, 0)
    if draw.mistakes and chance.random() < 0.7:
        return _typed(asked, draw.mistakes[chance.choice(sorted(draw.mistakes))], sealed)
    settings = asked.settings
    match asked.type:
        case "number":
            return [str(chance.randint(-50, 50))]
        case "vector" | "matrix":
            rows, columns = settings.shape
            return [str(chance.randint(0, 9)) for _ in range(rows * columns)]
        case "choice":
            return [chance.choice(settings.options).id]
        case "choices":
            return [
                each.id for each in chance.sample(settings.options, chance.randint(1, len(settings.options)))
            ]
        case "order":
            return [each.id for each in chance.sample(settings.items, chance.randint(1, len(settings.items)))]
        case "token":
            return [str(chance.randrange(len(settings.tokens)))]
        case "output":
            return [chance.choice(["0", "None", "[1, 2]", "(2, 3)"])]
        case _:
            return ["A sentence about queries, keys and values, and about which words listen to which."]


def unreadable(asked: Asked, chance: random.Random) -> Texts:
    """What is no answer at this stop."""
    if asked.type in ("free_text", "output"):
        return [chance.choice(["", "   ", "\0"])]
    return (
        [chance.choice(NO_ANSWERS)] if asked.type in ("number", "token", "choice") else ["forged", "forged"]
    )


def fields_of(asked: Asked, texts: Sequence[str], sure: int | None) -> dict[str, Any]:
    """As a form posts them."""
    name = "place" if asked.type == "order" else "answer"
    if asked.type in ("vector", "matrix") and len(texts) == 1:
        name = "pasted"
    return {name: list(texts)} | ({"sure": str(sure)} if sure else {})


def _typed(asked: Asked, key: dict[str, Any], sealed: Callable[[str], str]) -> Texts:
    match asked.type:
        case "number":
            return [_number(key["value"])]
        case "vector" | "matrix":
            return [_number(each) for row in key["values"] for each in row]
        case "choice":
            return [sealed(key["option"])]
        case "choices":
            return [sealed(each) for each in key["options"]]
        case "order":
            return [sealed(each) for rank in key["ranks"] for each in rank]
        case "token":
            return [str(key["places"][0])]
        case "output":
            return [key["text"]]
        case _:
            return ["What matters is which words listen to which, and how much of each they take."]


def _number(kept: Any) -> str:
    value: Fraction = number_from_json(kept)
    exact = str(value)
    return exact if len(exact) < 60 else repr(float(value))
