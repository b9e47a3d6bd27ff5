"""When a question that was missed comes back."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal

import pytest
from fsrs import Rating
from hypothesis import given
from hypothesis import strategies as st

from softmark.lessons.revisits import Return, first_return, is_missed, next_return, rating_of

NOON = datetime(2026, 3, 5, 12, 0, tzinfo=UTC)
DAY = timedelta(days=1)
SURE = (None, 1, 2, 3, 4)

answers = st.tuples(st.booleans(), st.sampled_from(SURE))
waits = st.timedeltas(timedelta(0), 400 * DAY)


@pytest.mark.parametrize(
    ("share", "source", "missed"),
    [("0", "rule", True), ("0.999999", "rule", True), ("1", "rule", False), ("0", "self", False), ("0", "ta", False)],
)  # fmt: skip
def test_what_is_missed(share: str, source: str, missed: bool) -> None:
    assert is_missed(Decimal(share), source) == missed


def test_a_rating_says_how_well_it_was_known() -> None:
    assert {rating_of(False, sure) for sure in SURE} == {Rating.Again}
    assert [rating_of(True, sure) for sure in SURE] == [
        Rating.Good, Rating.Hard, Rating.Good, Rating.Good, Rating.Easy,
    ]  # fmt: skip


def test_it_comes_back_a_day_after_the_miss() -> None:
    assert first_return(NOON).due_at == NOON + DAY
    elsewhere = NOON.astimezone(timezone(timedelta(hours=5)))
    assert first_return(elsewhere) == first_return(NOON)


def test_right_answers_stretch_and_a_miss_brings_it_back_sooner() -> None:
    planned, now, gaps = first_return(NOON), NOON, []
    for right in (True, True, True, True, False, True):
        now = planned.due_at
        planned = next_return(planned.card, right, 3, now)
        gaps.append((planned.due_at - now).days)
    assert gaps[:4] == sorted(set(gaps[:4])), "further apart each time"
    assert gaps[0] >= 2
    assert gaps[4] < gaps[2]
    assert gaps[5] < gaps[3]


def walked(steps: list[tuple[bool, int | None, timedelta]]) -> tuple[Return, datetime]:
    planned, now = first_return(NOON), NOON
    for right, sure, wait in steps:
        now += wait
        planned = next_return(planned.card, right, sure, now)
    return planned, now


@given(st.lists(st.tuples(st.booleans(), st.sampled_from(SURE), waits), max_size=12))
def test_it_comes_back_a_day_later_at_the_soonest_and_the_card_is_json(
    steps: list[tuple[bool, int | None, timedelta]],
) -> None:
    planned, now = walked(steps)
    assert planned.due_at >= now + DAY
    assert json.loads(json.dumps(planned.card)) == planned.card
    assert walked(steps)[0] == planned, "nothing is left to chance"


@given(st.lists(st.tuples(st.booleans(), st.sampled_from(SURE), waits), max_size=8), waits)
def test_the_better_it_was_known_the_later_it_comes_back(
    steps: list[tuple[bool, int | None, timedelta]], wait: timedelta
) -> None:
    planned, now = walked(steps)
    now += wait
    wrong = {next_return(planned.card, False, sure, now).due_at for sure in SURE}
    guessed, unsure, sure, certain = (
        next_return(planned.card, True, each, now).due_at for each in (1, 2, 3, 4)
    )
    assert wrong <= {min(wrong)}, "how sure somebody was of what was wrong changes nothing"
    assert min(wrong) <= guessed <= unsure == sure <= certain


def test_the_library_is_imported_only_where_it_is_used() -> None:
    asks = "import sys, softmark.lessons.revisits; sys.exit('fsrs' in sys.modules)"
    subprocess.run([sys.executable, "-c", asks], check=True, env={"PYTHONPATH": "platform:."})
