"""The page of a lesson, as its templates show it. For learners it is made of a Standing and of nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import pairwise
from types import MappingProxyType
from typing import Any, TypeAlias

from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from softmark.courses.deadlines import Deadline
from softmark.courses.late_words import cost_now, cost_of_late
from softmark.courses.models import Course, Item
from softmark.courses.policies import Decision
from softmark.lessons.compiled import Compiled
from softmark.lessons.models import Lesson, LessonVersion, Prediction, Reading
from softmark.lessons.pages.class_said import ClassSaid
from softmark.lessons.pages.ideas import Ideas, ideas_of, previewed_ideas
from softmark.lessons.pages.inputs import Input, answer_html, inline, input_of
from softmark.lessons.pages.sent import NotTaken, Typed, not_taken_at
from softmark.lessons.pages.tally import NOTHING_MADE, Tally
from softmark.lessons.policies import time_ends
from softmark.lessons.questions import Source
from softmark.lessons.standing import Answered, Asked, CameBack, Standing
from softmark.lessons.words import KNOWN_ERRORS, SURE_WORDS, outcome_of
from softmark.lessons.written.drawn import Question, Variant
from softmark.lessons.written.figures import Figure, figure_of
from softmark.lessons.written.lesson import Blocks, Widget
from softmark.lessons.written.render import shown
from softmark.ui import code
from softmark.ui.words import Outcome

_LINES = ("output", "free_text")
_SHORT = ("number", "vector", "matrix", "token")

Links: TypeAlias = Mapping[str, str]  # the addresses of the items that the reader sees, by name
NO_LINKS: Links = MappingProxyType({})
NOTHING_SAID: Mapping[str, ClassSaid] = MappingProxyType({})


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
class Pick:
    """One of several options that were picked."""

    html: SafeString
    right: bool


@dataclass(frozen=True)
class Behind:
    """What a commit opened. answer: None where there is none; outcome: None in the staff's preview.

    keys, picks: of an answer of several options, each by itself.
    branches: each with the answer to which it is said, where that has to be told.
    comment: of the staff who marked it.
    """

    key: SafeString
    key_title: str
    reveal: tuple[Piece, ...]
    branches: tuple[tuple[str, tuple[Piece, ...]], ...]
    keys: tuple[SafeString, ...] = ()
    picks: tuple[Pick, ...] = ()
    answer: SafeString | None = None
    outcome: Outcome | None = None
    sure: str = ""
    error: str = ""
    by_time: bool = False
    ideas: Ideas | None = None
    is_self_marked: bool = False
    comment: str = ""

    @property
    def is_unanswered(self) -> bool:
        """Whether the time ran out without an answer."""
        return self.outcome is not None and self.answer is None


@dataclass(frozen=True)
class Stop:
    """form: of the one that waits, if something is taken now. variants: how many there are, in the staff's preview.

    said: what the class predicted, where the reader has.
    """

    id: str
    number: int
    kind: str
    prompt: tuple[Piece, ...]
    snippet: SafeString | None
    form: Form | None = None
    behind: Behind | None = None
    lines: bool = False
    variants: int = 0
    said: ClassSaid | None = None
    not_taken: NotTaken | None = None

    @property
    def short(self) -> bool:
        """Whether its answers are numbers or a word, to be set large."""
        return self.kind in _SHORT


@dataclass(frozen=True)
class Part:
    """number: from 1, in the lesson. next_id: where the text goes on, which is open as soon as the stop is answered."""

    number: int
    pieces: tuple[Piece, ...]
    stop: Stop | None
    next_id: str = ""

    @property
    def id(self) -> str:
        return f"part-{self.number}"

    @property
    def first_id(self) -> str:
        """Of what comes first in it."""
        if self.pieces:
            return self.id
        return "ahead" if self.stop is None else f"stop-{self.stop.id}"


@dataclass(frozen=True)
class Page:
    """decision: whether a prediction, or to begin, would be taken now. locked: how many parts are not open yet.

    failed: whether something sent was not taken. problem: why; where its stop tells it, None.
    token: names the form of the stop that waits. now: when the page was made, by the clock that time limits go by.
    is_staff: all parts, for the staff. trial: what a student sees, for staff who try it.
    """

    lesson: Lesson
    version: LessonVersion
    deadline: Deadline
    decision: Decision
    is_staff: bool = False
    trial: bool = False
    reading: Reading | None = None
    shown: bool = True
    limit: str = ""
    parts: tuple[Part, ...] = ()
    locked: int = 0
    stops: int = 0
    tally: Tally = NOTHING_MADE
    failed: bool = False
    problem: Typed | None = None
    trouble: str = ""
    token: str = ""
    now: datetime | None = None

    @property
    def item(self) -> Item:
        return self.lesson.item

    @property
    def course(self) -> Course:
        return self.lesson.item.course

    @property
    def time_ends(self) -> datetime | None:
        """When the reader's time is over, if it runs."""
        if self.reading is None or not self.goes_on:
            return None
        return time_ends(self.reading.ends_at, self.deadline, trial=self.trial)

    @property
    def goes_on(self) -> bool:
        """Whether there is something left: a stop that waits, or parts behind it."""
        return self.locked > 0 or self.waiting is not None

    @property
    def waiting(self) -> Stop | None:
        """The stop that is not answered yet."""
        last = self.parts[-1].stop if self.parts else None
        return last if last is not None and last.behind is None else None

    @property
    def handed_back(self) -> list[str]:
        """What was typed into a form that is no longer there."""
        kinds = {part.stop.id: part.stop.kind for part in self.parts if part.stop is not None}
        return self.problem.handed_back(kinds.get(self.problem.stop, "")) if self.problem else []

    @property
    def ran_out(self) -> bool:
        """Whether the time limit has answered for the reader."""
        return any(part.stop is not None and part.stop.behind is not None and part.stop.behind.by_time
                   for part in self.parts)  # fmt: skip

    def parts_from(self, stop: str) -> tuple[Part, ...]:
        """The part with this stop, and those behind it that are open; none where the stop is not open."""
        ids = [part.stop.id if part.stop else "" for part in self.parts]
        return self.parts[ids.index(stop) :] if stop in ids else ()

    @property
    def cost_of_late(self) -> str:
        """What a late prediction loses, in words; nothing where there is nothing to lose."""
        return cost_of_late(self.deadline) if self.item.points else ""

    @property
    def cost_now(self) -> str:
        """What one keeps that is made now, in words; nothing while it is on time."""
        if self.now is None or not self.item.points or not self.decision.allowed:
            return ""
        return cost_now(self.deadline, self.now, self.course.zone, "answering", "it still opens what follows")

    @property
    def begins(self) -> bool:
        """Whether the page asks to begin."""
        return self.shown and self.reading is None and not self.is_staff and not self.trouble


