"""Vectors and matrices: cells or pasted, of the right shape or not at all, and the mistakes that have names."""

from __future__ import annotations

import time
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from softmark.lessons.questions import Invalid
from tests.lessons.answering import Question, key_of, number_like, question, settings_of, texts

SQUARE = question("matrix", [[1, 2], [3, 4]], shape=[2, 2])
WIDE = question("matrix", [[1, 2, 3], [4, 5, 6]], shape=[2, 3])
ROW = question("vector", [0.06, 0.47, 0.47], shape=3, atol=0.01, weights=True)
ONE = question("vector", [131_072], shape=1)


def values(asked: Question, *posted: str) -> list[list[float]]:
    return [[float(value) for value in row] for row in asked.read(*posted).values]


@pytest.mark.parametrize(
    "posted",
    [
        ["1", "2", "3", "4"],
        ["[[1, 2], [3, 4]]"],
        ["[[1,2],[3,4]]", "", "", ""],
        ["", "", "", "[[1,2],[3,4]]"],
        ["[[1, 2,], [3, 4],]"],
        ["[[1. 2.]\n [3. 4.]]"],  # as numpy prints it
        [" [ [ 1 , 2 ] , [ 3 , 4 ] ] "],
        ["1 2\n3 4"],
        ["1\t2\r\n3\t4\r\n"],  # from a spreadsheet
        ["1, 2; 3, 4"],
        ["1 2\n3 4", "", "", ""],
        ["\uff11", "\N{EN DASH}-2".replace("\N{EN DASH}-", "+"), "6/2", "0.4e1"],
    ],
)
def test_ways_to_give_a_matrix(posted: list[str]) -> None:
    assert values(SQUARE, *posted) == [[1, 2], [3, 4]]
    assert SQUARE.mark(*posted).right


@pytest.mark.parametrize(
    "posted",
    [
        ["0.06", "0.47", "0.47"],
        ["[0.06, 0.47, 0.47]"],
        ["[0.06 0.47  0.47]"],
        ["0.06, 0.47, 0.47"],
        ["0.06 0.47 0.47", "", ""],
    ],
)
def test_ways_to_give_a_vector(posted: list[str]) -> None:
    assert values(ROW, *posted) == [[0.06, 0.47, 0.47]]


def test_a_matrix_is_read_row_by_row() -> None:
    assert values(WIDE, "1", "2", "3", "4", "5", "6") == [[1, 2, 3], [4, 5, 6]]


def test_spaces_within_a_number() -> None:
    assert values(ONE, "131 072") == [[131_072]]
    assert values(ONE, "[131 072,]") == [[131_072]]
    pair = question("vector", [1000, 2], shape=2)
    assert values(pair, "1 000", "2") == [[1000, 2]]
    assert values(pair, "1000, 2,", "") == [[1000, 2]]
    assert values(pair, "", "1\t200") == [[1, 200]], "two cells of a spreadsheet"
    for one_number in ("1 000", "- 5", "3/ 2", "3 /2"):
        with pytest.raises(Invalid, match="Number 2: Nothing is typed"):
            pair.read(one_number, "")
    assert values(pair, "[1\u202f000 2]") == [[1000, 2]]
    assert values(pair, "[1,000, 2]".replace(",000", "000")) == [[1000, 2]]


