"""One option or several: under opaque ids, and picking everything earns nothing for free."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from softmark.lessons.questions import Invalid
from softmark.lessons.questions.offered import MOST, offered
from softmark.lessons.variants import seal_of
from tests.lessons.answering import SEAL, Question, key_of, posts, question, sealed, settings_of

OPTIONS = {
    "half": "It halves.",
    "same": "It stays *the same*.",
    "double": "It doubles.",
    "four": "It quadruples.",
}
ONE = question("choice", "double", options=OPTIONS)
TWO = question("choices", ["half", "double"], options=OPTIONS)

some_ids = st.sets(st.sampled_from(sorted(OPTIONS)), min_size=1)


def test_one_option_is_right() -> None:
    assert ONE.mark(*sealed("double")).right
    assert ONE.mark(*sealed("half")).share == 0
    assert ONE.mark(*sealed("half")).error is None


@pytest.mark.parametrize(
    ("picked", "share"),
    [
        (["half", "double"], 1),
        (["double", "half"], 1),
        (["half"], Fraction(1, 2)),
        (["half", "same"], 0),
        (["half", "double", "same"], Fraction(1, 2)),
        (["half", "double", "same", "four"], 0),
        (["same", "four"], 0),  # never below 0
    ],
)
def test_hits_less_false_picks(picked: list[str], share: Fraction) -> None:
    assert TWO.mark(*sealed(*picked)).share == share


@given(some_ids, some_ids)
def test_the_rule_of_choices(right: set[str], picked: set[str]) -> None:
    asked = question("choices", sorted(right), options=OPTIONS)
    mark = asked.mark(*sealed(*picked))
    assert mark.share == Fraction(max(0, len(picked & right) - len(picked - right)), len(right))
    assert mark.right == (picked == right)
    assert asked.mark(*sealed(*OPTIONS)).share <= max(0, 2 * len(right) - len(OPTIONS))


@pytest.mark.parametrize("asked", [ONE, TWO])
@pytest.mark.parametrize(
    ("posted", "told"),
    [
        ([], "Pick"),
        ([""], "Pick"),
        (["double"], "none of those"),  # an author's id
        (["0" * 32], "none of those"),
        ([seal_of(b"secret", "1:question:1")("double")], "none of those"),  # of another draw
        ([seal_of(b"another", "1:question:0")("double")], "none of those"),
        ([*sealed("double"), "forged"], "none of those"),
        ([*sealed("double"), ""], "none of those"),
        ([SEAL("double").upper()], "none of those"),
        (["x" * 1_000_000], "none of those"),
        (sealed("double", "double"), "twice"),
        (sealed("half", "same", "double", "four", "half"), "5 of them came, and there are 4"),
        (sealed("double") * 10_000, "10,000 of them came"),
    ],
)
def test_what_is_no_answer(asked: Question, posted: list[str], told: str) -> None:
    with pytest.raises(Invalid, match=told):
        asked.read(*posted)


def test_a_choice_is_one() -> None:
    with pytest.raises(Invalid, match="2 options came"):
        ONE.read(*sealed("half", "double"))


@given(posts)
def test_reading_raises_nothing_but_invalid(posted: list[str]) -> None:
    for asked in (ONE, TWO):
        with pytest.raises(Invalid):
            asked.read(*posted)


def test_the_order_of_writing_does_not_show() -> None:
    """Neither in the ids, nor in the order in which a draw shows its options."""
    named = ONE.settings.options
    orders = set()
    for draw in range(60):
        shown = offered(named, seal_of(b"secret", str(draw)))
        assert sorted(option.id for _, option in shown) == sorted(OPTIONS)
        orders.add(tuple(option.id for _, option in shown))
        assert not any(id in opaque for opaque, _ in shown for id in OPTIONS)
        assert offered(reversed(named), seal_of(b"secret", str(draw))) == shown
    assert len(orders) > 10
    assert len({order[0] for order in orders}) == len(OPTIONS)


def test_what_is_shown() -> None:
    assert ONE.type.show_response(ONE.read(*sealed("same")), ONE.settings) == "It stays *the same*."
    assert ONE.type.show_key(ONE.key, ONE.settings) == "It doubles."
    picked = TWO.read(*sealed("double", "half"))
    assert TWO.type.show_response(picked, TWO.settings) == "It halves. · It doubles."  # in the author's order
    assert TWO.type.show_key(TWO.key, TWO.settings) == "It halves. · It doubles."


def test_each_option_is_shown_by_itself_whatever_stands_in_it() -> None:
    options = {"right": "The score is q · k", "wrong": "The score is v · k", "sum": "The score is q + k"}
    asked = question("choices", ["right", "sum"], options=options)
    picked = asked.read(*sealed("wrong"))
    assert asked.type.response_texts(picked, asked.settings) == ("The score is v · k",)
    assert asked.type.key_texts(asked.key, asked.settings) == ("The score is q · k", "The score is q + k")


def test_a_reveal_for_one_option() -> None:
    for asked in (ONE, TWO):
        assert asked.type.understands("same", asked.settings)
        assert not asked.type.understands("third", asked.settings)
        assert asked.type.matches("same", asked.read(*sealed("same")), asked.settings)
        assert not asked.type.matches("half", asked.read(*sealed("same")), asked.settings)
    assert TWO.type.matches("half", TWO.read(*sealed("same", "half")), TWO.settings)


def test_options_that_are_their_own_ids() -> None:
    asked = question("choice", "a row", options=["a row", "a column"])
    assert asked.mark(*sealed("a row")).right


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (None, '"options" must hold 2 to 12'),
        ("yes, no", "must hold 2 to 12"),
        ({"yes": "Yes"}, "must hold 2 to 12"),
        ([str(number) for number in range(MOST + 1)], "must hold 2 to 12"),
        ({"Yes!": "Yes", "no": "No"}, "“Yes!” cannot be an id"),
        ({True: "Yes", "no": "No"}, "“True” cannot be an id"),
        ({"yes": 1, "no": "No"}, '"yes" of "options" must be text'),
        ({"yes": " ", "no": "No"}, '"yes" of "options" is empty'),
        ({"yes": "Yes\0", "no": "No"}, "control character"),
        ({"yes": "Y" * 201, "no": "No"}, "has 201 characters"),
        ([1, 2], 'Number 1 of "options" must be text'),
        (["yes", "yes"], "“yes” stands in"),
        ({"a": "It halves.", "b": "It halves."}, "“It halves.” stands in"),
    ],
)
def test_options_that_are_none(options: Any, told: str) -> None:
    for type in ("choice", "choices"):
        settings, sentences = settings_of(type, options=options)
        assert settings is None
        assert told in sentences[0]


def test_everything_wrong_with_the_options_is_told() -> None:
    _, told = settings_of("choice", options={"A": "a", "b": 1, "c": "", "d": "d"})
    assert len(told) == 3


@pytest.mark.parametrize("answer", [None, "third", 3, [], ["third"], {"double": 1}, [["double"]], True])
def test_a_key_that_is_no_option(answer: Any) -> None:
    key, told = key_of("choice", ONE.settings, answer)
    assert key is None
    assert "none of the options" in told[0]


def test_a_choice_has_one_right_option() -> None:
    key, told = key_of("choice", ONE.settings, ["half", "double"])
    assert key is None
    assert told == ["A choice has one right option, and here there are 2 (“half”, “double”)."]
    assert key_of("choice", ONE.settings, ["half"])[0] is not None


@pytest.mark.parametrize("answer", [None, "half", [], ["half", "third"], [["half"]], [{"half": 1}]])
def test_a_key_of_choices_that_is_none(answer: Any) -> None:
    key, told = key_of("choices", TWO.settings, answer)
    assert key is None
    assert len(told) == 1
