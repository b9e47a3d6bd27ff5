"""What the staff see of a class's predictions, as templates show it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from softmark.accounts.models import User
from softmark.courses.models import Course, Item
from softmark.lessons.calibration import Calibration
from softmark.lessons.compiled import Compiled
from softmark.lessons.histogram import Bin, bin_of, bins_of, has_bins
from softmark.lessons.item_analysis import Item as Analysed
from softmark.lessons.item_analysis import class_calibration, items_of
from softmark.lessons.models import Lesson, Prediction
from softmark.lessons.pages.calibration import lean_words
from softmark.lessons.pages.class_said import Bar, bars_of
from softmark.lessons.pages.inputs import answer_html
from softmark.lessons.questions import Source
from softmark.lessons.results import Answer, Read, Row, is_judged
from softmark.lessons.words import SURE_WORDS, error_name, percent
from softmark.lessons.written.drawn import Question
from softmark.lessons.written.render import shown
from softmark.ui.words import shown_duration

MOST_BARS = 8  # of a question, before the others are folded
_NOTHING = "–"


@dataclass(frozen=True)
class QuestionResult:
    """figures: by what they are called, in the order of the overview's columns. wrong: the commonest wrong answer.

    bars, more: all bins; those that are folded. sure: how sure the class was against how often it was right.
    overruled: how many answers staff have marked otherwise than the bars say.
    """

    stop: str
    number: int
    prompt: SafeString
    variants: int
    analysed: Analysed
    bars: tuple[Bar, ...]
    more: tuple[Bar, ...]
    wrong: Bar | None
    has_bars: bool
    overruled: int

    @property
    def figures(self) -> tuple[tuple[str, str], ...]:
        of, sure = self.analysed, self.analysed.calibration
        basis = f" of {of.judged}" if 0 < of.judged < of.answers else ""
        return (
            ("Answers", f"{of.answers} + {of.unanswered} none" if of.unanswered else str(of.answers)),
            ("All right", _share(of.right) + basis),
            ("Mean share", _share(of.share) + basis),
            ("Sure", _share(sure.said if sure else None)),
            ("Median time", _NOTHING if of.seconds is None else shown_duration(of.seconds, short=True)),
            ("Discrimination", _NOTHING if of.discrimination is None else _signed(of.discrimination)),
        )

    @property
    def sure(self) -> str:
        found = self.analysed.calibration
        return "" if found is None else f"{_sure(found)} Brier score {found.brier:.2f}."


@dataclass(frozen=True)
class ResultsPage:
    """read: the version that is shown; versions: all that students read. trouble: why its questions are not shown."""

    lesson: Lesson
    students: int
    read: Read
    versions: tuple[Read, ...]
    questions: tuple[QuestionResult, ...] = ()
    sure: str = ""
    trouble: str = ""

    @property
    def course(self) -> Course:
        return self.lesson.course

    @property
    def item(self) -> Item:
        return self.lesson.item

    @property
    def is_current(self) -> bool:
        return self.read.version.pk == self.lesson.version_id

    @property
    def is_empty(self) -> bool:
        return not any(each.analysed.answers or each.analysed.unanswered for each in self.questions)

    @property
    def heads(self) -> tuple[str, ...]:
        return tuple(name for name, _ in self.questions[0].figures) if self.questions else ()


@dataclass(frozen=True)
class AnswerLine:
    """right_here: what was right for this learner, where each has other numbers. took: nothing where time ran out."""

    pk: int
    learner: User
    section: str
    answer: SafeString | None
    right_here: SafeString
    outcome: str
    confidence: str
    how: str
    committed_at: datetime
    took: str


@dataclass(frozen=True)
class AnswersPage:
    """The answers of a class at one stop. key: what was right for everybody; None: each had another question.

    keeps_lines: they are texts with their line ends.
    """

    lesson: Lesson
    read: Read
    stop: str
    number: int
    prompt: SafeString
    variants: int
    key: SafeString | None
    key_title: str
    keeps_lines: bool
    lines: tuple[AnswerLine, ...]

    @property
    def course(self) -> Course:
        return self.lesson.course

    @property
    def item(self) -> Item:
        return self.lesson.item


def question_results(content: Compiled, answers: Sequence[Answer]) -> tuple[QuestionResult, ...]:
    """In the order of the lesson."""
    items = items_of([each.made for each in answers])
    by_stop: dict[str, list[Answer]] = defaultdict(list)
    for each in answers:
        by_stop[each.made.question].append(each)
    return tuple(
        _question_result(content, question, number, items.get(stop, Analysed()), by_stop[stop])
        for number, (stop, question) in enumerate(content.questions.items(), 1)
    )


def class_sure(answers: Iterable[Answer]) -> str:
    """How sure the class was in the whole lesson, in words."""
    found = class_calibration(each.made for each in answers)
    if found is None:
        return ""
    return f"{_sure(found)} Brier score {found.brier:.2f}, from {found.count} predictions."


def answers_page(
    lesson: Lesson, read: Read, content: Compiled, stop: str, rows: Iterable[Row]
) -> AnswersPage:
    question = content.questions[stop]
    kind, variants = question.type, question.variants
    return AnswersPage(
        lesson=lesson, read=read, stop=stop, number=list(content.questions).index(stop) + 1,
        prompt=prompt_of(content, question), variants=len(variants), keeps_lines=kind.name in ("output", "free_text"),
        key=_key_html(question, kind.key_to_json(variants[0].key)) if len(variants) == 1 else None,
        key_title="Right" if kind.takes_answer else "A model answer",
        lines=tuple(_line(question, row) for row in rows),
    )  # fmt: skip


def prompt_of(content: Compiled, question: Question) -> SafeString:
    """With the first variant."""
    predict = question.predict
    pieces = shown(predict.prompt, question.variants[0].given, content.lesson.data)
    return format_html_join("", "{}", ((each.html,) for each in pieces))


def _line(question: Question, row: Row) -> AnswerLine:
    kind, said = question.type, None
    if row.response is not None:
        texts = kind.response_texts(kind.response_from_json(row.response), question.settings)
        said = answer_html(kind.name, texts)
    return AnswerLine(
        pk=row.pk,
        learner=row.learner,
        section=row.section,
        answer=said,
        right_here=_key_html(question, row.key),
        outcome=_outcome(row),
        confidence=SURE_WORDS.get(row.confidence or 0, _NOTHING),
        how=_how(row),
        committed_at=row.committed_at,
        took=_NOTHING if row.seconds is None else shown_duration(row.seconds, short=True),
    )


def _question_result(
    content: Compiled, question: Question, number: int, analysed: Analysed, answers: Sequence[Answer]
) -> QuestionResult:
    bars: tuple[Bar, ...] = ()
    wrong = None
    if has_bins(question):
        said = (each.alike for each in answers if each.alike is not None)
        bins = bins_of(question, said, each_way=True)
        bars = bars_of(question, bins, _notes(question, bins, answers))
        wrong = next((bar for bar, each in zip(bars, bins, strict=True) if not each.right), None)
    return QuestionResult(
        stop=question.predict.id, number=number, prompt=prompt_of(content, question),
        variants=len(question.variants), analysed=analysed, bars=bars[:MOST_BARS], more=bars[MOST_BARS:], wrong=wrong,
        has_bars=has_bins(question), overruled=sum(each.overruled for each in answers if each.alike is not None),
    )  # fmt: skip


def _notes(question: Question, bins: Sequence[Bin], answers: Sequence[Answer]) -> dict[str, str]:
    """Of bins of one answer the mistake that it is; of the others an example."""
    notes = {
        each.name: error_name(each.error) if each.error else "Partly right"
        for each in bins if each.answer and (each.error or each.partly)
    }  # fmt: skip
    examples = {each.name for each in bins if not each.answer and not each.right}
    for answer in answers:
        if not examples or answer.alike is None:
            continue
        name = bin_of(question, answer.alike, each_way=True).name
        if name in examples:
            examples.remove(name)
            said, right = _answer(question, answer.alike.response), _key(question, answer.key)
            notes[name] = f"For example {said}, where {right} is right."
    return notes


def _answer(question: Question, response: dict[str, Any]) -> str:
    kind = question.type
    return kind.show_response(kind.response_from_json(response), question.settings)


def _key(question: Question, key: dict[str, Any]) -> str:
    kind = question.type
    return kind.show_key(kind.key_from_json(key), question.settings)


def _key_html(question: Question, key: dict[str, Any]) -> SafeString:
    kind = question.type
    return answer_html(kind.name, kind.key_texts(kind.key_from_json(key), question.settings))


def _outcome(row: Row) -> str:
    if row.response is None:
        return "No answer"
    source = {Source.SELF: "self-marked", Source.TA: "by staff"}.get(Source(row.credit.source), "")
    share = "Made" if not is_judged(row.credit) else _share(float(row.credit.share))
    said = f"{share}, {source}" if source else share
    return f"{said} ({error_name(row.error)})" if row.error else said


def _how(row: Row) -> str:
    if row.how != Prediction.How.TIME_LIMIT:
        return ""
    return "when the time ran out" if row.response is None else "from the draft, when the time ran out"


def _sure(found: Calibration) -> str:
    return lean_words(found, "the class was", "the words of the class")


def _share(share: float | None) -> str:
    return _NOTHING if share is None else percent(share)


def _signed(number: float) -> str:
    return f"{number:.2f}".replace("-", "\N{MINUS SIGN}")