@pytest.mark.parametrize(
    ("asked", "posted", "told"),
    [
        (SQUARE, [], "Nothing is typed yet: 2 rows of 2 are asked for"),
        (SQUARE, ["", " ", "\n", ""], "Nothing is typed yet"),
        (SQUARE, ["1", "2", "", "4"], "^Row 2, column 1: Nothing is typed"),
        (SQUARE, ["1", "2", "x", "4"], "^Row 2, column 1: “x” is not a number"),
        (SQUARE, ["1", "2", "3", "3,145"], "Row 2, column 2: .* two ways"),
        (SQUARE, ["[[1,2],[3]]"], "Row 1 has 2 numbers and row 2 has 1: 2 rows of 2"),
        (SQUARE, ["[[1,2,3],[4,5,6]]"], "You typed 2 rows of 3; 2 rows of 2"),
        (SQUARE, ["[[1,2]]"], "You typed 1 row of 2; 2 rows of 2"),
        (SQUARE, ["[1,2,3,4]"], "row by row in square brackets"),
        (SQUARE, ["[[1,2],[3,4]"], "row by row in square brackets"),
        (SQUARE, ["[1,2],[3,4]]"], "row by row in square brackets"),
        (SQUARE, ["[[1,2],,[3,4]]"], "row by row in square brackets"),
        (SQUARE, ["[[1,2],[3,4]] 5"], "row by row in square brackets"),
        (SQUARE, ["[[1,2],[3,4]]]"], "row by row in square brackets"),
        (SQUARE, ["[[[1,2]],[[3,4]]]"], "row by row in square brackets"),
        (SQUARE, ["1 2 [3 4]"], "row by row in square brackets"),
        (SQUARE, ["["], "row by row in square brackets"),
        (SQUARE, ["[]"], "You typed 0 rows of 0"),
        (SQUARE, ["[[],[]]"], "You typed 2 rows of 0"),
        (SQUARE, ["[[1,,2],[3,4]]"], "Row 1 has 3 numbers"),
        (SQUARE, ["[[1,],[3,4]]"], "Row 1 has 1 number and row 2 has 2"),
        (SQUARE, ["[[,1],[3,4]]"], "Row 1, column 1: Nothing"),
        (SQUARE, ["5"], "You typed 1 row of 1"),
        (SQUARE, ["1", "2", "3"], "3 numbers came"),
        (SQUARE, ["1"] * 10_000, "10,000 numbers came; 2 rows of 2"),
        (SQUARE, ["[" + ", ".join(["[1, 2]"] * 5_000) + "]"], "too long"),
        (SQUARE, ["1 " * 4_900], "You typed 1 row of 4900"),
        (SQUARE, ["[[1,2],[3,4]]", "[[1,2],[3,4]]", "", ""], "Row 1, column 1"),
        (ROW, ["[[0.06, 0.47, 0.47]]"], "one pair of square brackets"),
        (ROW, ["[0.06, 0.47]"], "You typed a row of 2 numbers; a row of 3 numbers is asked for"),
        (ROW, ["0.06\n0.47\n0.47"], "You typed 3 rows of 1; a row of 3 numbers"),
        (ROW, ["3,145,2"], "thousands without commas|You typed"),
        (ROW, ["1", "2", "\0"], "Number 3: "),
        (ROW, ["1", "2", "\ud800"], "Number 3: "),
        (ROW, ["1", "2", "9" * 5_000], "Number 3: That is 5,000 characters long"),
    ],
)
def test_what_cannot_be_taken_says_what_to_type(asked: Question, posted: list[str], told: str) -> None:
    with pytest.raises(Invalid, match=told) as invalid:
        asked.read(*posted)
    str(invalid.value).encode()


@given(st.lists(texts | number_like, max_size=5), st.sampled_from([SQUARE, WIDE, ROW, ONE]))
def test_reading_raises_nothing_but_invalid(posted: list[str], asked: Question) -> None:
    try:
        answer = asked.read(*posted)
    except Invalid as invalid:
        str(invalid).encode()
    else:
        assert (len(answer.cells), len(answer.cells[0])) == asked.settings.shape


def test_nothing_takes_long() -> None:
    started = time.process_time()
    for text in (
        "[" * 9_999,
        "[ " * 4_999,
        "[" + " " * 9_990 + "]",
        "[[1]" + " " * 9_900 + "x",
        " ," * 4_999,
    ):
        for asked in (SQUARE, ROW):
            with pytest.raises(Invalid):
                asked.read(text)
    assert time.process_time() - started < 1


def test_all_or_nothing_or_per_cell() -> None:
    per_cell = question("matrix", [[1, 2], [3, 4]], shape=[2, 2], per_cell=True)
    for asked, share in ((SQUARE, 0), (per_cell, Fraction(3, 4))):
        assert asked.mark("1", "2", "3", "5").share == share
        assert not asked.mark("1", "2", "3", "5").right
        assert asked.mark("1", "2", "3", "4").share == 1
        assert asked.mark("0", "0", "0", "0").share == 0
    right = per_cell.type.cells_right(  # type: ignore[attr-defined]
        per_cell.read("1", "2", "3", "5"), per_cell.key, per_cell.settings
    )
    assert right == [[True, True], [True, False]]


