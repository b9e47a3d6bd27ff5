"""Times as people write them."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from softmark.courses.wall_time import instant_at

ZURICH = ZoneInfo("Europe/Zurich")


@pytest.mark.parametrize(
    ("text", "instant"),
    [
        ("2026-12-01 23:59", datetime(2026, 12, 1, 22, 59, tzinfo=UTC)),
        ("2026-07-01T23:59", datetime(2026, 7, 1, 21, 59, tzinfo=UTC)),
        (" 2026-12-01 08:00:30 ", datetime(2026, 12, 1, 7, 0, 30, tzinfo=UTC)),
        ("2026-10-25 02:30", datetime(2026, 10, 25, 0, 30, tzinfo=UTC)),
        ("2026-10-25 02:30+01:00", datetime(2026, 10, 25, 1, 30, tzinfo=UTC)),
    ],
)
def test_a_time_is_read_on_the_clock_of_the_course(text: str, instant: datetime) -> None:
    assert instant_at(text, ZURICH) == instant


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("tomorrow", "is not a time"),
        ("2026-02-30 12:00", "is not a time"),
        ("2026-12-01", "is a day without a time"),
        ("2026-03-29 02:30", "does not exist in Europe/Zurich"),
        ("0001-01-01 00:00", "is not a time that can be used"),
        ("9999-12-31 23:59-12:00", "is not a time that can be used"),
        ("9999-12-31 23:59+12:00", "leave it empty"),
        ("9999-06-01 12:00", "leave it empty"),
        ("1500-06-01 12:00", "leave it empty"),
    ],
)
def test_what_is_no_time_is_refused_in_a_sentence(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        instant_at(text, ZURICH)


@given(st.datetimes(datetime(2000, 1, 1), datetime(2037, 1, 1), timezones=st.just(UTC)))
def test_what_a_clock_shows_is_read_back(instant: datetime) -> None:
    shown = instant.astimezone(ZURICH)
    text = shown.isoformat() if shown.fold else shown.replace(tzinfo=None).isoformat(" ")
    assert instant_at(text, ZURICH) == instant
