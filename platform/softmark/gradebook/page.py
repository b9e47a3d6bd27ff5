"""What the pages show."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from django.core.paginator import Page, Paginator
from django.utils.safestring import SafeString

from softmark.courses.models import Course, Enrolment, Item, Section
from softmark.courses.policies import Decision
from softmark.courses.queries import students_of
from softmark.gradebook import queries
from softmark.gradebook.arithmetic import answer_lines, attempt_lines, lines
from softmark.gradebook.cells import row_html
from softmark.gradebook.entries import RESULTS, Kind
from softmark.gradebook.grade import Grade, State
from softmark.gradebook.models import Event
from softmark.gradebook.queries import Column
from softmark.gradebook.quiz import Answer
from softmark.gradebook.totals import Total
from softmark.gradebook.words import STATES, said
from softmark.submissions.models import Submission
from softmark.ui.words import Outcome, shown_points

STUDENTS_A_PAGE = 100  # five thousand cells: more of them make a browser pause


@dataclass(frozen=True)
class GridFilter:
    """What the grid shall show: of whom, those with a grade in some state, which hundred, and the means as well."""

    section: int | None = None
    state: State | None = None
    page: str = "1"
    means: bool = False


@dataclass(frozen=True)
class GridRow:
    """A student's line of the grid."""

    enrolment: Enrolment
    total: Total
    cells: SafeString


@dataclass(frozen=True)
class GridPage:
    """A part of the gradebook. means: of all students asked for; None where they are many and nobody asked."""

    course: Course
    asked: GridFilter
    columns: tuple[Column, ...]
    means: list[Decimal | None] | None
    rows: list[GridRow]
    part: Page[Enrolment]
    students: int
    sections: list[Section]
    may_change: bool
    states: tuple[State, ...] = tuple(State)


def grid_page(course: Course, now: datetime, asked: GridFilter, may_change: bool) -> GridPage:
    """Works out the grades of everybody only where that is asked for: it takes a second for a thousand students."""
    students = students_of(course)
    if asked.section is not None:
        students = students.filter(section=asked.section)
    if asked.state is None and not asked.means:
        part = Paginator(students, STUDENTS_A_PAGE).get_page(asked.page)
        grid = queries.grid(course, now, list(part.object_list))
        number, means = part.paginator.count, None if part.has_other_pages() else grid.means
        rows = grid.rows
    else:
        grid = queries.grid(course, now, None if asked.section is None else list(students))
        number, means = len(grid.rows), grid.means
        found = {
            row.enrolment: row
            for row in grid.rows
            if asked.state is None or any(grade.state is asked.state for grade in row.grades)
        }
        part = Paginator(list(found), STUDENTS_A_PAGE).get_page(asked.page)
        rows = tuple(found[each] for each in part.object_list)
    slugs = [column.item.slug for column in grid.columns]
    return GridPage(
        course, asked, grid.columns, means,
        [GridRow(row.enrolment, row.total, row_html(row.grades, slugs, row.enrolment.user_id)) for row in rows],
        part, number, list(course.sections.all()), may_change,
    )  # fmt: skip


@dataclass(frozen=True)
class GradeView:
    """A grade with its words."""

    grade: Grade
    column: Column

    @property
    def item(self) -> Item:
        return self.column.item

    @property
    def state(self) -> Outcome:
        return STATES[self.grade.state]

    @property
    def stop_word(self) -> str:
        """What a prediction is called there."""
        return stop_word_of(self.item)

    @property
    def lines(self) -> list[str]:
        return lines(self.grade, stop=self.stop_word)

    @property
    def in_total(self) -> bool:
        return self.grade.released and self.grade.worth is not None


@dataclass(frozen=True)
class OwnGrade(GradeView):
    """A student's own, with what staff wrote to them."""

    comments: list[Event]


@dataclass(frozen=True)
class OwnPage:
    """A student's own grades."""

    course: Course
    grades: list[OwnGrade]
    total: Total

    @property
    def percent(self) -> str:
        """Of the total; empty where there is nothing to divide by."""
        percent = self.total.percent
        return "" if percent is None else f"{shown_points(percent, Decimal(100))[0]} %"


def own_page(enrolment: Enrolment, now: datetime) -> OwnPage:
    columns, row = queries.own(enrolment, now)
    comments = queries.comments_for(enrolment)
    grades = [
        OwnGrade(grade, column, comments.get(column.item.pk, []) if grade.released else [])
        for column, grade in zip(columns, row.grades, strict=True)
    ]
    return OwnPage(enrolment.course, grades, row.total)


@dataclass(frozen=True)
class AttemptRow:
    """Something that was handed in, and what it came to if it is graded."""

    submission: Submission
    lines: list[str]
    counts: bool


@dataclass(frozen=True)
class AnswerRow:
    """A prediction, and what it came to."""

    answer: Answer
    lines: list[str]


@dataclass(frozen=True)
class HistoryRow:
    """Something that happened. stands: nobody took it back."""

    event: Event
    said: str
    stands: bool

    @property
    def can_be_taken_back(self) -> bool:
        """A mark is, too, but on the page of its prediction."""
        return self.stands and self.event.kind != Kind.REVOKE and self.event.mark_id is None

    @property
    def needs_reason(self) -> bool:
        return self.event.kind in RESULTS


@dataclass(frozen=True)
class CellPage(GradeView):
    """One grade of one student, for staff. newest: the last thing that happened to it."""

    course: Course
    enrolment: Enrolment
    attempts: list[AttemptRow]
    answers: list[AnswerRow]
    history: list[HistoryRow]
    newest: int
    may_change: Decision

    @property
    def lines(self) -> list[str]:
        return lines(self.grade, each=False, stop=self.stop_word)

    def since(self, seen: int) -> list[HistoryRow]:
        """What happened after somebody looked, newest last."""
        return [row for row in self.history if row.event.pk > seen]


def stop_word_of(item: Item) -> str:
    return item.lesson.version.stop_word if item.kind == Item.Kind.LESSON else "prediction"


def cell_page(item: Item, enrolment: Enrolment, now: datetime, may_change: Decision) -> CellPage:
    column, grade = queries.cell(item, enrolment, now)
    events = queries.history(item, enrolment.user_id)
    valid = queries.valid_events(events)
    graded = {attempt.submission: attempt for attempt in grade.attempts}
    policy = grade.deadline.late_policy
    is_lesson, stop = item.kind == Item.Kind.LESSON, stop_word_of(item)
    attempts = [
        AttemptRow(
            submission,
            attempt_lines(graded[submission.pk], item.points, policy) if submission.pk in graded else [],
            counts=grade.counted is not None and grade.counted.submission == submission.pk,
        )
        for submission in ([] if is_lesson else queries.attempts(item, enrolment.user_id))
    ]
    answers = [AnswerRow(each, answer_lines(each, grade.counts or "", policy)) for each in grade.answers]
    history = [
        HistoryRow(event, said(event, stop), event.pk in valid or event.kind == Kind.REVOKE)
        for event in events
    ]
    return CellPage(
        grade, column, enrolment.course, enrolment, attempts, answers, history[::-1],
        max((e.pk for e in events), default=0), may_change,
    )  # fmt: skip
