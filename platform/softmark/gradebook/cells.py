"""The cells of the grid as HTML. A grid has fifty thousand of them, and a template would take seconds for those."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from functools import lru_cache

from django.utils.safestring import SafeString, mark_safe

from softmark.gradebook.grade import Grade, State
from softmark.ui.words import shown_points

_SAID = (State.UNRELEASED, State.UNDER_WAY)  # of cells with points: the others are graded


def row_html(grades: Iterable[Grade], slugs: Iterable[str], user: int) -> SafeString:
    """The cells of one student, each a link to its page. Numbers, slugs and our own words: nothing to escape."""
    cells = (
        f'<td class="{_class(grade)}"><a href="{slug}/{user}/">{_text(grade)}</a></td>'
        for grade, slug in zip(grades, slugs, strict=True)
    )
    return mark_safe("".join(cells))


def _class(grade: Grade) -> str:
    return "cell" if grade.state is State.GRADED else "cell cell-" + grade.state.replace(" ", "-")


def _text(grade: Grade) -> str:
    """The points or the state, and below it what else is to be known."""
    if grade.points is None:
        text = grade.state.capitalize()
    else:
        text = f"<b>{_shown(grade.points, grade.max)}</b>"
    marks = _marks(grade)
    return f"{text}<small>{', '.join(marks)}</small>" if marks else text


def _marks(grade: Grade) -> list[str]:
    if grade.points is None:
        return []
    marks = []
    if grade.state in _SAID:
        marks.append(grade.state.value)
    if grade.overridden:
        marks.append("by hand")
    elif grade.is_late:
        marks.append("late")
    if grade.automatic_is_newer:
        marks.append("newer run" if grade.counts is None else "newer prediction")
    if grade.pending:
        marks.append("waiting")
    return marks


@lru_cache(4096)
def _shown(points: Decimal, full: Decimal) -> str:
    return shown_points(points, full)[0]
