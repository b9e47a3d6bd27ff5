"""What late costs: on time to the last microsecond of its minute, then days by the clock on the wall."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from softmark.courses.late_policy import (
    ON_TIME,
    LatePolicy,
    end_of_minute,
    lateness,
    later_on_the_wall,
)

ZURICH = ZoneInfo("Europe/Zurich")
TICK = timedelta(microseconds=1)
TEN_A_DAY = LatePolicy(percent_per_day=Decimal(10))

# Clocks that change by an hour, by half of one, never; and a country that once left out a day.
zones = st.sampled_from(
    ["Europe/Zurich", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "UTC", "Pacific/Apia"]
).map(ZoneInfo)
instants = st.datetimes(datetime(2011, 1, 1), datetime(2037, 12, 31), timezones=st.just(UTC))
changes = st.sampled_from(
    [
        datetime(2026, 3, 29, 1, tzinfo=UTC),
        datetime(2026, 10, 25, 1, tzinfo=UTC),
        datetime(2011, 12, 30, 10, tzinfo=UTC),
    ]
)
around_a_change = st.builds(
    lambda change, by: change + by, changes, st.timedeltas(timedelta(days=-3), timedelta(days=3))
)
dues = instants | around_a_change
delays = st.timedeltas(timedelta(0), timedelta(hours=60)) | st.timedeltas(timedelta(0), timedelta(days=400))
percents = st.decimals(0, 100, places=2)
policies = st.builds(
    LatePolicy,
    grace_minutes=st.integers(0, 3_000),
    percent_per_day=percents,
    floor_percent=percents,
)


def zurich(text: str, fold: int = 0) -> datetime:
    """An instant, written as a clock in Zurich shows it."""
    return datetime.fromisoformat(text).replace(tzinfo=ZURICH, fold=fold).astimezone(UTC)


@given(dues, policies, delays, delays, zones)
def test_later_never_keeps_more(
    due: datetime, policy: LatePolicy, one: timedelta, other: timedelta, zone: ZoneInfo
) -> None:
    sooner, later = (lateness(due, policy, due + delay, zone) for delay in sorted((one, other)))
    assert later.percent_kept <= sooner.percent_kept
    assert later.days >= sooner.days


@given(dues, policies, delays, zones)
def test_what_is_kept_lies_between_the_floor_and_all(
    due: datetime, policy: LatePolicy, delay: timedelta, zone: ZoneInfo
) -> None:
    kept = lateness(due, policy, due + delay, zone).percent_kept
    assert policy.floor_percent <= kept <= 100
    assert kept in (100, policy.floor_percent) or (100 - kept) % policy.percent_per_day == 0


@given(dues, policies, st.timedeltas(timedelta(days=-400), timedelta(0)), zones)
def test_before_it_is_due_nothing_is_lost(
    due: datetime, policy: LatePolicy, delay: timedelta, zone: ZoneInfo
) -> None:
    assert lateness(due, policy, due + delay, zone) == ON_TIME


@given(dues, policies, zones)
def test_the_minute_of_the_deadline_is_on_time_to_its_last_microsecond(
    due: datetime, policy: LatePolicy, zone: ZoneInfo
) -> None:
    over = end_of_minute(due)
    assert lateness(due, policy, over - TICK, zone) == ON_TIME
    assert lateness(due, policy, over, zone).is_late


@given(dues, st.integers(0, 3_000), zones)
def test_grace_ends_with_its_minute_and_then_the_first_day_has_begun(
    due: datetime, grace: int, zone: ZoneInfo
) -> None:
    policy = LatePolicy(grace_minutes=grace, percent_per_day=Decimal(10))
    over = end_of_minute(due + timedelta(minutes=grace))
    last, first = lateness(due, policy, over - TICK, zone), lateness(due, policy, over, zone)
    assert (last.percent_kept, last.days, last.is_late) == (100, 0, grace > 0)
    assert first.days >= 1
    assert first.percent_kept <= 90
    assert first == lateness(due, TEN_A_DAY, over, zone)  # grace puts off; it gives no day away


@given(dues, st.integers(1, 500), zones)
def test_a_day_ends_with_the_deadlines_minute_on_the_wall(due: datetime, days: int, zone: ZoneInfo) -> None:
    ends, next_ends = (
        end_of_minute(later_on_the_wall(due, timedelta(days=each), zone)) for each in (days, days + 1)
    )
    assume(ends < next_ends)  # not so around the day that Samoa left out
    wall = later_on_the_wall(due, timedelta(days=days), zone).astimezone(zone)
    assume(wall.replace(tzinfo=None) == due.astimezone(zone).replace(tzinfo=None) + timedelta(days=days))
    assert lateness(due, TEN_A_DAY, ends - TICK, zone).days <= days
    assert lateness(due, TEN_A_DAY, ends, zone).days == days + 1


@given(dues, policies, delays, zones)
def test_lateness_counts_from_the_deadline(
    due: datetime, policy: LatePolicy, delay: timedelta, zone: ZoneInfo
) -> None:
    found = lateness(due, policy, due + delay, zone)
    assert found.by in (timedelta(0), delay)
    assert found.percent_lost == 100 - found.percent_kept


@given(policies, instants, zones)
def test_without_a_deadline_nothing_is_late(policy: LatePolicy, received: datetime, zone: ZoneInfo) -> None:
    assert lateness(None, policy, received, zone) == ON_TIME


@pytest.mark.parametrize(
    ("due", "received", "days"),
    [
        # Clocks go forward on 29 March 2026 at 2:00: the day from 23:59 to 23:59 has 23 hours,
        ("2026-03-28 23:59", "2026-03-29 23:59:59.999999", 1),
        ("2026-03-28 23:59", "2026-03-30 00:00", 2),
        ("2026-03-28 23:59", "2026-03-30 23:59:59.999999", 2),
        # and back on 25 October at 3:00: it has 25.
        ("2026-10-24 23:59", "2026-10-25 23:59:59.999999", 1),
        ("2026-10-24 23:59", "2026-10-26 00:00", 2),
        # Due at half past two, which on 29 March does not exist: the day ends an hour later on the wall.
        ("2026-03-28 02:30", "2026-03-29 03:30:59.999999", 1),
        ("2026-03-28 02:30", "2026-03-29 03:31", 2),
        # On an ordinary day, and over the end of a year.
        ("2026-11-10 12:00", "2026-11-11 12:00:59", 1),
        ("2026-11-10 12:00", "2026-11-11 12:01", 2),
        ("2026-12-31 23:59", "2027-01-01 00:00", 1),
    ],
)
def test_days_over_changes_of_the_clocks(due: str, received: str, days: int) -> None:
    assert lateness(zurich(due), TEN_A_DAY, zurich(received), ZURICH).days == days


def test_half_past_two_comes_twice() -> None:
    due = zurich("2026-10-24 02:30")
    assert lateness(due, TEN_A_DAY, zurich("2026-10-25 02:30:59"), ZURICH).days == 1
    assert lateness(due, TEN_A_DAY, zurich("2026-10-25 02:30", fold=1), ZURICH).days == 2


def test_a_deadline_at_the_second_half_past_two() -> None:
    due = zurich("2026-10-25 02:30", fold=1)
    assert lateness(due, TEN_A_DAY, zurich("2026-10-25 02:31", fold=0), ZURICH) == ON_TIME
    assert lateness(due, TEN_A_DAY, zurich("2026-10-25 02:31", fold=1), ZURICH).days == 1


def test_the_arithmetic() -> None:
    policy = LatePolicy(grace_minutes=15, percent_per_day=Decimal(20), floor_percent=Decimal(50))
    due = zurich("2026-11-10 23:59")
    kept = [
        lateness(due, policy, zurich(at), ZURICH).percent_kept
        for at in (
            "2026-11-10 23:59:59",
            "2026-11-11 00:14:59",
            "2026-11-11 00:15",
            "2026-11-12 12:00",
            "2026-11-20 12:00",
        )
    ]
    assert kept == [100, 100, 80, 60, 50]
