"""Numbers: what people type is read, what could mean two things is not, and nothing takes long."""

from __future__ import annotations

import math
import time
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from softmark.lessons.questions import Invalid
from softmark.lessons.questions.numerals import (
    LARGEST,
    MOST,
    exact,
    number_from_json,
    number_to_json,
    read_number,
    shown_number,
)
from tests.lessons.answering import HOSTILE, key_of, number_like, question, settings_of, texts

numbers = st.floats(-1e299, 1e299).filter(lambda number: abs(number) > 1e-299) | st.integers(
    -(10**18), 10**18
)
fractions = st.fractions() | numbers.map(exact)
small = st.fractions(-100, 100, max_denominator=1_000)
tolerances = st.decimals(0, Decimal("0.999"), places=3).map(str)


@pytest.mark.parametrize(
    ("typed", "value"),
    [
        ("3", 3),
        ("  3\t", 3),
        ("+3", 3),
        ("-3", -3),
        ("- 3", -3),
        ("\N{MINUS SIGN}3.5", Fraction(-7, 2)),
        ("\N{EN DASH}3", -3),
        ("\N{FULLWIDTH HYPHEN-MINUS}3", -3),
        (".5", Fraction(1, 2)),
        ("5.", 5),
        ("0.1", Fraction(1, 10)),
        ("007", 7),
        ("1e3", 1000),
        ("1E+3", 1000),
        ("2.5e-3", Fraction(1, 400)),
        ("1e0000000002", 100),
        ("0e999999999", 0),
        ("-0", 0),
        ("3/2", Fraction(3, 2)),
        ("3 / 2", Fraction(3, 2)),
        ("-3/2", Fraction(-3, 2)),
        ("3/-2", Fraction(-3, 2)),
        ("0.5/2", Fraction(1, 4)),
        ("131 072", 131_072),
        ("131\N{NARROW NO-BREAK SPACE}072", 131_072),
        ("131\N{THIN SPACE}072", 131_072),
        ("1\N{NO-BREAK SPACE}000\N{NO-BREAK SPACE}000.5", Fraction(2_000_001, 2)),
        ("\uff13\uff0e\uff11\uff14", Fraction(157, 50)),  # full width
        ("\u0664\u0662", 42),  # Arabic-Indic
        ("\u200b4\ufeff", 4),  # invisible, from the clipboard
        ("1e300", LARGEST),
        ("1e-300", 1 / LARGEST),
    ],
)
def test_what_people_type(typed: str, value: Any) -> None:
    read = read_number(typed)
    assert read.value == value
    assert read.raw == typed.strip()


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("", "Nothing is typed"),
        (" \u202f ", "Nothing is typed"),
        ("3,145", "type 3145 for the whole number, or 3.145 with"),
        ("\N{MINUS SIGN}3,145", "type -3145 for the whole number, or -3.145 with"),
        ("1,234,567", "thousands without commas"),
        ("1,234.5", "thousands without commas"),
        ("0,5", "decimals with a point"),
        ("47 %", "without a percent sign"),
        ("47\uff05", "without a percent sign"),
        ("1/0", "divides by 0"),
        ("0/0", "divides by 0"),
        ("2/3/4", "divided twice"),
        ("2//4", "divided twice"),
        ("3/", "is not a number"),
        ("1e400", "too large"),
        ("-1e400", "too large"),
        ("1e301", "too large"),
        ("11e299/0.1", "too large"),
        ("1e-400", "too close to 0"),
        ("1e-999999999", "too close to 0"),
        ("1e-300/2", "too close to 0"),
        ("1e99999", "too large"),
        ("1 1/2", "is not a number"),
        ("13 1072", "is not a number"),
        ("1 00", "is not a number"),
        ("1.2.3", "is not a number"),
        ("--3", "is not a number"),
        (".", "is not a number"),
        ("e5", "is not a number"),
        ("1e", "is not a number"),
        ("1e2.5", "is not a number"),
        ("10\u00b2", "is not a number"),  # ten squared, not a hundred and two
        ("\u00bd", "is not a number"),
        ("NaN", "is not a number"),
        ("inf", "is not a number"),
        ("\N{INFINITY}", "is not a number"),
        ("0x1f", "is not a number"),
        ("1_000", "is not a number"),
        ("131\x1f072", "is not a number"),
        ("two", "is not a number"),
        ("\N{GRINNING FACE}", "is not a number"),
        ("<b>3</b>", "is not a number"),
        ("3\0", "is not a number"),
        ("3\ud800", "is not a number"),
        ("9" * 65, "65 characters long"),
        ("9" * 5_000, "5,000 characters long"),
    ],
)
def test_what_cannot_be_taken_says_what_to_type(typed: str, told: str) -> None:
    with pytest.raises(Invalid, match=told) as invalid:
        read_number(typed)
    str(invalid.value).encode()  # it can be sent
    assert "\0" not in str(invalid.value)


