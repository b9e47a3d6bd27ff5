"""The class's answers at a stop, as templates show them: bars with their numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.utils.html import escape
from django.utils.safestring import SafeString

from softmark.lessons.compiled import Compiled
from softmark.lessons.histogram import LEAST, SMALL, Alike, Bin, bins_of, has_bins, merged
from softmark.lessons.pages.inputs import answer_html
from softmark.lessons.words import error_name
from softmark.lessons.written.drawn import Question


@dataclass(frozen=True)
class Bar:
    """label: nothing where being right is all there is to say. percent: of all answers. note: what else there is."""

    label: SafeString
    count: int
    percent: int
    right: bool = False
    mine: bool = False
    note: str = ""


@dataclass(frozen=True)
class ClassSaid:
    """total: answers; None: too few for any of it to be shown. bars: none, where they would tell too much.

    merged: some of the answers are counted among others.
    """

    least: int = LEAST
    small: int = SMALL
    total: int | None = None
    bars: tuple[Bar, ...] = ()
    merged: bool = False


def class_said(
    content: Compiled, stops: Iterable[str], answers: Mapping[str, Sequence[Alike]]
) -> dict[str, ClassSaid]:
    """By stop. stops: those that the reader has answered."""
    found = {}
    for stop in stops:
        question = content.questions[stop]
        if has_bins(question):
            found[stop] = _class_said(question, merged(bins_of(question, answers.get(stop, ()))))
    return found


def _class_said(question: Question, bins: Sequence[Bin]) -> ClassSaid:
    if not bins:
        return ClassSaid()
    total = sum(each.count for each in bins)
    told = () if bins[0].merged else bars_of(question, bins)
    return ClassSaid(total=total, bars=told, merged=bins[-1].merged)


def bars_of(
    question: Question, bins: Sequence[Bin], notes: Mapping[str, str] | None = None
) -> tuple[Bar, ...]:
    """notes: by the name of a bin."""
    total = sum(each.count for each in bins)
    return tuple(
        Bar(
            label=label_of(question, each),
            count=each.count,
            percent=round(100 * each.count / total),
            right=each.right and not each.merged,
            mine=each.mine,
            note=_merged_note(each) if each.merged else (notes or {}).get(each.name, ""),
        )
        for each in bins
    )


def label_of(question: Question, each: Bin) -> SafeString:
    if each.merged:
        return escape("Other answers")
    if each.answer:
        return answer_html(question.type.name, each.answer)
    if each.right:
        return SafeString()
    if each.error:
        return escape(error_name(each.error))
    return escape("Partly right" if each.partly else "Other wrong answers")


def _merged_note(each: Bin) -> str:
    return "A right answer is among them." if each.right else ""
