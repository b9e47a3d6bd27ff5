"""What the tests of the question types share: questions as a directive would make them, and hostile texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from softmark.lessons.questions import TYPES, Mark, QuestionType
from softmark.lessons.variants import seal_of

SEAL = seal_of(b"secret", "1:question:0")

HOSTILE = [
    "",
    " \t\n ",
    "\N{NARROW NO-BREAK SPACE}",
    "\N{GRINNING FACE}",
    "<script>alert(1)</script>",
    "<b>3</b>",
    "\0",
    "3\0",
    "\x1b[31m3",
    "\ud800",
    "3\udfff",
    "9" * 5_000,
    "1e" + "9" * 5_000,
    "[" * 5_000,
    "[" + "[1]," * 2_400 + "]",
    "x" * 1_000_000,
    "1/0",
    "1e400",
    "1e-999999999",
    "NaN",
    "inf",
    "-Infinity",
    "2/3/4",
    "0x10",
    "1_000",
    "{{ 7 * 7 }}",
    "%(key)s",
    "' OR 1=1 --",
    "\u202e3",
]

texts = st.text(st.characters(exclude_categories=()), max_size=40) | st.sampled_from(HOSTILE)
number_like = st.text("0123456789+-.,eE/[]; \t\n\u2212\u00a0\u202f\uff11%", max_size=30)
posts = st.lists(texts | number_like, max_size=6)


@dataclass(frozen=True)
class Question:
    """A type with its settings and a key, from what a directive would say."""

    type: QuestionType[Any, Any, Any]
    settings: Any
    key: Any

    def read(self, *posted: str) -> Any:
        return self.type.read(posted, self.settings, SEAL)

    def mark(self, *posted: str, mistakes: Mapping[str, Any] | None = None) -> Mark:
        return self.type.mark(self.read(*posted), self.key, self.settings, mistakes)


def question(type: str, answer: Any = None, **raw: Any) -> Question:
    """A question of a sound directive."""
    settings, told = settings_of(type, **raw)
    assert settings is not None, told
    key, told = key_of(type, settings, answer)
    assert key is not None, told
    return Question(TYPES[type], settings, key)


def settings_of(type: str, **raw: Any) -> tuple[Any, list[str]]:
    """The settings, and what was complained of."""
    told: list[str] = []
    return TYPES[type].settings(raw, told.append), told


def key_of(type: str, settings: Any, answer: Any) -> tuple[Any, list[str]]:
    """The key, and what was complained of."""
    told: list[str] = []
    return TYPES[type].key(answer, settings, told.append), told


def sealed(*ids: str) -> Sequence[str]:
    """What a form posts for these options."""
    return [SEAL(id) for id in ids]