def test_the_longest_number_there_is() -> None:
    assert read_number("9" * MOST).value == int("9" * MOST)


def test_nothing_takes_long() -> None:
    started = time.process_time()
    for typed in (*HOSTILE, "1" + "0" * 62 + "e", "9 " * 32, "1 000" * 12, "9" * 60 + "e299", "-" * 64):
        for text in (typed, typed * 3, typed[:100] * 10_000):
            try:
                read_number(text)
            except Invalid:
                pass
    assert time.process_time() - started < 2


@given(texts | number_like)
def test_reading_raises_nothing_but_invalid(text: str) -> None:
    try:
        value = read_number(text).value
    except Invalid as invalid:
        str(invalid).encode()
    else:
        assert value == 0 or 1 / LARGEST <= abs(value) <= LARGEST


@given(st.decimals(-10, 10, places=5))
def test_a_decimal_is_read_exactly(number: Decimal) -> None:
    assert read_number(str(number)).value == Fraction(number)


@given(fractions)
def test_json_loses_nothing(value: Fraction) -> None:
    kept = number_to_json(value)
    assert number_from_json(kept) == value
    if isinstance(kept, float):  # PostgreSQL hands a whole one back as an integer
        assert number_from_json(int(Decimal(repr(kept))) if kept.is_integer() else kept) == value


def test_json_is_plain() -> None:
    assert number_to_json(Fraction(3)) == 3
    assert number_to_json(Fraction(1, 10)) == 0.1
    assert number_to_json(Fraction(1, 3)) == "1/3"
    assert type(number_to_json(Fraction(3))) is int


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (4.0, "4"),
        (0, "0"),
        (0.5, "0.5"),
        (0.468310530833, "0.47"),
        (0.5004, "0.50"),
        (0.06337893, "0.06"),
        (0.005, "0.01"),
        (0.004, "0.004"),
        (0.00413, "0.0041"),
        (0.0009765625, "0.00098"),
        (0.000996, "0.00100"),
        (-0.25, "\N{MINUS SIGN}0.25"),
        (2.675, "2.68"),
        (9_999, "9999"),
        (131_072, "131\u202f072"),
        (1e-7, "1e-7"),
        (1.2345e20, "1.23e20"),
        (Fraction(1, 3), "0.33"),
    ],
)
def test_how_numbers_are_shown(value: Any, shown: str) -> None:
    assert shown_number(value) == shown


@pytest.mark.parametrize("value", [math.inf, math.nan, 1e301, 1e-301, 10**301])
def test_a_number_that_nobody_could_type_is_not_shown(value: float) -> None:
    with pytest.raises(ValueError, match="cannot be shown"):
        shown_number(value)


