"""Predictions become a grade."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from softmark.courses.late_policy import lateness
from softmark.gradebook.entries import Happening, Predicted
from softmark.gradebook.grade import Grade, State, Unsettled, seen_by_student
from tests.gradebook.cells import (
    DEADLINE,
    DUE,
    NOW,
    ZONE,
    Cell,
    excuse,
    lesson_cells,
    override,
    predicted,
    readings,
    revoke,
    thousandths,
)  # fmt: skip

DAY = timedelta(days=1)
OPEN_STILL = replace(DEADLINE, closes_at=NOW + DAY)


def graded(*entries: Happening, counts: str = "correctness", **of_cell: object) -> Grade:
    return Cell(entries, counts=counts, **of_cell).grade  # type: ignore[arg-type]


def all_four(share: Decimal | int | str = 1, **of_them: object) -> list[Predicted]:
    return [predicted(stop, share, stop=stop, **of_them) for stop in range(1, 5)]  # type: ignore[arg-type]


# -- what one earns


@pytest.mark.parametrize(
    ("entry", "completion", "correctness"),
    [
        (predicted(1, 1), 10, 10),
        (predicted(1, "0.5"), 10, 5),
        (predicted(1, 0), 10, 0),
        (predicted(1, 1, source="self"), 10, 10),
        (predicted(1, 0, source="ta"), 10, 0),
        (predicted(1, "0.5", source="ta"), 10, 5),
        (predicted(1, 0, answered=False), 0, 0),
        (predicted(1, "0.5", source="ta", answered=False), 5, 5),
    ],
)
def test_a_prediction_earns_its_part_or_its_share(
    entry: Predicted, completion: int, correctness: int
) -> None:
    entry = entry._replace(stops=1)
    assert graded(entry, counts="completion").points == completion
    assert graded(entry, counts="correctness").points == correctness


@pytest.mark.parametrize("counts", ["completion", "correctness"])
def test_a_text_counts_as_made_until_staff_mark_it(counts: str) -> None:
    text = predicted(1, 0, source="self", stops=1)
    marked = predicted(2, "0.25", source="ta", stops=1)
    assert graded(text, counts=counts).points == 10
    assert graded(text, marked, counts=counts).points == Decimal("2.5")
    assert graded(text, predicted(2, 0, source="ta", stops=1), counts=counts).points == 0
    assert graded(text, marked, revoke(3, 2), counts=counts).points == 10


def test_every_stop_is_the_same_part() -> None:
    thirds = [predicted(stop, 1, stop=stop, stops=3) for stop in (1, 2, 3)]
    assert graded(*thirds).points == 10
    assert graded(*thirds[:2], predicted(3, 0, stop=3, stops=3)).points == Decimal(20) / 3


def test_the_newest_mark_counts_and_taking_it_back_leaves_the_one_before() -> None:
    own, first, second = predicted(1, 0, stops=1), predicted(2, 1, stops=1), predicted(3, "0.5", stops=1)
    assert graded(own, first).points == 10
    assert graded(own, first, second).points == 5
    assert graded(own, first, second, revoke(4, 3)).points == 10


def test_what_was_taken_back_counts_no_more_whatever_its_marks() -> None:
    own, mark, other = (
        predicted(1, 1, stops=1),
        predicted(2, "0.5", source="ta", stops=1),
        predicted(9, 1, stops=1),
    )
    for entries in (
        (own, mark, revoke(3, 1)),
        (own, revoke(2, 1), mark._replace(id=3)),
        (own, revoke(2, 1), other),
    ):
        grade = graded(*entries)
        assert grade.points is None
        assert [(answer.taken_back, answer.points) for answer in grade.answers] == [(True, 0)]


@given(lesson_cells)
def test_completion_never_gives_less_than_correctness(cell: Cell) -> None:
    made, right = (replace(cell, counts=counts).grade for counts in ("completion", "correctness"))
    assert (made.state, made.released) == (right.state, right.released)
    if made.points is not None and right.points is not None:
        assert made.points >= right.points


@given(lesson_cells)
def test_points_are_the_exact_sum_of_what_each_keeps(cell: Cell) -> None:
    grade = cell.grade
    exact = Fraction(0)
    for answer in grade.answers:
        due = cell.deadline
        assert answer.late == lateness(due.due_at, due.late_policy, answer.received_at, ZONE)
        whole = Fraction(cell.points) / grade.stops
        its = [
            each
            for each in cell.entries
            if isinstance(each, Predicted) and each.prediction == answer.prediction
        ]
        no_rule = not answer.answered or any(each.source == "self" for each in its)
        by_rule = cell.counts == "correctness" and answer.source != "self"
        by_share = by_rule or (answer.source == "ta" and no_rule)
        gets = Fraction(answer.share) if by_share else Fraction(answer.answered)
        gets *= not answer.taken_back
        exact += whole * gets * Fraction(answer.late.percent_kept) / 100
        assert abs(Fraction(answer.points) - whole * gets * Fraction(answer.late.percent_kept) / 100) < 1e-20
    if grade.automatic is not None:
        assert abs(Fraction(grade.automatic) - exact) < Fraction(1, 10**20)
        assert 0 <= grade.automatic <= cell.points


@given(readings(kinds="quiz"), st.randoms(use_true_random=False))
def test_the_order_in_which_they_came_makes_no_difference(
    entries: tuple[Happening, ...], random: object
) -> None:
    shuffled = list(entries)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    renumbered = [entry._replace(id=id) for id, entry in enumerate(shuffled, 1)]
    assert graded(*renumbered) == graded(*entries)


@given(lesson_cells)
def test_what_misses_something_is_never_full_marks(cell: Cell) -> None:
    grade = cell.grade
    if grade.automatic is None:
        return
    lost = len(grade.answers) < grade.stops or any(answer.points < answer.part for answer in grade.answers)
    assert (grade.automatic < grade.max) == lost


# -- late


def test_each_prediction_loses_what_late_costs_at_its_own_instant() -> None:
    early, late = all_four()[:2], all_four(at=DUE + DAY)[2:]
    grade = graded(*early, *late)
    assert [answer.points for answer in grade.answers] == [Decimal("2.5")] * 2 + [Decimal("2.25")] * 2
    assert grade.points == Decimal("9.5")
    assert grade.is_late


def test_a_mark_by_staff_is_as_late_as_the_prediction() -> None:
    cell = graded(*all_four(0), predicted(9, 1, stop=2, source="ta", at=DUE))
    assert (cell.points, cell.is_late) == (Decimal("2.5"), False)


# -- states


@pytest.mark.parametrize(
    ("made", "of_cell", "state", "worth"),
    [
        (0, {"now": DUE}, State.NOT_DUE, None),
        (0, {"deadline": OPEN_STILL}, State.NOT_SUBMITTED, None),
        (0, {}, State.NOT_SUBMITTED, Decimal(0)),
        (2, {"now": DUE}, State.UNDER_WAY, None),
        (2, {"deadline": OPEN_STILL}, State.UNDER_WAY, None),
        (2, {"deadline": OPEN_STILL, "now": NOW + 2 * DAY}, State.GRADED, Decimal(5)),
        (2, {}, State.GRADED, Decimal(5)),  # due, and no end was set
        (4, {"now": DUE}, State.GRADED, Decimal(10)),
        (4, {"now": DUE, "released": False}, State.UNRELEASED, Decimal(10)),
        (2, {"now": DUE, "released": False}, State.UNDER_WAY, None),
    ],
)
def test_under_way_is_no_result_yet(
    made: int, of_cell: dict[str, object], state: State, worth: Decimal | None
) -> None:
    grade = graded(*all_four()[:made], **of_cell)  # type: ignore[arg-type]
    assert (grade.state, grade.worth) == (state, worth)
    assert (grade.points is None) == (made == 0)


LIMIT_IN_A_DAY, LIMIT_OVER = Unsettled(ends_at=NOW + DAY), Unsettled(ends_at=NOW)
CLOSED = replace(DEADLINE, closes_at=NOW - DAY)


@pytest.mark.parametrize(
    ("made", "of_cell", "state"),
    [
        (0, {"unsettled": LIMIT_OVER}, State.WAITING),
        (2, {"unsettled": LIMIT_OVER}, State.UNDER_WAY),
        (2, {"unsettled": LIMIT_IN_A_DAY, "deadline": OPEN_STILL}, State.UNDER_WAY),
        (
            0,
            {"unsettled": LIMIT_IN_A_DAY, "deadline": CLOSED},
            State.WAITING,
        ),  # its time ended with the lesson
        (2, {"unsettled": LIMIT_IN_A_DAY, "deadline": CLOSED}, State.UNDER_WAY),
    ],
)
def test_what_a_time_limit_left_is_waited_for_before_anything_is_in_a_total(
    made: int, of_cell: dict[str, object], state: State
) -> None:
    """Whoever should settle it may be away, or unable to: no zero comes of that."""
    grade = graded(*all_four()[:made], **of_cell)  # type: ignore[arg-type]
    assert (grade.state, grade.worth) == (state, None)


def test_by_hand_or_excused_it_is_settled_on_the_way_too() -> None:
    some = all_four()[:2]
    by_hand = graded(*some, override(9, 7), now=DUE)
    assert (by_hand.state, by_hand.worth, by_hand.automatic) == (State.GRADED, 7, 5)
    assert not by_hand.automatic_is_newer
    assert graded(*some, override(9, 7), predicted(10, stop=3), now=DUE).automatic_is_newer
    assert graded(*some, excuse(9), now=DUE).state is State.EXCUSED


def test_what_staff_took_back_earns_nothing_and_all_of_it_is_no_result() -> None:
    one_less = graded(*all_four(), revoke(9, 2))
    assert (one_less.points, one_less.state) == (Decimal("7.5"), State.GRADED)
    assert [answer.taken_back for answer in one_less.answers] == [False, True, False, False]
    nothing = graded(*all_four(), *(revoke(8 + id, id) for id in range(1, 5)))
    assert (nothing.state, nothing.worth) == (State.NO_RESULT, None)


@given(lesson_cells, thousandths)
def test_no_prediction_touches_an_override(cell: Cell, points: Decimal) -> None:
    by_hand = cell.then(override(cell.next_id, points))
    more = by_hand.then(predicted(by_hand.next_id, 1, stop=9))
    assert (more.grade.points, more.grade.overridden) == (by_hand.grade.points, by_hand.grade.overridden)


@given(lesson_cells)
def test_a_student_sees_no_prediction_of_what_is_hidden(cell: Cell) -> None:
    assume(cell.entries)
    seen = seen_by_student(replace(cell, released=False).grade)
    assert (seen.answers, seen.points, seen.worth) == ((), None, None)
