"""Grades in words."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import pytest
from hypothesis import given

from softmark.courses.late_policy import LatePolicy
from softmark.gradebook.arithmetic import lines, total_line
from softmark.gradebook.grade import Unsettled, seen_by_student
from softmark.gradebook.totals import total
from tests.gradebook.cells import (
    DEADLINE,
    DUE,
    Cell,
    auto,
    cells,
    excuse,
    given_back,
    override,
    predicted,
    revoke,
)

HOURS = timedelta(hours=1)
FREE = replace(DEADLINE, late_policy=LatePolicy())
STRICT = replace(DEADLINE, late_policy=LatePolicy(0, Decimal(10), Decimal(75)))


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        (Cell((auto(1, 9, attempt=3),)), ["Attempt 3: 9 of 10"]),
        (Cell((auto(1, 45, of=50),)), ["Attempt 1: 45 of 50, which is 9 of 10"]),
        (
            Cell((auto(1, 9, at=DUE + 2 * HOURS),)),
            ["Attempt 1: 9 of 10", "+2 h late, grace 15 min, −10 %: 9 → 8.1"],
        ),
        (
            Cell((auto(1, 9, at=DUE + timedelta(minutes=15, seconds=30)),)),
            ["Attempt 1: 9 of 10", "+15 min late, within the grace of 15 min: nothing is lost"],
        ),
        (
            Cell((auto(1, 10, at=DUE + 50 * HOURS),)),
            ["Attempt 1: 10 of 10", "+2 d 2 h late, grace 15 min, −30 % (3 days begun, 10 % each): 10 → 7"],
        ),
        (
            Cell((auto(1, 10, at=DUE + 70 * HOURS),), deadline=STRICT),
            ["Attempt 1: 10 of 10", "+2 d 22 h late, −25 % (at least 75 % are kept): 10 → 7.5"],
        ),
        (
            Cell((auto(1, 10, at=DUE + HOURS),), deadline=FREE),
            ["Attempt 1: 10 of 10", "+1 h late: late costs nothing here"],
        ),
        (
            Cell((auto(1, 6), auto(2, 8, attempt=2), auto(3, 9, attempt=3)), unsettled=given_back(3)),
            ["Attempt 2: 8 of 10", "The best of 2 graded attempts, after what late costs."],
        ),
        (
            Cell((override(1, 7), auto(2, 9))),
            [
                "Set by hand: 7 of 10.",
                "The automatic grade beside it, from a run that came after: 9 of 10.",
                "Attempt 1: 9 of 10",
            ],
        ),
        (Cell((override(1, 7),)), ["Set by hand: 7 of 10."]),
        (Cell((auto(1, 9), excuse(2))), ["Excused: in no total."]),
        (Cell(), ["Nothing was handed in: 0 of 10 in the total."]),
        (Cell(now=DUE), ["Nothing was handed in yet: not in the total."]),
        (
            Cell(
                (
                    predicted(1),
                    predicted(2, 0, stop=2, at=DUE + 2 * HOURS),
                    predicted(3, "0.5", stop=3, at=DUE + 2 * HOURS),
                    predicted(4, stop=4, source="self"),
                ),
                counts="correctness",
            ),
            [
                "Predictions count for being right.",
                "Prediction 1, right: 2.5 of 2.5",
                "Prediction 2, not right: 0 of 2.5",
                "Prediction 3, partly right: 1.25 of 2.5",
                "+2 h late, grace 15 min, −10 %: 1.25 → 1.13",
                "Prediction 4, not marked by staff yet, so it counts as made: 2.5 of 2.5",
            ],
        ),
        (
            Cell(
                (predicted(1, 0), predicted(2, 0, stop=2, answered=False)), now=DUE, counts="completion"
            ),
            [
                "Predictions count for being made.",
                "Prediction 1, made: 2.5 of 2.5",
                "Prediction 2, no answer: 0 of 2.5",
                "2 of 4 predictions so far: not in the total yet.",
            ],
        ),
        (
            Cell(
                (predicted(1), predicted(2, 0, source="ta"), predicted(3, stop=2), revoke(4, 3)),
                counts="correctness",
            ),
            [
                "Predictions count for being right.",
                "Prediction 1, marked by staff: 0 of 2.5",
                "Prediction 2, taken back: 0 of 2.5",
                "2 of 4 predictions: the others earn nothing.",
            ],
        ),
        (Cell(counts="completion"), ["Nothing was predicted: 0 of 10 in the total."]),
        (Cell(unsettled=Unsettled(waiting=1)), ["Handed in, and being graded: not in the total yet."]),
        (
            Cell(unsettled=Unsettled(without_result=1)),
            ["Handed in, but there is no result that counts. In no total; staff look into it."],
        ),
    ],
)  # fmt: skip
def test_a_grade_opens_into_its_arithmetic(cell: Cell, said: list[str]) -> None:
    assert lines(cell.grade) == said


@given(cells)
def test_every_grade_has_its_arithmetic(cell: Cell) -> None:
    assert lines(cell.grade)
    assert all(line for line in lines(seen_by_student(cell.grade)))


@given(cells)
def test_the_words_of_what_is_hidden_say_no_number(cell: Cell) -> None:
    said = lines(seen_by_student(replace(cell, released=False).grade))
    assert len(said) == 1
    assert not any(character.isdigit() for character in said[0])


def test_totals_in_words() -> None:
    assert total_line(total([])) == "Nothing has come to a result yet."
    assert total_line(total([Cell((auto(1, 8),)).grade])) == "8 of 10 over 1 item"
