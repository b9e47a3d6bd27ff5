"""What a snippet prints: line by line, whatever ends the lines."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from softmark.lessons.questions import Invalid
from softmark.lessons.questions.output import MOST, Printed
from tests.lessons.answering import key_of, posts, question, settings_of

ASKED = question("output", "(2, 3)\n  done", snippet="print(x.shape)\nprint('  done')\n")


@pytest.mark.parametrize(
    "typed",
    [
        "(2, 3)\n  done",
        "(2, 3)\r\n  done\r\n",
        "(2, 3)\r  done",
        "(2, 3)  \n  done\t",
        "(2, 3)\u00a0\n  done\n\n \n",
        "(2,3)\n  done",
        "( 2,  3 )\n  done",
    ],
)
def test_what_does_not_count(typed: str) -> None:
    assert ASKED.mark(typed).right


@pytest.mark.parametrize(
    ("typed", "error"),
    [
        ("(2, 3)\ndone", "spaces-only"),
        ("(2, 3)\n done", "spaces-only"),
        ("(2, 3)\n  do ne", "spaces-only"),
        ("(2 , 3)\n  done", "spaces-only"),
        (" (2, 3)\n  done", "spaces-only"),
        ("(2, 3)   done", "spaces-only"),
        ("\n(2, 3)\n  done", "spaces-only"),
        ("(2, 3)\n\n  done", "spaces-only"),
        ("(2, 3)", None),
        ("(2, 3)\n  Done", None),
        ("(3, 2)\n  done", None),
        ("(2, 3)\n  done\n.", None),
    ],
)
def test_what_counts(typed: str, error: str | None) -> None:
    assert ASKED.mark(typed).share == 0
    assert ASKED.mark(typed).error == error
    assert ASKED.type.errors(ASKED.settings) == {"spaces-only"}


def test_several_spaces_count_as_one() -> None:
    asked = question("output", "[[1 2]\n [3 4]]", snippet="x")
    assert asked.mark("[[1  2 ]\n [ 3 4]]").right
    assert asked.mark("[[1 2]\n[3 4]]").error == "spaces-only"
    assert asked.mark("[[12]\n [34]]").error == "spaces-only"


printed = st.text("12a ,()[]\n'", max_size=12)


@given(printed, printed)
def test_what_has_other_words_is_never_the_same(one: str, other: str) -> None:
    if Printed(one).counting == Printed(other).counting:
        assert _tokens(one) == _tokens(other)


@given(printed)
def test_what_counts_is_all_that_counts(text: str) -> None:
    counting = Printed(text).counting
    assert Printed("\n".join(counting)).counting == counting
    loose = text.replace(",", ",  ").replace("(", "( ").replace("]", " ]")
    assert [line.lstrip() for line in Printed(loose).counting] == [line.lstrip() for line in counting]


def _tokens(text: str) -> list[list[str]]:
    """Words, and each comma and bracket by itself, with what a line begins with."""
    lines = text.rstrip().split("\n")
    return [re.findall(r"^ +(?=\S)|[,()\[\]]|[^\s,()\[\]]+", line) for line in lines]


def test_letters_in_one_piece_or_two() -> None:
    assert question("output", "caf\u00e9", snippet="x").mark("cafe\u0301").right


@pytest.mark.parametrize(
    ("posted", "told"),
    [
        ([], "Type what"),
        (["\r\n \t"], "Type what"),
        (["a", "b"], "2 came"),
        (["a\0b"], r"Character 2 \(U\+0000\)"),
        (["\ud800"], r"Character 1 \(U\+D800\)"),
        (["\x1b[31m"], r"U\+001B"),
        (["a" * (MOST + 1)], "4,001 characters long"),
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


def test_any_text_may_be_typed() -> None:
    for typed in ("\N{GRINNING FACE}", "<script>alert(1)</script>", "{{ key }}"):
        assert ASKED.read(typed).text == typed


@given(st.text(st.characters(exclude_categories=["Cc", "Cs"]), min_size=1).filter(str.strip))
def test_what_is_shown_of_a_right_answer_is_right(text: str) -> None:
    asked = question("output", text, snippet="x")
    assert asked.mark(asked.type.show_key(asked.key, asked.settings)).right
    assert asked.mark(text + " \r\n").right


@pytest.mark.parametrize("answer", [None, "", " \n", 3, ["a"], "a\0", "a" * (MOST + 1)])
def test_a_key_that_is_none(answer: Any) -> None:
    key, told = key_of("output", ASKED.settings, answer)
    assert key is None
    assert len(told) == 1


def test_a_snippet_is_needed_and_kept_as_it_stands() -> None:
    assert ASKED.settings.snippet == "print(x.shape)\nprint('  done')"
    assert settings_of("output", snippet="  indented")[0].snippet == "  indented"
    settings, told = settings_of("output")
    assert settings is None
    assert '"snippet"' in told[0]
