"""The page of a lesson, as its templates show it. For learners it is made of a Standing and of nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.html import escape, format_html
from django.utils.safestring import SafeString, mark_safe

from softmark.courses.deadlines import Deadline
from softmark.courses.models import Course, Item
from softmark.courses.policies import Decision
from softmark.lessons.compiled import Compiled
from softmark.lessons.drawn import Question
from softmark.lessons.figures import Figure, figure_of
from softmark.lessons.inputs import Input, inline, input_of
from softmark.lessons.model import Blocks, Widget
from softmark.lessons.models import Lesson, LessonVersion, Reading
from softmark.lessons.render import shown
from softmark.lessons.standing import Answered, Asked, Standing
from softmark.lessons.words import KNOWN_ERRORS, SURE_WORDS, outcome_of
from softmark.ui import code
from softmark.ui.words import Outcome

_MARKED_UP = ("choice", "choices", "order")  # what they show may hold Markdown
_LINES = ("output", "free_text")


@dataclass(frozen=True)
class Typed:
    """What was sent and could not be taken. stop: where it belongs; sure: as it was picked."""

    stop: str
    texts: tuple[str, ...]
    sure: int | None
    sentence: str

    @property
    def legible(self) -> list[str]:
        """To be handed back where there is no form for it."""
        return [text for text in self.texts if text.strip()]


@dataclass(frozen=True)
class Piece:
    """Text, or a figure in the place of a widget."""

    html: SafeString
    figure: Figure | None = None


@dataclass(frozen=True)
class Form:
    """The form of the stop that waits. sure: each with its word, and whether it is picked."""

    input: Input
    sure: tuple[tuple[int, str, bool], ...]
    problem: str
    drafted_at: datetime | None


@dataclass(frozen=True)
class Behind:
    """What a commit opened. answer: None where there is none; outcome: None in the staff's preview.

    branches: each with the answer to which it is said, where that has to be told.
    """

    key: SafeString
    key_title: str
    reveal: tuple[Piece, ...]
    branches: tuple[tuple[str, tuple[Piece, ...]], ...]
    answer: SafeString | None = None
    outcome: Outcome | None = None
    sure: str = ""
    error: str = ""
    by_time: bool = False
    ideas: tuple[str, ...] = ()


@dataclass(frozen=True)
class Stop:
    """form: of the one that waits, if something is taken now."""

    id: str
    number: int
    kind: str
    prompt: tuple[Piece, ...]
    snippet: SafeString | None
    form: Form | None = None
    behind: Behind | None = None
    lines: bool = False


@dataclass(frozen=True)
class Part:
    pieces: tuple[Piece, ...]
    stop: Stop | None


@dataclass(frozen=True)
class Page:
    """decision: whether a prediction, or to begin, would be taken now. locked: how many parts are not open yet.

    failed: whether something sent was not taken. problem: why; of the stop that waits it is told there.
    """

    lesson: Lesson
    version: LessonVersion
    deadline: Deadline
    decision: Decision
    is_staff: bool = False
    reading: Reading | None = None
    shown: bool = True
    parts: tuple[Part, ...] = ()
    locked: int = 0
    stops: int = 0
    done: int = 0
    failed: bool = False
    problem: Typed | None = None
    trouble: str = ""

    @property
    def item(self) -> Item:
        return self.lesson.item

    @property
    def course(self) -> Course:
        return self.lesson.item.course

    @property
    def begins(self) -> bool:
        """Whether the page asks to begin."""
        return self.shown and self.reading is None and not self.is_staff and not self.trouble


def parts_of(standing: Standing, takes: bool, typed: Typed | None) -> tuple[Part, ...]:
    """takes: whether a prediction is taken now."""
    parts, number = [], 0
    for part in standing.parts:
        stop = None
        if part.stop is not None:
            number += 1
            if isinstance(part.stop, Asked):
                stop = _asked(part.stop, number, standing.data, takes, typed)
            else:
                stop = _answered(part.stop, number, standing.data)
        parts.append(Part(_pieces(part.blocks, {}, standing.data), stop))
    return tuple(parts)


def preview_of(content: Compiled) -> tuple[Part, ...]:
    """The whole lesson with the first variant of each stop: for the staff."""
    lesson, parts = content.lesson, []
    for part in lesson.parts:
        stop = None
        if part.predict is not None:
            number = list(content.questions).index(part.predict.id) + 1
            stop = _previewed(content.questions[part.predict.id], number, lesson.data)
        parts.append(Part(_pieces(part.blocks, {}, lesson.data), stop))
    return tuple(parts)


def _asked(
    stop: Asked, number: int, data: Mapping[str, bytes], takes: bool, typed: Typed | None
) -> Stop:  # fmt: skip
    form = None
    if takes:
        mine = typed if typed is not None and typed.stop == stop.id else None
        picked = mine.sure if mine else None
        form = Form(
            input=input_of(stop, mine.texts if mine and mine.texts else stop.draft),
            sure=tuple((each, word, each == picked) for each, word in SURE_WORDS.items()),
            problem=mine.sentence if mine else "",
            drafted_at=stop.drafted_at,
        )
    return Stop(
        stop.id, number, stop.type, _pieces(stop.prompt, stop.given, data), _snippet(stop), form=form,
        lines=stop.type in _LINES,
    )  # fmt: skip


def _answered(stop: Answered, number: int, data: Mapping[str, bytes]) -> Stop:
    said = _pieces(stop.branches, stop.facts, data)
    behind = Behind(
        key=_text(stop.type, stop.key),
        key_title=_key_title(stop.type),
        reveal=_pieces(stop.reveal, stop.facts, data),
        branches=(("", said),) if said else (),
        answer=None if stop.response is None else _text(stop.type, stop.response),
        outcome=outcome_of(stop),
        sure=SURE_WORDS.get(stop.confidence or 0, ""),
        error="" if said else KNOWN_ERRORS.get(stop.error, ""),
        by_time=stop.how == "time limit",
        ideas=getattr(stop.settings, "ideas", ()),
    )
    return Stop(
        stop.id, number, stop.type, _pieces(stop.prompt, stop.given, data), _snippet(stop), behind=behind,
        lines=stop.type in _LINES,
    )  # fmt: skip


def _previewed(question: Question, number: int, data: Mapping[str, bytes]) -> Stop:
    predict, kind, settings, variant = (
        question.predict,
        question.type,
        question.settings,
        question.variants[0],
    )
    behind = Behind(
        key=_text(kind.name, kind.show_key(variant.key, settings)),
        key_title=_key_title(kind.name),
        reveal=_pieces(predict.reveal, variant.facts, data),
        branches=tuple(
            (branch.answer, _pieces(branch.blocks, variant.facts, data)) for branch in predict.branches
        ),
        ideas=getattr(settings, "ideas", ()),
    )
    return Stop(
        predict.id, number, kind.name, _pieces(predict.prompt, variant.given, data), _snippet(question),
        behind=behind, lines=kind.name in _LINES,
    )  # fmt: skip


def _key_title(kind: str) -> str:
    return "A model answer" if kind == "free_text" else "The answer"


def _pieces(blocks: Blocks, facts: Mapping[str, Any], data: Mapping[str, bytes]) -> tuple[Piece, ...]:
    return tuple(
        Piece(each.html, figure_of(each.widget, data) if isinstance(each.widget, Widget) else None)
        for each in shown(blocks, facts, data)
    )


def _text(kind: str, text: str) -> SafeString:
    return inline(text) if kind in _MARKED_UP else escape(text)


def _snippet(stop: Asked | Answered | Question) -> SafeString | None:
    snippet = getattr(stop.settings, "snippet", None)
    if snippet is None:
        return None
    coloured = mark_safe(code.highlight(snippet, "python"))
    return format_html('<pre class="code" tabindex="0"><code>{}</code></pre>', coloured)


def later_parts(content: Compiled, open_parts: Sequence[Part]) -> int:
    """How many are not open yet: nothing else of them is told."""
    return len(content.lesson.parts) - len(open_parts)
