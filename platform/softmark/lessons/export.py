"""The predictions of a lesson as a file for spreadsheets."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

import tablib

from softmark.lessons.results import Row, is_judged
from softmark.lessons.words import SURE_WORDS
from softmark.lessons.written.drawn import Question
from softmark.ui.spreadsheet import plain_text

_HEADERS = (
    "Name", "Email", "Section", "Question", "Type", "Version", "Draw", "Practice", "Given", "Answer", "Right", "Share",
    "Known mistake", "Marked by", "Sure", "Sure, in words", "Committed by", "Committed at", "Seconds",
)  # fmt: skip


def csv(rows: Iterable[Row], questions: Mapping[str, Mapping[str, Question]]) -> bytes:
    """A row for each prediction. UTF-8, with the mark Excel looks for.

    questions: by digest of the version, and by stop; where one is missing, the answer is written as it is kept.
    """
    table = tablib.Dataset(headers=_HEADERS)
    for row in rows:
        table.append(_cells(row, questions.get(row.version.digest, {}).get(row.stop)))
    text: str = table.export("csv")
    return text.encode("utf-8-sig")


def _cells(row: Row, question: Question | None) -> list[str]:
    judged = row.response is not None and is_judged(row.credit)
    return [
        plain_text(str(row.learner)),
        plain_text(row.learner.email),
        plain_text(row.section),
        row.stop,
        question.type.name if question else "",
        row.version.called,
        str(row.number),
        "yes" if row.number else "no",
        plain_text(json.dumps(row.given, ensure_ascii=False)),
        plain_text(_answer(row, question)),
        ("yes" if row.credit.is_right else "no") if judged else "",
        f"{row.credit.share.normalize() + 0:f}",
        row.error,
        row.credit.source,
        str(row.confidence or ""),
        SURE_WORDS.get(row.confidence or 0, ""),
        row.how,
        row.committed_at.isoformat(timespec="seconds"),
        "" if row.seconds is None else f"{row.seconds:.0f}",
    ]


def _answer(row: Row, question: Question | None) -> str:
    if row.response is None:
        return ""
    if question is None:
        return json.dumps(row.response, ensure_ascii=False)
    return question.type.show_response(question.type.response_from_json(row.response), question.settings)
