"""What one learner may see of a lesson. Pages are made of this and of nothing else, so none can show what is behind
a stop: until a prediction is committed, no value here leads to a key, a reveal or a later part.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from datetime import datetime
from decimal import Decimal
from typing import Any

from softmark.lessons.compiled import Compiled
from softmark.lessons.credit import credited
from softmark.lessons.drawing import seal
from softmark.lessons.models import Draw, Prediction, Reading
from softmark.lessons.questions import Seal
from softmark.lessons.questions.offered import offered
from softmark.lessons.questions.raw import Named
from softmark.lessons.written.drawn import Question
from softmark.lessons.written.folder import named_files
from softmark.lessons.written.lesson import Blocks, Lesson
from softmark.lessons.written.lesson import Part as PartOfLesson


@dataclass(frozen=True)
class Asked:
    """A stop that waits for a prediction.

    settings: of its type, without what is secret; options under their opaque ids and in the order of this draw.
    given:    what the prompt fills in.
    draft:    the texts of the form, as far as they have come.
    """

    id: str
    type: str
    settings: Any
    prompt: Blocks
    given: Mapping[str, Any]
    draft: tuple[str, ...]
    drafted_at: datetime | None


@dataclass(frozen=True)
class Answered:
    """A stop with its prediction, and all that is behind it. No row of the database: from one a page could go on.

    response: its texts, each to be read by itself; None: no answer. key: those of what is right.
    share, right, source: what it is worth by now, and who says so.
    error, confidence, how, committed_at: as a Prediction has them.
    ticked:   the ideas that its author found in it; None: they have not said.
    comment:  what staff wrote to them when they marked it.
    given:    what the prompt fills in, as it did before.
    branches: what is said to those who gave this answer.
    """

    id: str
    type: str
    settings: Any
    prompt: Blocks
    given: Mapping[str, Any]
    facts: Mapping[str, Any]
    response: tuple[str, ...] | None
    key: tuple[str, ...]
    share: Decimal
    right: bool
    error: str
    source: str
    confidence: int | None
    how: str
    committed_at: datetime
    reveal: Blocks
    branches: Blocks
    ticked: tuple[int, ...] | None
    comment: str


@dataclass(frozen=True)
class Part:
    """stop: None where the lesson ends, and where the stop has not been drawn yet."""

    blocks: Blocks
    stop: Asked | Answered | None


@dataclass(frozen=True)
class Standing:
    """parts: those that are open. reached: the stop that waits, by its id; None: the lesson is done.

    stops, done: how many there are, and how many are committed.
    data: the files that the open parts name.
    """

    parts: tuple[Part, ...]
    reached: str | None
    stops: int
    done: int
    data: Mapping[str, bytes]

    def answered(self, stop: str) -> Answered:
        """One that is open, and committed."""
        stops = (each.stop for each in self.parts)
        return next(each for each in stops if isinstance(each, Answered) and each.id == stop)


@dataclass(frozen=True)
class CameBack:
    """A stop by itself, with the numbers of a later draw. data: the files that it names."""

    stop: Asked | Answered
    data: Mapping[str, bytes]


def came_back(reading: Reading, compiled: Compiled, draw: Draw, prediction: Prediction | None) -> CameBack:
    """prediction: the one of this draw, if there is one."""
    question = compiled.questions[draw.question]
    if prediction is None:
        asked = _asked(question, draw, seal(reading, draw.question, draw.number))
        return CameBack(asked, _data(compiled.lesson, [PartOfLesson(asked.prompt, None)]))
    stop = answered(question, draw, prediction)
    seen = PartOfLesson((*stop.prompt, *stop.reveal, *stop.branches), None)
    return CameBack(stop, _data(compiled.lesson, [seen]))


def standing_of(
    reading: Reading, compiled: Compiled, draws: Mapping[str, Draw], predictions: Mapping[str, Prediction]
) -> Standing:
    """draws, predictions: by stop, those that count."""
    parts: list[Part] = []
    seen: list[PartOfLesson] = []
    reached = reached_in(compiled, predictions)
    for part in compiled.lesson.parts:
        predict = part.predict
        stop: Asked | Answered | None = None
        shown = PartOfLesson(part.blocks, None)
        if predict is not None:
            question, draw = compiled.questions[predict.id], draws.get(predict.id)
            if draw is not None and predict.id in predictions:
                stop = answered(question, draw, predictions[predict.id], marked=reading.lesson.item.released)
                shown = PartOfLesson((*part.blocks, *stop.prompt, *stop.reveal, *stop.branches), None)
            elif draw is not None and predict.id == reached:
                stop = _asked(question, draw, seal(reading, predict.id, draw.number))
                shown = PartOfLesson((*part.blocks, *stop.prompt), None)
        parts.append(Part(part.blocks, stop))
        seen.append(shown)
        if predict is not None and predict.id == reached:
            break
    return Standing(
        parts=tuple(parts), reached=reached, stops=len(compiled.questions), done=len(predictions),
        data=_data(compiled.lesson, seen),
    )  # fmt: skip


def reached_in(compiled: Compiled, committed: Iterable[str]) -> str | None:
    """The first stop without a prediction; None where there is none left."""
    done = set(committed)
    return next((each for each in compiled.questions if each not in done), None)


def _asked(question: Question, draw: Draw, sealed: Seal) -> Asked:
    return Asked(
        id=question.predict.id, type=question.type.name, settings=_public(question, sealed),
        prompt=question.predict.prompt, given=draw.given, draft=tuple(draw.draft or ()), drafted_at=draw.drafted_at,
    )  # fmt: skip


def _public(question: Question, sealed: Seal) -> Any:
    changed: dict[str, Any] = {}
    for each in fields(question.settings):
        value = getattr(question.settings, each.name)
        if each.name in question.type.secret_keys:
            changed[each.name] = type(value)()
        elif isinstance(value, tuple) and value and all(isinstance(named, Named) for named in value):
            changed[each.name] = tuple(Named(opaque, named.text) for opaque, named in offered(value, sealed))
    return replace(question.settings, **changed)


def answered(question: Question, draw: Draw, prediction: Prediction, *, marked: bool = True) -> Answered:
    """For its author, and for staff who mark it. marked: with the marks of staff, which are grades: their release shows
    them to students.
    """
    kind, settings, predict = question.type, question.settings, question.predict
    kept = prediction.response
    response = None if kept is None else kind.response_from_json(kept)
    said = () if response is None else tuple(
        branch for branch in predict.branches
        if branch.answer == prediction.error or kind.matches(branch.answer, response, settings)
    )  # fmt: skip
    review, marks = (
        getattr(prediction, "self_review", None),
        list(prediction.staff_marks.all()) if marked else [],
    )
    credit = credited(prediction.share, prediction.source, [each.share for each in marks])
    return Answered(
        id=predict.id, type=kind.name, settings=settings, prompt=predict.prompt, given=draw.given, facts=draw.facts,
        response=None if response is None else kind.response_texts(response, settings),
        key=kind.key_texts(kind.key_from_json(draw.key), settings),
        share=credit.share, right=credit.is_right, source=credit.source, error=prediction.error,
        confidence=prediction.confidence, how=prediction.how, committed_at=prediction.committed_at,
        reveal=predict.reveal, branches=tuple(block for branch in said for block in branch.blocks),
        ticked=None if review is None else tuple(review.ideas), comment=marks[-1].comment if marks else "",
    )  # fmt: skip


def _data(lesson: Lesson, seen: list[PartOfLesson]) -> dict[str, bytes]:
    if not lesson.data:
        return {}
    named = named_files(replace(lesson, parts=tuple(seen)))
    return {name: each for name, each in lesson.data.items() if name in named}
