"""The pages of those who set lessons up: the variants of a stop, and where a lesson can go."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.utils.html import escape
from django.utils.safestring import SafeString

from softmark.courses.models import Course, Item
from softmark.courses.policies import Decision
from softmark.lessons.compiled import Compiled
from softmark.lessons.library import Offer
from softmark.lessons.models import Lesson, LessonVersion
from softmark.lessons.pages.inputs import answer_html, inline
from softmark.lessons.pages.lesson import Links, Stop, previewed
from softmark.lessons.policies import Holdings, may_add
from softmark.lessons.written.drawn import Question, Variant
from softmark.lessons.written.facts import shown

Rows = tuple[tuple[str, SafeString], ...]


@dataclass(frozen=True)
class Choice:
    """A stop that can be looked at. count: of its variants."""

    id: str
    number: int
    count: int


@dataclass(frozen=True)
class MistakeLine:
    """What a known mistake would answer. answer: "" where it gives nothing that one could answer."""

    name: str
    answer: SafeString
    is_right: bool


@dataclass(frozen=True)
class VariantLine:
    """A variant among the others. given: what differs between them."""

    number: int
    given: tuple[str, ...]
    key: SafeString
    mistakes: tuple[MistakeLine, ...]


@dataclass(frozen=True)
class VariantsPage:
    """One variant of one stop, for the staff: its numbers, and the stop as those see it who have it.

    number: of the variant, from 1; count: how many the stop has.
    facts: what a reveal may fill in beside what is given. options: by the ids that the file uses.
    lines: all variants, where there are several; heads: the names of what is given and differs between them.
    """

    lesson: Lesson
    choices: tuple[Choice, ...]
    stop: Stop
    count: int
    number: int
    given: Rows
    facts: Rows
    options: Rows
    mistakes: tuple[MistakeLine, ...]
    heads: tuple[str, ...]
    lines: tuple[VariantLine, ...]

    is_staff = True  # as the templates of the stop ask it

    @property
    def item(self) -> Item:
        return self.lesson.item

    @property
    def course(self) -> Course:
        return self.lesson.course

    @property
    def version(self) -> LessonVersion:
        return self.lesson.version

    @property
    def stops(self) -> int:
        return len(self.choices)

    @property
    def previous(self) -> int | None:
        return self.number - 1 if self.number > 1 else None

    @property
    def next(self) -> int | None:
        return self.number + 1 if self.number < self.count else None


def variants_of(
    lesson: Lesson, content: Compiled, stop: str, number: int, links: Links
) -> VariantsPage | None:
    """number: of the variant, from 1. None where there is no such stop or variant."""
    questions = list(content.questions.values())
    question = content.questions.get(stop)
    if question is None or not 1 <= number <= len(question.variants):
        return None
    variant = question.variants[number - 1]
    stop_shown = previewed(question, questions.index(question) + 1, content.lesson.data, links, variant)
    given = [_rows(each.given) for each in question.variants]
    own = given[number - 1]
    computed = {name: text for name, text in _rows(variant.facts).items() if name not in (*own, "key")}
    heads = _differing(given)
    return VariantsPage(
        lesson=lesson,
        choices=tuple(
            Choice(each.predict.id, at, len(each.variants)) for at, each in enumerate(questions, start=1)
        ),
        stop=replace(stop_shown, variants=0),  # they are all here
        count=len(question.variants),
        number=number,
        given=_shown_rows(own),
        facts=_shown_rows(computed),
        options=_options(question),
        mistakes=_mistakes(question, variant),
        heads=heads,
        lines=_lines(question, given, heads) if len(question.variants) > 1 else (),
    )  # fmt: skip


def _lines(
    question: Question, given: list[dict[str, str]], heads: tuple[str, ...]
) -> tuple[VariantLine, ...]:
    return tuple(
        VariantLine(
            number, tuple(rows.get(name, "") for name in heads), _key(question, variant), _mistakes(question, variant)
        )
        for number, (variant, rows) in enumerate(zip(question.variants, given, strict=True), start=1)
    )  # fmt: skip


def _rows(table: Mapping[str, Any], before: str = "") -> dict[str, str]:
    """By the names that a text may fill in: what it would show there."""
    found: dict[str, str] = {}
    for name, value in table.items():
        if isinstance(value, Mapping):
            found |= _rows(value, f"{before}{name}.")
        else:
            text = shown(name, {name: value})
            found[f"{before}{name}"] = str(value) if text is None else text
    return found


def _shown_rows(rows: Mapping[str, str]) -> Rows:
    return tuple((name, escape(text)) for name, text in rows.items())


def _differing(rows: list[dict[str, str]]) -> tuple[str, ...]:
    names = dict.fromkeys(name for each in rows for name in each)
    return tuple(name for name in names if len({each.get(name) for each in rows}) > 1)


def _options(question: Question) -> Rows:
    settings = question.settings
    named = getattr(settings, "options", None) or getattr(settings, "items", None) or ()
    return tuple((each.id, inline(each.text)) for each in named)


def _key(question: Question, variant: Variant) -> SafeString:
    return _text(question, variant.key)


def _mistakes(question: Question, variant: Variant) -> tuple[MistakeLine, ...]:
    kind, settings = question.type, question.settings
    lines = []
    for name, value in variant.mistakes.items():
        given = kind.mistake(value, settings)
        answer = SafeString("") if given is None else _text(question, given)
        lines.append(MistakeLine(name, answer, answer == _key(question, variant)))
    return tuple(lines)


def _text(question: Question, key: Any) -> SafeString:
    return answer_html(question.type.name, question.type.key_texts(key, question.settings))


# -- where a lesson can go


@dataclass(frozen=True)
class Target:
    """A course that a lesson can be copied to. there: its item that is in the way, or is this lesson already."""

    course: Course
    decision: Decision
    there: Item | None


@dataclass(frozen=True)
class OfferLine:
    """A lesson that can be added. there: as above."""

    offer: Offer
    decision: Decision
    there: Item | None


def target_of(version: LessonVersion, holds: Holdings) -> Target:
    return Target(holds.course, may_add(version, holds), _there(version, holds))


def offer_line(offer: Offer, holds: Holdings) -> OfferLine:
    return OfferLine(offer, may_add(offer.version, holds), _there(offer.version, holds))


def _there(version: LessonVersion, holds: Holdings) -> Item | None:
    return holds.lessons.get(version.slug) or holds.items.get(version.slug)
