"""The deadline that counts for one person: open and closed, and what an extension does to it."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from softmark.courses.deadlines import Deadline, effective_deadline
from softmark.courses.late_policy import LatePolicy, end_of_minute

TICK = timedelta(microseconds=1)
NOW = datetime(2026, 11, 10, 22, 59, tzinfo=UTC)
instants = st.datetimes(datetime(2020, 1, 1), datetime(2037, 12, 31), timezones=st.just(UTC))
ZURICH = ZoneInfo("Europe/Zurich")
zones = st.sampled_from(["Europe/Zurich", "America/New_York", "Australia/Lord_Howe", "UTC"]).map(ZoneInfo)
spans = st.timedeltas(timedelta(minutes=1), timedelta(days=60))


@dataclass(frozen=True)
class Plan:
    """A schedule that is in no database."""

    opens_at: datetime | None = None
    due_at: datetime | None = None
    closes_at: datetime | None = None
    late_policy: LatePolicy = field(default_factory=LatePolicy)


@st.composite
def plans(draw: st.DrawFn) -> Plan:
    due = draw(st.none() | instants)
    start = due or draw(instants)
    opens = draw(st.none() | spans)
    closes = draw(st.none() | st.just(timedelta(0)) | spans)
    return Plan(
        opens_at=start - opens if opens is not None else None,
        due_at=due,
        closes_at=start + closes if closes is not None else None,
    )


@given(plans(), instants, instants, zones)
def test_an_extension_takes_nothing_away(
    plan: Plan, extended_to: datetime, now: datetime, zone: ZoneInfo
) -> None:
    plain, extended = effective_deadline(plan, None, zone), effective_deadline(plan, extended_to, zone)
    assert extended.is_open(now) or not plain.is_open(now)
    assert plain.is_past_due(now) or not extended.is_past_due(now)
    assert extended.late_policy == plan.late_policy
    assert extended.due_at is None or extended.closes_at is None or extended.due_at <= extended.closes_at


@given(plans(), spans, zones)
def test_an_extension_moves_the_due_date(plan: Plan, by: timedelta, zone: ZoneInfo) -> None:
    if plan.due_at is None:
        return
    extended = effective_deadline(plan, plan.due_at + by, zone)
    assert extended.extended
    assert extended.due_at == plan.due_at + by
    assert extended.opens_at == plan.opens_at
    assert (extended.closes_at is None) == (plan.closes_at is None)


@given(plans(), spans)
def test_the_end_moves_along(plan: Plan, by: timedelta) -> None:
    """By as much, where the clocks never change."""
    if plan.due_at is None or plan.closes_at is None:
        return
    assert effective_deadline(plan, plan.due_at + by, ZoneInfo("UTC")).closes_at == plan.closes_at + by


@pytest.mark.parametrize(("month", "days"), [(3, (20, 22, 27, 29)), (10, (16, 18, 23, 25))])
def test_the_end_keeps_its_time_of_day_over_a_change_of_the_clocks(month: int, days: tuple[int, ...]) -> None:
    """Due on Friday and closed on Sunday: a week more is due the next Friday, and closed the next Sunday."""
    due, closes, later, closed = (datetime(2026, month, day, 23, 59, tzinfo=ZURICH) for day in days)
    assert effective_deadline(Plan(due_at=due, closes_at=closes), later, ZURICH).closes_at == closed


def test_an_hour_that_comes_twice_takes_nothing_away() -> None:
    """Due at 2:45, and extended to the 2:15 that comes half an hour later."""
    due = datetime(2026, 10, 25, 0, 45, tzinfo=UTC)
    closes, later = due + timedelta(minutes=10), due + timedelta(minutes=30)
    assert effective_deadline(Plan(due_at=due, closes_at=closes), later, ZURICH).closes_at == later


@given(instants, spans, zones)
def test_what_only_closes_is_extended_as_well(closes: datetime, by: timedelta, zone: ZoneInfo) -> None:
    extended = effective_deadline(Plan(closes_at=closes), closes + by, zone)
    assert extended.extended
    assert extended.due_at is None
    assert extended.closes_at is not None
    assert closes + by <= extended.closes_at <= closes + by + timedelta(hours=1)
    assert effective_deadline(Plan(closes_at=closes), closes - by, zone) == Deadline(closes_at=closes)


def test_what_is_never_due_and_never_closes_cannot_be_extended() -> None:
    assert effective_deadline(Plan(), NOW, ZURICH) == Deadline()


@given(plans(), spans | st.just(timedelta(0)))
def test_an_earlier_date_is_no_extension(plan: Plan, by: timedelta) -> None:
    if plan.due_at is not None:
        assert effective_deadline(plan, plan.due_at - by, ZURICH) == effective_deadline(plan, None, ZURICH)
    assert not effective_deadline(plan, None, ZURICH).extended


@given(plans(), instants)
def test_early_open_and_closed_are_three_different_things(plan: Plan, now: datetime) -> None:
    deadline = effective_deadline(plan, None, ZURICH)
    assert deadline.is_early(now) + deadline.is_open(now) + deadline.is_closed(now) == 1


@given(instants)
def test_it_opens_at_the_instant_and_closes_after_the_minute(at: datetime) -> None:
    opening, closing = Deadline(opens_at=at), Deadline(closes_at=at)
    assert opening.is_early(at - TICK)
    assert opening.is_open(at)
    assert closing.is_open(end_of_minute(at) - TICK)
    assert closing.is_closed(end_of_minute(at))


@given(instants)
def test_past_due_begins_where_lateness_does(at: datetime) -> None:
    deadline = Deadline(due_at=at)
    assert not deadline.is_past_due(end_of_minute(at) - TICK)
    assert deadline.is_past_due(end_of_minute(at))


@given(instants)
def test_without_a_schedule_it_is_always_open_and_never_due(now: datetime) -> None:
    deadline = effective_deadline(None, NOW, ZURICH)
    assert deadline.is_open(now)
    assert not deadline.is_past_due(now)
