"""What students predicted, for staff who read and mark it: the list, and one of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from typing import ClassVar
from urllib.parse import urlencode

from django.core.paginator import Page as PageOf
from django.http import QueryDict
from django.utils.text import Truncator

from softmark.lessons.compiled import Compiled
from softmark.lessons.credit import by_share
from softmark.lessons.models import Lesson, Prediction, StaffMark
from softmark.lessons.pages.ideas import Ideas, ideas_of
from softmark.lessons.pages.lesson import Stop, answered_stop
from softmark.lessons.questions import TYPES, Source
from softmark.lessons.standing import Answered
from softmark.lessons.words import outcome_of, percent
from softmark.ui.words import Outcome

_EXCERPT = 140
_SOMEBODY = "A student"
STATES = {"": "any", "waiting": "not marked by staff", "marked": "marked by staff"}


@dataclass(frozen=True)
class ListFilter:
    """What the list shall hold. every: predictions of all types, not only free texts. anonymous: without names."""

    question: str = ""
    state: str = ""
    every: bool = False
    anonymous: bool = False

    @property
    def query(self) -> str:
        """As it stands in an address."""
        said = {"question": self.question, "state": self.state}
        flags = {"all": self.every, "anonymous": self.anonymous}
        return urlencode(
            {name: text for name, text in said.items() if text} | {name: 1 for name in flags if flags[name]}
        )

    @property
    def with_names_or_without(self) -> str:
        return replace(self, anonymous=not self.anonymous).query


def asked_in(address: QueryDict) -> ListFilter:
    """What makes no sense filters nothing."""
    state = address.get("state", "")
    return ListFilter(
        question=address.get("question", "").replace("\0", ""),
        state=state if state in STATES else "",
        every=address.get("all") == "1",
        anonymous=address.get("anonymous") == "1",
    )


# -- the list


@dataclass(frozen=True)
class Row:
    """found: how many of the ideas its author ticked, in words."""

    pk: int
    learner: str
    question: str
    excerpt: str
    committed_at: datetime
    outcome: Outcome
    waits: bool
    found: str


@dataclass(frozen=True)
class MarkingPage:
    """questions: by id, those to choose from. waiting: how many free texts nobody of the staff has marked.

    unshowable: why some of the list is left out.
    """

    lesson: Lesson
    asked: ListFilter
    rows: tuple[Row, ...]
    part: PageOf[Prediction]
    questions: dict[str, str]
    waiting: int
    unshowable: str
    states: ClassVar[dict[str, str]] = STATES


def row_of(prediction: Prediction, content: Compiled, stop: Answered, asked: ListFilter) -> Row:
    ideas = ideas_of(stop)
    return Row(
        pk=prediction.pk,
        learner=_author(prediction, asked),
        question=_name(content, stop.id),
        excerpt=Truncator(TYPES[stop.type].between.join(stop.response or ())).chars(_EXCERPT),
        committed_at=prediction.committed_at,
        outcome=outcome_of(stop),
        waits=stop.source == Source.SELF,
        found=f"{ideas.found} of {len(ideas.each)} ideas" if ideas and ideas.said else "",
    )


def question_names(questions: Sequence[str], content: Compiled | None) -> dict[str, str]:
    """In the order of the lesson; those that it does not have, at the end and by their ids."""
    known = {each: _name(content, each) for each in content.questions if each in questions} if content else {}
    return known | {each: each for each in questions if each not in known}


def _name(content: Compiled, question: str) -> str:
    return f"Question {_number(content, question)}"


def _number(content: Compiled, question: str) -> int:
    return list(content.questions).index(question) + 1


def _author(prediction: Prediction, asked: ListFilter) -> str:
    return _SOMEBODY if asked.anonymous else str(prediction.draw.reading.learner)


# -- one of it


@dataclass(frozen=True)
class Mark:
    """A mark of the staff. said: in words."""

    pk: int
    share: Decimal | None
    said: str
    comment: str
    by: str
    at: datetime


@dataclass(frozen=True)
class Desk:
    """One prediction. before, after: its neighbours in the list. waiting: how many of the list are still to be read.

    said: the marks of the staff, oldest first.
    """

    lesson: Lesson
    asked: ListFilter
    prediction: Prediction
    learner: str
    stop: Stop
    stops: int
    ideas: Ideas | None
    said: tuple[Mark, ...]
    before: int | None
    after: int | None
    waiting: int

    @property
    def newest(self) -> int:
        return self.said[-1].pk if self.said else 0

    @property
    def earns(self) -> bool:
        """Whether a mark changes the points, and not only what the student is told."""
        made = self.prediction
        return by_share(
            self.lesson.counts,
            Source.TA,
            is_text=made.source == Source.SELF,
            is_answered=made.response is not None,
        )

    @property
    def counts(self) -> Mark | None:
        """The one that counts."""
        return self.said[-1] if self.said and self.said[-1].share is not None else None

    def since(self, seen: int) -> list[Mark]:
        return [each for each in self.said if each.pk > seen]


def desk_of(
    lesson: Lesson, asked: ListFilter, prediction: Prediction, content: Compiled, stop: Answered, *,
    before: int | None, after: int | None, waiting: int,
) -> Desk:  # fmt: skip
    return Desk(
        lesson=lesson, asked=asked, prediction=prediction, learner=_author(prediction, asked),
        stop=answered_stop(stop, _number(content, stop.id), content.lesson.data), stops=len(content.questions),
        ideas=ideas_of(stop), said=tuple(_mark(each) for each in prediction.staff_marks.all()),
        before=before, after=after, waiting=waiting,
    )  # fmt: skip


def _mark(mark: StaffMark) -> Mark:
    said = "Taken back" if mark.share is None else percent(mark.share)
    return Mark(mark.pk, mark.share, said, mark.comment, str(mark.by), mark.at)