@given(st.lists(st.integers(0, 3), min_size=4, max_size=4), st.integers(0, 3))
def test_another_right_cell_never_earns_less(cells: list[int], place: int) -> None:
    asked = question("matrix", [[0, 1], [2, 3]], shape=[2, 2], per_cell=True)
    better = [*cells[:place], place, *cells[place + 1 :]]
    before, after = (asked.mark(*map(str, typed)).share for typed in (cells, better))
    assert 0 <= before <= after <= 1


def test_a_transpose_is_named() -> None:
    assert SQUARE.mark("1", "3", "2", "4").error == "transposed"
    assert SQUARE.mark("1", "3", "2", "4").share == 0
    assert SQUARE.mark("1", "2", "3", "4").error is None
    assert SQUARE.mark("1", "3", "2", "5").error is None
    symmetric = question("matrix", [[1, 2], [2, 4]], shape=[2, 2])
    assert symmetric.mark("1", "2", "2", "4").right
    assert symmetric.mark("1", "2", "2", "4").error is None


def test_a_transpose_is_named_within_the_tolerance() -> None:
    asked = question("matrix", [[1, 2], [3, 4]], shape=[2, 2], atol=0.1)
    assert asked.mark("1.05", "2.95", "2", "4").error == "transposed"


def test_weights_that_do_not_sum_to_one_are_named() -> None:
    assert ROW.mark("0", "4", "4").error == "rows-do-not-sum-to-1"
    assert ROW.mark("0.1", "0.5", "0.4").error is None  # wrong, but they sum to 1
    assert ROW.mark("0.33", "0.33", "0.33").error is None  # rounded
    assert ROW.mark("0.32", "0.33", "0.33").error is None  # each may be off by 0.01
    assert ROW.mark("0.31", "0.33", "0.32").error == "rows-do-not-sum-to-1"
    assert ROW.mark("0.06", "0.47", "0.47").right
    without = question("vector", [0.06, 0.47, 0.47], shape=3, atol=0.01)
    assert without.mark("0", "4", "4").error is None
    one_row = question("matrix", [[1, 0], [0.5, 0.5]], shape=[2, 2], weights=True)
    assert one_row.mark("1", "0", "0.5", "0.75").error == "rows-do-not-sum-to-1"
    assert one_row.mark("1", "0.5", "0", "0.5").error == "transposed"  # says more


def test_a_mistake_may_sum_to_anything_and_says_more() -> None:
    for type, answer, raw in [
        ("vector", [0.12, 0.12, 0], {"shape": 3}),
        ("matrix", [[1, 0], [0.12, 0.12]], {"shape": [2, 2]}),
    ]:
        settings, _ = settings_of(type, atol=0.01, weights=True, **raw)
        assert settings is not None
        assert key_of(type, settings, answer)[0] is None
        right = [0.5, 0.5, 0] if type == "vector" else [[1, 0], [0.5, 0.5]]
        asked = question(type, right, atol=0.01, weights=True, **raw)
        posted = str(answer)
        assert asked.mark(posted).error == "rows-do-not-sum-to-1"
        masked = asked.type.mistake(answer, settings)
        assert asked.mark(posted, mistakes={"masked-after-softmax": masked}).error == "masked-after-softmax"


@pytest.mark.parametrize("answer", [[0, 2], [0, 0]])
def test_a_mistake_may_hold_0_where_the_answer_may_not(answer: list[int]) -> None:
    asked = question("vector", [1, 2], shape=2, rtol=0.01)
    assert key_of("vector", asked.settings, answer)[0] is None
    mistake = asked.type.mistake(answer, asked.settings)
    assert asked.mark(str(answer), mistakes={"nothing": mistake}).error == "nothing"


def test_a_mistake_that_nobody_could_answer() -> None:
    asked = question("vector", [1, 2], shape=2)
    for answer in ([1], [1, "x"], [1, 0.12345678], 7, None):
        assert asked.type.mistake(answer, asked.settings) is None


