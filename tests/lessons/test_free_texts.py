"""Free text: credited for being written, and never judged by a rule."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from softmark.lessons.questions import Invalid, Source
from softmark.lessons.questions.free_text import MOST, ticked
from tests.lessons.answering import key_of, posts, question, settings_of

IDEAS = ["One vector a word", "The words around it", "Which matter changes"]
ASKED = question(
    "free_text", model="A word means what the words around it make of it.", ideas=IDEAS, min_length=5
)


def test_the_mark_is_for_completion_and_says_that_nobody_judged() -> None:
    mark = ASKED.mark("abcde")
    assert (mark.share, mark.error, mark.source) == (1, None, Source.SELF)
    assert question("choice", "a", options=["a", "b"]).type.takes_answer
    assert not ASKED.type.takes_answer


@pytest.mark.parametrize(
    ("posted", "told"),
    [
        ([], "Write your answer"),
        ([" \n"], "Write your answer"),
        (["abcd"], "5 letters at least, and so far there are 4"),
        (["a"], "so far there is 1"),
        (["." * 100], "so far there are 0"),
        (["\N{GRINNING FACE}" * 100], "so far there are 0"),
        (["a b c d ."], "so far there are 4"),
        (["abcde\0"], r"Character 6 \(U\+0000\) cannot be"),
        (["abcde\ud800"], "cannot be"),
        (["a" * (MOST + 1)], "5,001 characters long"),
        (["abcde", "abcde"], "2 came"),
    ],
)
def test_what_is_no_answer(posted: list[str], told: str) -> None:
    with pytest.raises(Invalid, match=told):
        ASKED.read(*posted)


@given(posts)
def test_reading_raises_nothing_but_invalid(posted: list[str]) -> None:
    try:
        ASKED.read(*posted).text.encode()
    except Invalid as invalid:
        str(invalid).encode()


def test_any_script_and_any_text_may_be_written() -> None:
    for text in (
        "\u8a5e\u306e\u610f\u5473\u306f",
        "<script>alert(1)</script>",
        "\u043f\u0440\u0438\u0432\u0435\u0442",
    ):
        assert ASKED.type.show_response(ASKED.read(text), ASKED.settings) == text
    assert ASKED.read("one\r\ntwo\rthree").text == "one\ntwo\nthree"
    assert ASKED.read("a" * MOST)


def test_what_must_not_be_seen_before_the_commit() -> None:
    assert ASKED.type.secret_keys == {"model", "ideas"}
    assert ASKED.type.secret_keys < ASKED.type.settings_keys
    assert ASKED.type.show_key(ASKED.key, ASKED.settings) == ASKED.settings.model


def test_an_answer_beside_the_model() -> None:
    key, told = key_of("free_text", ASKED.settings, "this")
    assert key is None
    assert '"model"' in told[0]


def test_everything_wrong_with_the_settings_is_told() -> None:
    settings, told = settings_of("free_text", ideas=IDEAS[:2], min_length=0)
    assert settings is None
    assert [sentence.split('"')[1] for sentence in told] == ["model", "ideas", "min_length"]
    assert settings_of("free_text", model="m", ideas=IDEAS)[0].min_length == 20
    assert settings_of("free_text", model="m", ideas=[*IDEAS, *IDEAS])[0] is None


@pytest.mark.parametrize(("posted", "found"), [([], ()), (["2", "0"], (0, 2)), (["1", "1"], (1,))])
def test_ideas_that_were_ticked(posted: list[str], found: Any) -> None:
    assert ticked(posted, ASKED.settings) == found


@pytest.mark.parametrize("posted", [["3"], ["-1"], ["x"], ["\uff11"], ["0"] * 4, ["\0"]])
def test_ticks_that_are_none(posted: list[str]) -> None:
    with pytest.raises(Invalid):
        ticked(posted, ASKED.settings)