def test_a_shown_number_is_as_close_as_it_must_be() -> None:
    assert shown_number(0.46831, Fraction(1, 100)) == "0.47"
    assert shown_number(0.46831, Fraction(1, 1000)) == "0.468"
    assert shown_number(0.46831, Fraction(0)) == "0.46831"
    assert shown_number(Fraction(1, 3), Fraction(0)) == "1/3"
    assert shown_number(Fraction(-1, 3), Fraction(0)) == "\N{MINUS SIGN}1/3"
    assert shown_number(10**19 + 1, Fraction(0)) == "10000000000000000001"
    assert shown_number(-(10**19) - 1, Fraction(0)) == "\N{MINUS SIGN}10000000000000000001"


@pytest.mark.parametrize(
    ("key", "rtol", "shown"),
    [
        ("1/1024", 0.05, "1/1024 ≈ 0.00098"),
        (" 3/2 ", 0, "3/2 = 1.5"),
        ("-1/3", 0.01, "\N{MINUS SIGN}1/3 ≈ \N{MINUS SIGN}0.33"),
        ("1/3", 0, "1/3"),
        (0.0009765625, 0.05, "0.00098"),
        ("1e-3", 0.05, "0.001"),
    ],
)
def test_a_key_that_is_written_as_a_fraction_is_shown_as_one(key: Any, rtol: float, shown: str) -> None:
    asked = question("number", key, rtol=rtol)
    kept = asked.type.key_from_json(asked.type.key_to_json(asked.key))
    assert kept == asked.key
    assert asked.type.show_key(kept, asked.settings) == shown
    assert asked.type.fill_in(kept, asked.settings) == shown.split(" ")[-1]  # a formula takes one number


@given(numbers, tolerances, tolerances)
def test_what_is_shown_of_a_right_answer_is_right(number: float, atol: str, rtol: str) -> None:
    settings, _ = settings_of("number", atol=atol, rtol=rtol)
    key, _ = key_of("number", settings, number)
    if key is None:
        return
    asked = question("number", number, atol=atol, rtol=rtol)
    assert asked.mark(asked.type.show_key(key, settings)).right


@given(small, small, small, tolerances, tolerances)
def test_closer_is_never_worse(t: Fraction, one: Fraction, other: Fraction, atol: str, rtol: str) -> None:
    asked = question("number", str(t), atol=float(atol) + 0.001, rtol=rtol)
    near, far = sorted((one, other), key=lambda s: abs(s - t))
    assert asked.mark(str(near)).share >= asked.mark(str(far)).share
    assert asked.mark(str(t)).right


@given(small, small, tolerances, tolerances)
def test_the_rule(s: Fraction, t: Fraction, atol: str, rtol: str) -> None:
    settings, _ = settings_of("number", atol=atol, rtol=rtol)
    allowed = max(Fraction(atol), Fraction(rtol) * abs(t))
    assert settings.tolerance.holds(s, t) == (abs(s - t) <= allowed)


def test_the_edge_of_a_tolerance_is_right_in_the_decimals_typed() -> None:
    """In binary floating point 0.47 - 0.46 is more than 0.01."""
    asked = question("number", 0.47, atol=0.01)
    assert [asked.mark(typed).right for typed in ("0.46", "0.48", "0.459", "0.481")] == [
        True,
        True,
        False,
        False,
    ]
    assert asked.mark("0.459").share == 0
    relative = question("number", -200, rtol=0.05)
    assert [relative.mark(typed).right for typed in ("-190", "-210", "-189.9", "190")] == [
        True,
        True,
        False,
        False,
    ]


def test_the_larger_tolerance_counts() -> None:
    asked = question("number", 100, atol=1, rtol=0.05)
    assert asked.mark("95").right
    assert not asked.mark("94").right
    assert question("number", 10, atol=1, rtol=0.05).mark("9").right


def test_without_a_tolerance_only_the_number_itself_is_right() -> None:
    asked = question("number", 53_248)
    assert asked.mark("53 248").right
    assert not asked.mark("53247.9").right


