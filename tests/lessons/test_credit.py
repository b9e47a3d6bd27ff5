"""What a prediction is worth: its own share, until staff say otherwise; and who says so."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest
from django.http import QueryDict
from hypothesis import given
from hypothesis import strategies as st

from softmark.lessons.credit import Credit, as_decimal, by_share, credited, steps
from softmark.lessons.forms import MarkForm
from softmark.lessons.pages.marking import ListFilter, asked_in
from softmark.lessons.words import percent

SHARES = st.decimals(0, 1, places=6)
MARKS = st.lists(st.none() | SHARES)


@given(SHARES, st.sampled_from(["rule", "self"]), MARKS, SHARES)
def test_the_newest_mark_counts_whatever_came_before(
    own: Decimal, source: str, before: list[Decimal | None], share: Decimal
) -> None:
    assert credited(own, source, [*before, share]) == Credit(share, "ta")


@given(SHARES, st.sampled_from(["rule", "self"]), MARKS)
def test_taken_back_it_is_worth_what_it_was(own: Decimal, source: str, before: list[Decimal | None]) -> None:
    assert credited(own, source, [*before, None]) == credited(own, source) == Credit(own, source)


@pytest.mark.parametrize(
    ("share", "source", "right"),
    [
        ("1", "rule", True),
        ("1", "ta", True),
        ("1", "self", False),
        ("0.999999", "rule", False),
        ("0", "ta", False),
    ],
)
def test_what_is_right(share: str, source: str, right: bool) -> None:
    assert Credit(Decimal(share), source).is_right is right


@pytest.mark.parametrize(
    ("source", "is_text", "is_answered", "completion", "correctness"),
    [
        ("rule", False, True, False, True),
        ("rule", False, False, False, True),
        ("ta", False, True, False, True),
        ("ta", False, False, True, True),
        ("ta", True, True, True, True),
        ("ta", True, False, True, True),
        ("self", True, True, False, False),
    ],
)
def test_what_earns_its_share(
    source: str, is_text: bool, is_answered: bool, completion: bool, correctness: bool
) -> None:
    for counts, earns in (("completion", completion), ("correctness", correctness)):
        assert by_share(counts, source, is_text=is_text, is_answered=is_answered) is earns


@pytest.mark.parametrize("ideas", [0, 3, 4, 5])
def test_steps_are_what_each_idea_is_worth_and_a_half(ideas: int) -> None:
    given = steps(ideas)
    assert list(given) == sorted(set(given))
    assert {Fraction(0), Fraction(1, 2), Fraction(1)} <= set(given)
    assert {Fraction(found, ideas or 4) for found in range((ideas or 4) + 1)} <= set(given)
    assert len({as_decimal(each) for each in given}) == len(given)


def test_a_part_never_looks_like_the_whole() -> None:
    shares = (Decimal(0), Decimal("0.333333"), Fraction(2, 3), Decimal("0.999999"), 0.996, 1)
    assert [percent(Decimal(1) if each == 1 else each).replace("\N{NO-BREAK SPACE}", "") for each in shares] == [
        "0%", "33%", "67%", "99%", "99%", "100%",
    ]  # fmt: skip


def test_the_form_offers_steps_and_takes_nothing_else() -> None:
    worth = dict(MarkForm(3, None).fields["share"].choices)  # type: ignore[attr-defined]
    assert list(worth) == ["0", "1/3", "1/2", "2/3", "1"]
    assert worth["1/3"].endswith(", 1 idea")
    assert worth["1/2"] == "50\N{NO-BREAK SPACE}%"
    form = MarkForm(3, None, {"seen": "0", "share": "2/3", "comment": ""})
    assert form.is_valid()
    assert form.cleaned_data["share"] == Fraction(2, 3)
    for share in ("", "0.7", "2", "-1", "1/0", "nan"):
        assert "share" in MarkForm(3, None, {"seen": "0", "share": share}).errors
    assert "comment" in MarkForm(0, None, {"seen": "0", "share": "1", "comment": "x" * 5_001}).errors


def test_what_is_asked_for_stands_in_the_address() -> None:
    asked = ListFilter("in-your-words", "waiting", every=True, anonymous=True)
    assert asked_in(QueryDict(asked.query)) == asked
    assert (
        asked_in(QueryDict("state=nonsense&all=2")) == ListFilter() == asked_in(QueryDict(ListFilter().query))
    )