def parts_of(
    standing: Standing, takes: bool, typed: Typed | None, links: Links = NO_LINKS,
    said: Mapping[str, ClassSaid] = NOTHING_SAID,
) -> tuple[Part, ...]:  # fmt: skip
    """takes: whether a prediction is taken now. said: what the class predicted, by stop."""
    parts: list[Part] = []
    number = 0
    for part in standing.parts:
        stop = None
        if part.stop is not None:
            number += 1
            if isinstance(part.stop, Asked):
                stop = _asked(part.stop, number, standing.data, takes, typed, links)
            else:
                stop = answered_stop(part.stop, number, standing.data, links, typed)
                stop = replace(stop, said=said.get(stop.id))
        parts.append(Part(len(parts) + 1, _pieces(part.blocks, {}, standing.data, links), stop))
    followed = (replace(part, next_id=after.first_id) for part, after in pairwise(parts))
    return (*followed, *parts[-1:])


def stop_alone(came: CameBack, typed: Typed | None, links: Links) -> Stop:
    """A stop outside of its lesson, with its form where it waits."""
    if isinstance(came.stop, Asked):
        return _asked(came.stop, 1, came.data, True, typed, links)
    return answered_stop(came.stop, 1, came.data, links, typed)


def preview_of(content: Compiled, links: Links = NO_LINKS) -> tuple[Part, ...]:
    """The whole lesson with the first variant of each stop: for the staff."""
    lesson = content.lesson
    parts: list[Part] = []
    for part in lesson.parts:
        stop = None
        if part.predict is not None:
            number = list(content.questions).index(part.predict.id) + 1
            stop = previewed(content.questions[part.predict.id], number, lesson.data, links)
        parts.append(Part(len(parts) + 1, _pieces(part.blocks, {}, lesson.data, links), stop))
    return tuple(parts)


