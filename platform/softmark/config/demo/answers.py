"""What the demo's people answer in lessons: right or wrong, and the same whenever the script is played."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from softmark.lessons.models import Draw
from softmark.lessons.questions import Seal
from softmark.lessons.written.drawn import Question

_VAGUE = "I think it has to do with how the tokens are compared, but I could not say how."


def texts_of(question: Question, draw: Draw, seal: Seal, right: bool, turn: int) -> Sequence[str]:
    """What somebody posts. turn: any number; it picks among the wrong answers."""
    kind, settings = question.type, question.settings
    key = kind.key_from_json(draw.key)
    if right:
        return _posted(kind.name, key, settings, seal)
    names = sorted(draw.mistakes)
    if names:
        known = kind.key_from_json(draw.mistakes[names[turn % len(names)]])
        return _posted(kind.name, known, settings, seal)
    return _mistaken(kind.name, key, settings, seal, turn)


def _posted(kind: str, key: Any, settings: Any, seal: Seal) -> list[str]:
    match kind:
        case "number":
            return [_typed(key.value)]
        case "vector" | "matrix":
            return [_typed(value) for value in key.numbers]
        case "choice":
            return [seal(key.option)]
        case "choices":
            return [seal(each) for each in sorted(key.options)]
        case "order":
            return [seal(each) for rank in key.ranks for each in sorted(rank)]
        case "token":
            return [str(min(key.places))]
        case "output":
            return [key.text]
        case _:
            return [" ".join(settings.ideas[:3])]


def _mistaken(kind: str, key: Any, settings: Any, seal: Seal, turn: int) -> list[str]:
    """Where no mistake is known by name."""
    match kind:
        case "number":
            return [_typed(key.value * 2 + 1)]
        case "vector" | "matrix":
            return [_typed(value + 1) for value in key.numbers]
        case "choice":
            others = [each.id for each in settings.options if each.id != key.option]
            return [seal(others[turn % len(others)])]
        case "choices":
            others = [each.id for each in settings.options if each.id not in key.options]
            return [seal(each) for each in (*sorted(key.options)[:-1], *others[:1])]
        case "order":
            return _posted(kind, key, settings, seal)[::-1]
        case "token":
            others = [place for place in range(len(settings.tokens)) if place not in key.places]
            return [str(others[turn % len(others)])]
        case "output":
            return ["\n".join(reversed(key.text.rstrip().split("\n"))) + " None"]
        case _:
            return [_VAGUE]


def _typed(value: Fraction) -> str:
    return str(value.numerator) if value.denominator == 1 else f"{float(value):.4f}"
