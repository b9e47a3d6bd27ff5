"""Items in order: exactly, or by rank; and what does not belong or is missing costs."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from softmark.lessons.questions import Invalid
from tests.lessons.answering import key_of, posts, question, sealed, settings_of

ITEMS = {"score": "Score", "scale": "Scale", "softmax": "Softmax", "blend": "Blend", "sort": "Sort"}
STEPS = ["score", "scale", "softmax", "blend"]  # sorting is no step
EXACT = question("order", STEPS, items=ITEMS)
TIED = question("order", ["score", ["scale", "softmax"], "blend"], items=ITEMS, ties=True)

orders = st.lists(st.sampled_from(sorted(ITEMS)), min_size=1, max_size=5, unique=True)


@pytest.mark.parametrize(
    ("items", "error"),
    [
        (["scale", "score", "softmax", "blend"], None),
        (["blend", "softmax", "scale", "score"], "reversed"),
        (["score", "scale", "softmax"], "missing-items"),
        (["score", "scale", "softmax", "blend", "sort"], "extra-items"),
        (["sort"], "extra-items"),
    ],
)
def test_exact_is_all_or_nothing(items: list[str], error: str | None) -> None:
    assert EXACT.mark(*sealed(*STEPS)).right
    assert EXACT.mark(*sealed(*items)).share == 0
    assert EXACT.mark(*sealed(*items)).error == error


@pytest.mark.parametrize(
    ("items", "share"),
    [
        (["score", "scale", "softmax", "blend"], 1),
        (["score", "softmax", "scale", "blend"], 1),
        (["scale", "score", "softmax", "blend"], Fraction(2, 4)),
        (["blend", "scale", "softmax", "score"], Fraction(2, 4)),
        (["score", "scale", "softmax"], Fraction(3, 4)),
        (["score", "scale", "softmax", "blend", "sort"], Fraction(4, 5)),
        (["sort", "score", "scale", "softmax", "blend"], Fraction(1, 5)),
        (["sort"], 0),
    ],
)
def test_by_rank_each_place_counts(items: list[str], share: Fraction) -> None:
    assert TIED.mark(*sealed(*items)).share == share


def test_a_tied_order_backwards() -> None:
    assert TIED.mark(*sealed("blend", "scale", "softmax", "score")).error == "reversed"
    assert TIED.mark(*sealed("blend", "softmax", "score", "scale")).error is None
    assert TIED.type.errors(TIED.settings) == {"reversed", "missing-items", "extra-items"}


@given(orders)
def test_only_all_items_at_their_places_are_right(items: list[str]) -> None:
    assert EXACT.mark(*sealed(*items)).right == (items == STEPS)
    mark = TIED.mark(*sealed(*items))
    assert 0 <= mark.share <= 1
    right = len(items) == 4 and items[0] == "score" and items[3] == "blend" and "sort" not in items
    assert mark.right == right


@given(orders)
def test_an_item_that_does_not_belong_costs(items: list[str]) -> None:
    without = [item for item in items if item != "sort"]
    if len(without) == len(STEPS):
        assert TIED.mark(*sealed(*without, "sort")).share < TIED.mark(*sealed(*without)).share or (
            TIED.mark(*sealed(*without)).share == 0
        )
    assert TIED.mark(*sealed(*without, "sort")).share < 1


@pytest.mark.parametrize(
    ("posted", "told"),
    [
        ([], "Put the items in order"),
        ([""], "Put the items in order"),
        (STEPS, "none of those"),
        (sealed("score", "score"), "came twice"),
        ([*sealed("score"), "scale"], "none of those"),
        (sealed(*ITEMS, "sort"), "6 of them came, and there are 5"),
    ],
)
def test_what_is_no_answer(posted: list[str], told: str) -> None:
    with pytest.raises(Invalid, match=told):
        EXACT.read(*posted)


@given(posts)
def test_reading_raises_nothing_but_invalid(posted: list[str]) -> None:
    with pytest.raises(Invalid):
        EXACT.read(*posted)


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (None, "must be a list of items"),
        ("score", "must be a list of items"),
        (["score"], "must be a list of items"),
        ([], "must be a list of items"),
        (["score", []], "must be a list of items"),
        (["score", "divide"], "none of the items: “divide”"),
        (["score", ["scale", ["blend"]]], "none of the items"),
        (["score", "scale", "score"], "twice"),
        ([["score", "scale"]], "share one rank"),
    ],
)
def test_a_key_that_is_none(answer: Any, told: str) -> None:
    key, sentences = key_of("order", TIED.settings, answer)
    assert key is None
    assert told in sentences[0]


def test_ties_only_where_they_are_allowed() -> None:
    key, told = key_of("order", EXACT.settings, ["score", ["scale", "softmax"], "blend"])
    assert key is None
    assert '"ties: true"' in told[0]


def test_everything_wrong_with_the_settings_is_told() -> None:
    settings, told = settings_of("order", items=["one"], ties="maybe")
    assert settings is None
    assert [sentence.split('"')[1] for sentence in told] == ["items", "ties"]


def test_what_is_shown() -> None:
    answer = EXACT.read(*sealed("scale", "score"))
    assert EXACT.type.show_response(answer, EXACT.settings) == "Scale → Score"
    assert EXACT.type.response_texts(answer, EXACT.settings) == ("Scale", "→", "Score")
    assert TIED.type.show_key(TIED.key, TIED.settings) == "Score → Scale = Softmax → Blend"
    texts = ("Score", "→", "Scale", "=", "Softmax", "→", "Blend")
    assert TIED.type.key_texts(TIED.key, TIED.settings) == texts