@pytest.mark.parametrize(
    "answer", [None, True, "four", [4], float("nan"), float("inf"), 10**400, 1e305, 1e-305, "1,5", {}]
)
def test_a_key_that_is_no_number(answer: Any) -> None:
    settings, _ = settings_of("number", atol=0.1)
    key, told = key_of("number", settings, answer)
    assert key is None
    assert told == ["The answer of a number question must be one finite number."]


def test_a_key_as_text() -> None:
    assert question("number", "3/2").mark("1.5").right
    assert question("number", "1e3").mark("1000").right


def test_a_relative_tolerance_alone_at_zero() -> None:
    settings, _ = settings_of("number", rtol=0.01)
    key, told = key_of("number", settings, 0.0)
    assert key is None
    assert "can be 0" in told[0]
    both, _ = settings_of("number", rtol=0.01, atol=0.01)
    assert key_of("number", both, 0)[0] is not None
    assert key_of("number", settings, 0.5)[0] is not None


def test_a_key_that_nobody_types_exactly() -> None:
    exactly, _ = settings_of("number")
    key, told = key_of("number", exactly, 0.468310530833)
    assert key is None
    assert '"atol" or "rtol"' in told[0]
    for typeable in (0.4683, 0.468310, 262_144_000_000_000_000, "1/3", -2.5):
        assert key_of("number", exactly, typeable)[0] is not None, typeable
    assert key_of("number", settings_of("number", rtol=0.01)[0], 0.468310530833)[0] is not None


@pytest.mark.parametrize(
    ("raw", "wrong"),
    [
        ({"atol": -1}, ["atol"]),
        ({"atol": "much", "rtol": True}, ["atol", "rtol"]),
        ({"rtol": 1}, ["rtol"]),
        ({"atol": [1], "rtol": -0.5}, ["atol", "rtol"]),
        ({"atol": float("nan")}, ["atol"]),
    ],
)
def test_everything_wrong_with_the_settings_is_told(raw: dict[str, Any], wrong: list[str]) -> None:
    settings, told = settings_of("number", **raw)
    assert settings is None
    assert [sentence.split('"')[1] for sentence in told] == wrong


def test_a_mistake_is_named() -> None:
    asked = question("number", 2, atol=0.05)
    mistakes = {"same": asked.key, "not-scaled": key_of("number", asked.settings, 4)[0]}
    assert asked.mark("4", mistakes=mistakes).error == "not-scaled"
    assert asked.mark("4", mistakes=mistakes).share == 0
    assert asked.mark("2", mistakes=mistakes).error is None
    assert asked.mark("3", mistakes=mistakes).error is None


def test_a_mistake_of_0_where_the_answer_cannot_be_0() -> None:
    asked = question("number", 2, rtol=0.05)
    mistakes = {"nothing": asked.type.mistake(0, asked.settings)}
    assert asked.mark("0", mistakes=mistakes).error == "nothing"
    exact = question("number", 2)
    assert exact.type.mistake(1 / 3, exact.settings) is None  # nobody types all its digits
    assert exact.type.mistake("x", exact.settings) is None


def test_a_reveal_for_one_number() -> None:
    asked = question("number", 2, atol=0.05)
    assert asked.type.understands("4", asked.settings)
    assert not asked.type.understands("four", asked.settings)
    assert asked.type.matches("4", asked.read("4.03"), asked.settings)
    assert not asked.type.matches("4", asked.read("4.1"), asked.settings)
    assert not asked.type.matches("four", asked.read("4"), asked.settings)


def test_what_was_typed_is_kept() -> None:
    asked = question("number", 1.5)
    answer = asked.read(" 3/2 ")
    assert asked.type.show_response(answer, asked.settings) == "3/2"
    assert asked.type.response_to_json(answer) == {"raw": "3/2", "value": 1.5}
    assert asked.key.numbers == (Fraction(3, 2),)


def test_one_answer_is_asked_for() -> None:
    asked = question("number", 2)
    for posted in ([], [""], ["1", "2"], ["2"] * 10_000):
        with pytest.raises(Invalid):
            asked.read(*posted)
