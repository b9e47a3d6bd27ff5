"""How sure people are against how often they are right."""

from __future__ import annotations

from collections import defaultdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from softmark.courses.models import Course
from softmark.lessons.calibration import LIKELY, Calibration, Said, calibrated
from softmark.lessons.models import SURE
from softmark.lessons.pages.calibration import calibration_page, lean_words
from softmark.lessons.words import SURE_WORDS

said = st.builds(Said, st.sampled_from(SURE), st.booleans())
some = st.lists(said, min_size=1, max_size=60)


def found_in(predictions: list[Said]) -> Calibration:
    found = calibrated(predictions)
    assert found is not None
    return found


def test_the_words_stand_for_growing_chances() -> None:
    assert tuple(LIKELY) == tuple(SURE_WORDS) == SURE
    assert list(LIKELY.values()) == sorted(LIKELY.values())
    assert all(0 < each < 1 for each in LIKELY.values()), "nobody is certain beyond doubt"


def test_of_nothing_there_is_nothing_to_say() -> None:
    assert calibrated([]) is None


def test_by_hand() -> None:
    """Twice certain and once wrong; a guess that was right."""
    found = found_in([Said(4, True), Said(4, False), Said(1, True)])
    assert found.count == 3
    assert found.brier == pytest.approx((0.05**2 + 0.95**2 + 0.75**2) / 3)
    assert found.said == pytest.approx((0.95 + 0.95 + 0.25) / 3)
    assert found.right == pytest.approx(2 / 3)
    assert [(each.confidence, each.count, each.right) for each in found.levels] == [(1, 1, 1), (4, 2, 1)]
    # Wilson's interval of 1 in 2
    assert (found.levels[1].low, found.levels[1].high) == (
        pytest.approx(0.0945, abs=1e-3),
        pytest.approx(0.9055, abs=1e-3),
    )


def test_less_than_all_never_looks_like_all() -> None:
    found = found_in([Said(4, True)] * 299 + [Said(4, False)])
    assert "and 99\N{NO-BREAK SPACE}% were right" in lean_words(found, "you were", "your words")
    (row,) = calibration_page(Course(), found).words
    assert (row.likely, row.observed, row.high) == ("95\N{NO-BREAK SPACE}%", "99\N{NO-BREAK SPACE}%", 100)


def test_always_saying_half() -> None:
    assert found_in([Said(2, True), Said(2, False), Said(2, False)]).brier == 0.25


@pytest.mark.parametrize(
    ("confidence", "right", "lean"), [(4, 4, "over"), (4, 19, ""), (1, 16, "under"), (2, 10, ""), (3, 20, "under")]
)  # fmt: skip
def test_which_way_somebody_leans(confidence: int, right: int, lean: str) -> None:
    found = found_in([Said(confidence, number < right) for number in range(20)])
    assert found.lean == lean


@given(some)
def test_what_holds_of_every_calibration(predictions: list[Said]) -> None:
    found = found_in(predictions)
    assert 0 <= found.brier <= 1
    assert found.count == len(predictions) == sum(each.count for each in found.levels)
    assert sum(each.right for each in found.levels) == sum(each.right for each in predictions)
    for each in found.levels:
        assert 0 <= each.right <= each.count
        assert 0 <= each.low <= each.observed + 1e-12
        assert each.observed - 1e-12 <= each.high <= 1


@given(st.permutations([Said(each % 4 + 1, each % 3 == 0) for each in range(17)]))
def test_the_order_does_not_matter(predictions: list[Said]) -> None:
    assert calibrated(predictions) == calibrated(predictions[::-1])
    assert calibrated(predictions) == calibrated(
        sorted(predictions, key=lambda each: (each.confidence, each.right))
    )


@given(some)
def test_the_brier_score_is_the_mean_square(predictions: list[Said]) -> None:
    squares = [(LIKELY[each.confidence] - each.right) ** 2 for each in predictions]
    assert found_in(predictions).brier == pytest.approx(sum(squares) / len(squares))


@given(some)
def test_it_falls_into_reliability_resolution_and_uncertainty(predictions: list[Said]) -> None:
    """Murphy's decomposition, which holds exactly for forecasts of a few values."""
    found = found_in(predictions)
    reliability = sum(each.count * (each.likely - each.observed) ** 2 for each in found.levels) / found.count
    resolution = sum(each.count * (each.observed - found.right) ** 2 for each in found.levels) / found.count
    uncertainty = found.right * (1 - found.right)
    assert found.brier == pytest.approx(reliability - resolution + uncertainty, abs=1e-12)


@given(some)
def test_twice_the_same_says_the_same_more_firmly(predictions: list[Said]) -> None:
    once, twice = found_in(predictions), found_in(predictions * 2)
    assert twice.brier == pytest.approx(once.brier)
    assert twice.chance < once.chance
    for before, after in zip(once.levels, twice.levels, strict=True):
        assert after.high - after.low < before.high - before.low


@given(some)
def test_nobody_is_better_than_by_saying_what_happens(predictions: list[Said]) -> None:
    """Within each level no other number would have scored better than the share of right ones: the score is proper."""
    by_level: dict[int, list[bool]] = defaultdict(list)
    for each in predictions:
        by_level[each.confidence].append(each.right)
    best = sum(
        sum((sum(of_it) / len(of_it) - right) ** 2 for right in of_it) for of_it in by_level.values()
    ) / len(predictions)
    assert found_in(predictions).brier >= best - 1e-12