def test_which_errors_there_are() -> None:
    assert SQUARE.type.errors(SQUARE.settings) == {"transposed"}
    assert WIDE.type.errors(WIDE.settings) == set()
    assert ROW.type.errors(ROW.settings) == {"rows-do-not-sum-to-1"}
    assert ONE.type.errors(ONE.settings) == set()
    one_cell = question("matrix", [[1]], shape=[1, 1])
    assert one_cell.type.errors(one_cell.settings) == set()


@pytest.mark.parametrize(
    ("type", "raw"),
    [
        ("vector", {}),
        ("vector", {"shape": 0}),
        ("vector", {"shape": True}),
        ("vector", {"shape": 13}),
        ("vector", {"shape": [2, 2]}),
        ("vector", {"shape": "3"}),
        ("matrix", {"shape": 4}),
        ("matrix", {"shape": [2]}),
        ("matrix", {"shape": [2, 0]}),
        ("matrix", {"shape": [2, True]}),
        ("matrix", {"shape": [100, 100]}),
    ],
)
def test_a_shape_that_is_none(type: str, raw: dict[str, Any]) -> None:
    settings, told = settings_of(type, **raw)
    assert settings is None
    assert [sentence for sentence in told if '"shape"' in sentence] == told


def test_everything_wrong_with_the_settings_is_told() -> None:
    settings, told = settings_of("matrix", shape="?", atol="?", per_cell="yes", weights=1)
    assert settings is None
    assert [sentence.split('"')[1] for sentence in told] == ["shape", "atol", "per_cell", "weights"]


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (None, "list of rows"),
        ([1, 2, 3, 4], "list of rows"),
        ([[1, 2], [3, "x"]], "list of rows"),
        ([[1, 2], [3, float("nan")]], "list of rows"),
        ([[1, 2], [3]], "unequal length"),
        ([[1, 2, 3], [4, 5, 6]], "The answer is 2 rows of 3; the shape says 2 rows of 2"),
        ([[1, 2]], "The answer is 1 row of 2"),
        ([], "list of rows|unequal"),
        ([[0.1234567, 1], [2, 3]], '"atol" or "rtol"'),
    ],
)
def test_a_key_that_does_not_fit(answer: Any, told: str) -> None:
    key, sentences = key_of("matrix", SQUARE.settings, answer)
    assert key is None
    assert len(sentences) == 1
    assert any(word in sentences[0] for word in told.split("|"))


def test_a_key_at_odds_with_its_settings() -> None:
    relative, _ = settings_of("vector", shape=2, rtol=0.1)
    assert "can be 0" in key_of("vector", relative, [0, 1])[1][0]
    weights, _ = settings_of("vector", shape=2, weights=True)
    assert "sums to 1" in key_of("vector", weights, [1, 1])[1][0]
    assert key_of("vector", weights, [0.25, 0.75])[0] is not None


@given(st.lists(st.floats(-1e6, 1e6).map(lambda number: round(number, 9)), min_size=3, max_size=3))
def test_what_is_shown_of_a_right_answer_is_right(numbers: list[float]) -> None:
    row = question("vector", numbers, shape=3, atol=0.001)
    assert row.mark(row.type.show_key(row.key, row.settings)).right
    square = question("matrix", [numbers, numbers], shape=[2, 3], atol=0.001)
    assert square.mark(square.type.show_key(square.key, square.settings)).right


def test_what_was_typed_is_kept() -> None:
    answer = SQUARE.read("[[1, 4/2], [3, \N{MINUS SIGN}4]]")
    assert SQUARE.type.show_response(answer, SQUARE.settings) == "[[1, 4/2], [3, \N{MINUS SIGN}4]]"
    assert SQUARE.type.response_to_json(answer) == {
        "raw": [["1", "4/2"], ["3", "\N{MINUS SIGN}4"]],
        "values": [[1, 2], [3, -4]],
    }
    assert ROW.type.show_key(ROW.key, ROW.settings) == "[0.06, 0.47, 0.47]"
    assert SQUARE.key.numbers == (1, 2, 3, 4)
