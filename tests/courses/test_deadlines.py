"""The deadline that counts for one person: open and closed, and what an extension does to it."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from softmark.courses.deadlines import Deadline, effective_deadline
from softmark.courses.late_policy import LatePolicy, end_of_minute

TICK = timedelta(microseconds=1)
NOW = datetime(2026, 11, 10, 22, 59, tzinfo=UTC)
instants = st.datetimes(datetime(2020, 1, 1), datetime(2037, 12, 31), timezones=st.just(UTC))
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


@given(plans(), instants, instants)
def test_an_extension_takes_nothing_away(plan: Plan, extended_to: datetime, now: datetime) -> None:
    plain, extended = effective_deadline(plan, None), effective_deadline(plan, extended_to)
    assert extended.is_open(now) or not plain.is_open(now)
    assert plain.is_past_due(now) or not extended.is_past_due(now)
    assert extended.late_policy == plan.late_policy


@given(plans(), spans)
def test_an_extension_moves_the_end_along(plan: Plan, by: timedelta) -> None:
    if plan.due_at is None:
        assert effective_deadline(plan, NOW) == effective_deadline(plan, None)
        return
    extended = effective_deadline(plan, plan.due_at + by)
    assert extended.extended
    assert extended.due_at == plan.due_at + by
    assert extended.opens_at == plan.opens_at
    assert extended.closes_at == (plan.closes_at + by if plan.closes_at is not None else None)


@given(plans(), spans | st.just(timedelta(0)))
def test_an_earlier_date_is_no_extension(plan: Plan, by: timedelta) -> None:
    if plan.due_at is not None:
        assert effective_deadline(plan, plan.due_at - by) == effective_deadline(plan, None)
    assert not effective_deadline(plan, None).extended


@given(plans(), instants)
def test_early_open_and_closed_are_three_different_things(plan: Plan, now: datetime) -> None:
    deadline = effective_deadline(plan, None)
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
    deadline = effective_deadline(None, NOW)
    assert deadline.is_open(now)
    assert not deadline.is_past_due(now)
