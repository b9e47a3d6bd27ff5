"""Events become a grade."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from softmark.courses.deadlines import Deadline
from softmark.courses.late_policy import lateness
from softmark.gradebook.entries import Entry, Kind
from softmark.gradebook.grade import State, Unsettled, seen_by_student
from tests.gradebook.cells import (
    DEADLINE,
    DUE,
    ZONE,
    Cell,
    assignment_cells,
    auto,
    cells,
    deadlines,
    excuse,
    given_back,
    histories,
    override,
    revoke,
    thousandths,
    without_points,
)  # fmt: skip

HOUR = timedelta(hours=1)


# -- states


@pytest.mark.parametrize(
    ("cell", "state", "points"),
    [
        (Cell(now=DUE), State.NOT_DUE, None),
        (Cell(), State.NOT_SUBMITTED, None),
        (Cell((auto(1, 0),)), State.GRADED, Decimal(0)),
        (Cell((excuse(1),)), State.EXCUSED, None),
        (Cell((auto(1, 0),), released=False), State.UNRELEASED, Decimal(0)),
        (Cell(unsettled=Unsettled(waiting=1)), State.WAITING, None),
        (Cell(unsettled=Unsettled(without_result=1)), State.NO_RESULT, None),
    ],
)
def test_each_state_is_its_own(cell: Cell, state: State, points: Decimal | None) -> None:
    assert (cell.grade.state, cell.grade.points) == (state, points)


def test_an_item_without_a_due_date_is_never_missed() -> None:
    assert Cell(deadline=Deadline()).grade.state is State.NOT_DUE


def test_what_can_still_be_handed_in_late_is_not_a_zero_yet() -> None:
    open_still = replace(DEADLINE, closes_at=DUE + timedelta(days=7))
    late = Cell(deadline=open_still, now=DUE + HOUR).grade
    over = Cell(deadline=open_still, now=DUE + timedelta(days=8)).grade
    assert (late.state, late.worth) == (State.NOT_SUBMITTED, None)
    assert (over.state, over.worth) == (State.NOT_SUBMITTED, Decimal(0))


@given(cells)
def test_there_are_points_exactly_where_the_state_says_so(cell: Cell) -> None:
    grade = cell.grade
    assert (grade.points is not None) == (grade.state in (State.GRADED, State.UNRELEASED, State.UNDER_WAY))
    shown = grade.points is not None and grade.state is not State.UNDER_WAY
    assert (grade.state is State.UNRELEASED) == (shown and not cell.released)


# -- attempts


def test_the_best_attempt_after_late_costs_counts() -> None:
    cell = Cell((auto(1, 8, attempt=1), auto(2, 9, attempt=2, at=DUE + timedelta(days=2))))
    grade = cell.grade
    assert grade.points == 8
    assert grade.counted is not None
    assert grade.counted.number == 1
    assert not grade.is_late


def test_of_equal_attempts_the_earliest_counts() -> None:
    counted = Cell((auto(1, 8, attempt=2), auto(2, 8, attempt=1))).grade.counted
    assert counted is not None
    assert counted.number == 1


def test_of_an_attempt_the_newest_run_counts_even_if_it_gave_less() -> None:
    assert Cell((auto(1, 8), auto(2, 6))).grade.points == 6


def test_an_attempt_that_was_given_back_does_not_count_and_is_no_zero() -> None:
    two = (auto(1, 8), auto(2, 3, attempt=2))
    assert Cell(two, unsettled=given_back(1)).grade.points == 3
    assert Cell(two, unsettled=given_back(1, 2)).grade.state is State.NO_RESULT


@given(histories(kinds="auto"), deadlines())
def test_no_attempt_beats_the_one_that_counts(history: tuple[Entry, ...], deadline: Deadline) -> None:
    grade = Cell(history, deadline=deadline).grade
    valid = [attempt for attempt in grade.attempts if not attempt.returned]
    assert (grade.counted is None) == (not valid)
    if grade.counted is not None:
        assert grade.points == grade.counted.points == max(attempt.points for attempt in valid)
        assert all(
            attempt.number > grade.counted.number for attempt in valid
            if attempt.points == grade.points and attempt is not grade.counted
        )  # fmt: skip


@given(histories(kinds="auto"), deadlines(), st.integers(1, 400).map(Decimal))
def test_a_later_practice_run_never_lowers_a_grade(
    history: tuple[Entry, ...], deadline: Deadline, days: Decimal
) -> None:
    cell = Cell(history, deadline=deadline)
    before = cell.grade.points
    assume(before is not None)
    late = auto(cell.next_id, 10, attempt=9, at=DUE + timedelta(days=int(days)))
    after = cell.then(late).grade.points
    assert after is not None
    assert before is not None
    assert after >= before


# -- what late costs


@given(cells, deadlines())
def test_penalties_follow_the_deadline(cell: Cell, other: Deadline) -> None:
    """Moved there and back again, a deadline leaves no trace; each attempt says what it lost."""
    moved = replace(cell, deadline=other).grade
    assert replace(cell, deadline=cell.deadline).grade == cell.grade
    for attempt in moved.attempts:
        assert attempt.late == lateness(other.due_at, other.late_policy, attempt.received_at, ZONE)
        exact = Fraction(attempt.run_points) * Fraction(cell.points) / Fraction(attempt.run_max)
        kept = exact * Fraction(attempt.late.percent_kept) / 100
        assert abs(Fraction(attempt.scaled) - exact) < Fraction(1, 10**20)
        assert abs(Fraction(attempt.points) - kept) < Fraction(1, 10**20)


@given(cells, st.timedeltas(timedelta(0), timedelta(days=30)))
def test_more_time_never_costs_points(cell: Cell, more: timedelta) -> None:
    assume(cell.deadline.due_at is not None)
    assert cell.deadline.due_at is not None
    later = replace(cell, deadline=replace(cell.deadline, due_at=cell.deadline.due_at + more, closes_at=None))
    before, after = cell.grade.points, later.grade.points
    assert (before is None) == (after is None)
    if before is not None and after is not None:
        assert after >= before


@given(thousandths, thousandths)
def test_below_full_marks_is_never_full_marks(points: Decimal, full: Decimal) -> None:
    assume(points < full)
    grade = Cell((auto(1, points, of=full),)).grade
    assert grade.points is not None
    assert grade.points < grade.max


# -- by hand


@given(assignment_cells, thousandths)
def test_nothing_automatic_touches_an_override(cell: Cell, points: Decimal) -> None:
    """What is set by hand stays, and the automatic grade is shown beside it."""
    by_hand = cell.then(override(cell.next_id, points))
    regraded = by_hand.then(auto(by_hand.next_id, 10, attempt=9))
    before, after = by_hand.grade, regraded.grade
    assert (after.points, after.overridden) == (before.points, before.overridden)
    assert not before.automatic_is_newer
    assert after.automatic_is_newer
    assert after.automatic is not None


@given(assignment_cells, thousandths, thousandths)
def test_the_newest_override_counts_until_it_is_taken_back(cell: Cell, one: Decimal, other: Decimal) -> None:
    cell = replace(cell, entries=tuple(entry for entry in cell.entries if entry.kind == Kind.AUTO))
    first = cell.then(override(cell.next_id, one))
    second = first.then(override(first.next_id, other))
    assert (first.grade.points, second.grade.points) == (one, other)
    assert second.then(revoke(second.next_id, first.next_id)).grade == first.grade


@given(assignment_cells, st.lists(thousandths, max_size=2))
def test_an_excuse_wins_until_it_is_taken_back(cell: Cell, overrides: list[Decimal]) -> None:
    entries = tuple(entry for entry in cell.entries if entry.kind in (Kind.AUTO, Kind.OVERRIDE))
    cell = replace(cell, entries=entries)
    excused = cell.then(excuse(cell.next_id))
    more, plain = excused, cell
    for points in overrides:
        more = more.then(override(more.next_id, points))
        plain = plain.then(override(more.next_id, points))
    assert more.grade.state is State.EXCUSED
    assert more.grade.points is None
    assert more.grade.worth is None
    back = more.then(revoke(more.next_id, excused.next_id - 1)).grade
    assert (back.state, back.points) == (plain.grade.state, plain.grade.points)


def test_a_result_that_staff_took_back_leaves_no_result_rather_than_a_zero() -> None:
    assert Cell((auto(1, 8), revoke(2, 1))).grade.state is State.NO_RESULT
    assert Cell((auto(1, 6), auto(2, 8), revoke(3, 2))).grade.points == 6


# -- faults


@given(assignment_cells, st.lists(st.booleans(), min_size=1, max_size=3))
def test_a_fault_never_costs_anything(cell: Cell, graded: list[bool]) -> None:
    """Neither a submission without a result nor one that was given back takes away points, or makes a zero."""
    before = cell.grade
    after = cell
    for number, also_graded in enumerate(graded, start=20):
        more = after.unsettled
        if also_graded:
            after = after.then(auto(after.next_id, 0, attempt=number, at=DUE + timedelta(days=30)))
            more = replace(more, returned=more.returned | {100 + number})
        else:
            more = replace(more, without_result=more.without_result + 1)
        after = replace(after, unsettled=more)
    assert after.grade.points == before.points
    if before.points is None:
        assert after.grade.worth is None
        assert after.grade.state in (State.NO_RESULT, State.WAITING, State.EXCUSED)


# -- release


@given(cells)
def test_students_see_nothing_of_what_is_not_released(cell: Cell) -> None:
    """Two cells that differ only in their points look the same as long as they are hidden."""
    others = [without_points(entry) for entry in cell.entries]
    hidden = replace(cell, released=False)
    other = replace(hidden, entries=tuple(others))
    assert seen_by_student(hidden.grade) == seen_by_student(other.grade)
    assert seen_by_student(hidden.grade).points is None
    assert seen_by_student(replace(cell, released=True).grade) == replace(cell, released=True).grade


@given(cells)
def test_the_same_events_give_the_same_grade(cell: Cell) -> None:
    assert cell.grade == cell.grade