def _asked(
    stop: Asked, number: int, data: Mapping[str, bytes], takes: bool, typed: Typed | None, links: Links
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
        stop.id, number, stop.type, _pieces(stop.prompt, stop.given, data, links), _snippet(stop), form=form,
        lines=stop.type in _LINES,
    )  # fmt: skip


def answered_stop(
    stop: Answered,
    number: int,
    data: Mapping[str, bytes],
    links: Links = NO_LINKS,
    typed: Typed | None = None,
) -> Stop:
    """typed: what was sent since then, wherever it belongs."""
    said = _pieces(stop.branches, stop.facts, data, links)
    picked = stop.response if stop.type == "choices" else None
    behind = Behind(
        key=answer_html(stop.type, stop.key),
        key_title=_key_title(stop.type),
        reveal=_pieces(stop.reveal, stop.facts, data, links),
        branches=(("", said),) if said else (),
        keys=_keys(stop.type, stop.key),
        picks=tuple(Pick(inline(each), each in stop.key) for each in picked or ()),
        answer=None if stop.response is None else answer_html(stop.type, stop.response),
        outcome=outcome_of(stop),
        sure=SURE_WORDS.get(stop.confidence or 0, ""),
        error="" if said else KNOWN_ERRORS.get(stop.error, ""),
        by_time=stop.how == Prediction.How.TIME_LIMIT,
        ideas=ideas_of(stop),
        is_self_marked=stop.source == Source.SELF,
        comment=stop.comment,
    )
    return Stop(
        stop.id, number, stop.type, _pieces(stop.prompt, stop.given, data, links), _snippet(stop), behind=behind,
        lines=stop.type in _LINES, not_taken=not_taken_at(stop.id, stop.type, typed),
    )  # fmt: skip


def previewed(
    question: Question, number: int, data: Mapping[str, bytes], links: Links, variant: Variant | None = None
) -> Stop:
    """A stop with all that is behind it, as those see it who have this variant: by default the first."""
    predict, kind, settings = question.predict, question.type, question.settings
    variant = variant or question.variants[0]
    key = kind.key_texts(variant.key, settings)
    behind = Behind(
        key=answer_html(kind.name, key),
        keys=_keys(kind.name, key),
        key_title=_key_title(kind.name),
        reveal=_pieces(predict.reveal, variant.facts, data, links),
        branches=tuple(
            (branch.answer, _pieces(branch.blocks, variant.facts, data, links)) for branch in predict.branches
        ),
        ideas=previewed_ideas(settings),
    )
    return Stop(
        predict.id, number, kind.name, _pieces(predict.prompt, variant.given, data, links), _snippet(question),
        behind=behind, lines=kind.name in _LINES, variants=len(question.variants),
    )  # fmt: skip


def _keys(kind: str, texts: Sequence[str]) -> tuple[SafeString, ...]:
    """The right options where there may be several; none of any other type."""
    return tuple(inline(each) for each in texts) if kind == "choices" else ()


def _key_title(kind: str) -> str:
    return "A model answer" if kind == "free_text" else "The answer"


def _pieces(
    blocks: Blocks, facts: Mapping[str, Any], data: Mapping[str, bytes], links: Links
) -> tuple[Piece, ...]:
    return tuple(
        Piece(each.html, figure_of(each.widget, data) if isinstance(each.widget, Widget) else None)
        for each in shown(blocks, facts, data, links)
    )


def _snippet(stop: Asked | Answered | Question) -> SafeString | None:
    snippet = getattr(stop.settings, "snippet", None)
    if snippet is None:
        return None
    coloured = mark_safe(code.highlight(snippet, "python"))
    return format_html('<pre class="code" tabindex="0"><code>{}</code></pre>', coloured)


def later_parts(content: Compiled, open_parts: Sequence[Part]) -> int:
    """How many are not open yet: nothing else of them is told."""
    return len(content.lesson.parts) - len(open_parts)
