"""Totals: what counts, and that they never punish a better score."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from softmark.gradebook.entries import Kind, Predicted
from softmark.gradebook.grade import State, Unsettled, seen_by_student
from softmark.gradebook.totals import mean, total
from softmark.ui.words import shown_points
from tests.gradebook.cells import DUE, FULL, Cell, auto, cells, excuse, override, predicted, thousandths

THIRD = auto(1, 1, of=3)

books = st.lists(cells, max_size=4)


def test_a_total_counts_results_only() -> None:
    row = [
        Cell((auto(1, 8),)),
        Cell((auto(1, 0),)),  # a zero is a result
        Cell(),  # over, and nothing was handed in
        Cell(now=DUE),  # not yet due
        Cell((auto(1, 9), excuse(2))),
        Cell((auto(1, 9),), released=False),
        Cell(unsettled=Unsettled(waiting=1)),
        Cell(unsettled=Unsettled(without_result=1)),
    ]
    came_to = total(cell.grade for cell in row)
    assert (came_to.points, came_to.max, came_to.items) == (Decimal(8), 3 * FULL, 3)
    assert total([]).percent is None


@given(books)
def test_an_ungraded_item_is_never_a_zero(book: list[Cell]) -> None:
    grades = [cell.grade for cell in book]
    ungraded = (State.NOT_DUE, State.WAITING, State.NO_RESULT, State.UNDER_WAY, State.EXCUSED)
    assert total(grades) == total(grade for grade in grades if grade.state not in ungraded)


@given(books)
def test_a_total_is_the_one_that_students_can_add_up(book: list[Cell]) -> None:
    """What is hidden is not in it, so it is the same whatever stands there."""
    grades = [cell.grade for cell in book]
    assert total(grades) == total(map(seen_by_student, grades))
    assert total(grades) == total(grade for grade in grades if grade.released)


@given(books, st.data())
def test_raising_one_score_never_lowers_a_total(book: list[Cell], data: st.DataObject) -> None:
    """Any automatic result, any prediction or any points by hand, raised by any amount."""
    scores = [
        (row, column)
        for row, cell in enumerate(book)
        for column, entry in enumerate(cell.entries)
        if isinstance(entry, Predicted) or entry.points is not None
    ]
    if not scores:
        return
    row, column = data.draw(st.sampled_from(scores))
    entries = list(book[row].entries)
    entry, more = entries[column], data.draw(thousandths)
    if isinstance(entry, Predicted):
        entries[column] = entry._replace(share=min(entry.share + more, Decimal(1)))
    elif entry.points is not None:
        raised = entry.points + more
        if entry.kind == Kind.AUTO and entry.max_points is not None:
            raised = min(raised, entry.max_points)
        entries[column] = entry._replace(points=raised)
    better = [*book[:row], replace(book[row], entries=tuple(entries)), *book[row + 1 :]]
    before, after = (total(cell.grade for cell in cells) for cells in (book, better))
    assert after.points >= before.points
    assert (after.max, after.items) == (before.max, before.items)


@given(st.lists(thousandths, min_size=1, max_size=8))
def test_a_total_below_full_marks_is_never_shown_as_full_marks(lost: list[Decimal]) -> None:
    """Not even where every item misses its full marks by a thousandth, or by a third of one."""
    whole = Decimal(20)
    grades = [Cell((auto(1, whole * 3 - some, of=whole * 3),), points=whole).grade for some in lost]
    came_to = total(grades)
    shown, most = shown_points(came_to.points, came_to.max)
    assert (shown == most) == (not any(lost))


def test_thirds_add_up() -> None:
    came_to = total(Cell((THIRD,)).grade for _ in range(3))
    assert shown_points(came_to.points, came_to.max) == ("10", "30")


def test_the_mean_is_of_those_who_have_points() -> None:
    column = [
        Cell((auto(1, 8),)),
        Cell((override(1, 4),), released=False),
        Cell(),
        Cell((excuse(1),)),
        Cell((predicted(1),), now=DUE, counts="correctness"),  # under way
    ]
    assert mean(cell.grade for cell in column) == 6
    assert mean([]) is None
