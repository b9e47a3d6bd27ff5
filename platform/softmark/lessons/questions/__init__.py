"""The types of questions. Each is one object that holds nothing; `TYPES` has them by the name a directive gives."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from softmark.lessons.questions.choice import Choice
from softmark.lessons.questions.choices import Choices
from softmark.lessons.questions.common import Invalid, Mark, QuestionType, Seal, Source
from softmark.lessons.questions.free_text import FreeText
from softmark.lessons.questions.matrix import Matrix
from softmark.lessons.questions.number import Number
from softmark.lessons.questions.order import Order
from softmark.lessons.questions.output import Output
from softmark.lessons.questions.token import Token
from softmark.lessons.questions.vector import Vector

_ALL: tuple[QuestionType[Any, Any, Any], ...] = (
    Number(),
    Vector(),
    Matrix(),
    Choice(),
    Choices(),
    Order(),
    Token(),
    Output(),
    FreeText(),
)

TYPES: Mapping[str, QuestionType[Any, Any, Any]] = MappingProxyType({each.name: each for each in _ALL})

__all__ = ["TYPES", "Invalid", "Mark", "QuestionType", "Seal", "Source"]
