"""Picking a token: by its place, one of those that are right."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from softmark.lessons.questions import Invalid
from tests.lessons.answering import key_of, posts, question, settings_of

TIED = question("token", ["river", "bank"], tokens=["the", "river", "bank"])
TWICE = question("token", 3, tokens=["the", "cat", "sees", "the", "dog"])


def test_any_of_the_right_ones() -> None:
    assert [TIED.mark(str(place)).share for place in range(3)] == [0, 1, 1]
    assert [TWICE.mark(str(place)).right for place in range(5)] == [False, False, False, True, False]


@pytest.mark.parametrize(
    "posted",
    [
        *([], [""], ["1", "2"]),
        *(
            [text]
            for text in ("3", "-1", "1.0", "river", "\uff11", "\u00b2", "1 ", "0001", "9" * 5_000, "\0")
        ),
    ],
)
def test_what_is_no_token(posted: list[str]) -> None:
    with pytest.raises(Invalid, match="Pick one token"):
        TIED.read(*posted)


@given(posts)
def test_reading_raises_nothing_but_invalid(posted: list[str]) -> None:
    try:
        assert 0 <= TIED.read(*posted).place < 3
    except Invalid as invalid:
        str(invalid).encode()


def test_all_the_tokens_there_may_be() -> None:
    long = question("token", "w39", tokens=[f"w{place}" for place in range(40)])
    assert long.mark("39").right
    with pytest.raises(Invalid):
        long.read("40")


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (None, "no token of the sentence"),
        ([], "No token is right"),
        ("lake", "“lake” is no token"),
        (["river", "lake"], "“lake” is no token"),
        (3, "“3” is no token"),
        (-1, "no token"),
        (True, "no token"),
        (1.0, "no token"),
        ([["river"]], "no token"),
        (["the", "river", "bank"], "Every token is right"),
        ([0, 1, 2], "Every token is right"),
    ],
)
def test_a_key_that_is_none(answer: Any, told: str) -> None:
    key, sentences = key_of("token", TIED.settings, answer)
    assert key is None
    assert told in sentences[0]


def test_a_token_that_stands_there_twice_is_named_by_its_place() -> None:
    key, told = key_of("token", TWICE.settings, "the")
    assert key is None
    assert "2 times" in told[0]
    assert key_of("token", TWICE.settings, [0, "dog"])[0].places == {0, 4}


@pytest.mark.parametrize("tokens", [None, "the river", ["the"], ["the"] * 41, ["the", 1], ["the", ""]])
def test_tokens_that_are_none(tokens: Any) -> None:
    settings, told = settings_of("token", tokens=tokens)
    assert settings is None
    assert len(told) == 1


def test_what_is_shown() -> None:
    assert TIED.type.show_key(TIED.key, TIED.settings) == "river or bank"
    assert TIED.type.show_response(TIED.read("0"), TIED.settings) == "the"
    assert TWICE.type.show_response(TWICE.read("3"), TWICE.settings) == "the (4)"


def test_a_reveal_for_one_token() -> None:
    assert TIED.type.understands("river", TIED.settings)
    assert not TIED.type.understands("lake", TIED.settings)
    assert TIED.type.matches("river", TIED.read("1"), TIED.settings)
    assert not TIED.type.matches("river", TIED.read("2"), TIED.settings)
    assert TWICE.type.matches("the", TWICE.read("3"), TWICE.settings)
