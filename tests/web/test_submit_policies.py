"""Who may submit, and what is said to the others; what late costs, in words."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from softmark.courses.deadlines import Deadline
from softmark.courses.late_policy import LatePolicy, lateness
from softmark.courses.late_words import cost_now, cost_of_late, percent
from softmark.courses.models import Role
from softmark.courses.policies import Allowed, Denied
from softmark.submissions.policies import Standing, may_submit

ZURICH = ZoneInfo("Europe/Zurich")
NOON = datetime(2026, 3, 5, 12, 0, tzinfo=UTC)
OPEN = Standing(Role.STUDENT, True, Deadline(), ZURICH, used=0, most=0, per_minute=6)


def reason(standing: Standing, at: datetime = NOON) -> str:
    decision = may_submit(standing, at)
    assert isinstance(decision, Denied)
    return decision.reason


def test_a_student_may_submit_to_what_is_open() -> None:
    assert may_submit(OPEN, NOON) == Allowed()


def test_who_is_no_student_is_told_so() -> None:
    assert "not enrolled" in reason(replace(OPEN, role=None))
    for role in (Role.TA, Role.INSTRUCTOR):
        assert reason(replace(OPEN, role=role)).startswith("Only students hand in.")


def test_hidden() -> None:
    assert "hidden" in reason(replace(OPEN, visible=False))


def test_not_opened_says_when_in_the_zone_of_the_course() -> None:
    standing = replace(OPEN, deadline=Deadline(opens_at=NOON + timedelta(hours=1)))
    assert (
        reason(standing)
        == "This assignment opens on Thu 5 Mar 2026, 14:00 CET. Nothing is taken before that."
    )
    assert may_submit(standing, NOON + timedelta(hours=1)) == Allowed()


def test_closed_says_when_it_closed() -> None:
    standing = replace(OPEN, deadline=Deadline(closes_at=NOON))
    assert may_submit(standing, NOON.replace(second=59, microsecond=999_999)) == Allowed()
    assert "closed on Thu 5 Mar 2026, 13:00 CET" in reason(standing, NOON + timedelta(minutes=1))


def test_attempts_used_up() -> None:
    assert may_submit(replace(OPEN, used=2, most=3), NOON) == Allowed()
    assert reason(replace(OPEN, used=3, most=3)) == "You have used all your attempts: 3 of 3."
    assert "only attempt" in reason(replace(OPEN, used=1, most=1))
    assert may_submit(replace(OPEN, used=1000, most=0), NOON) == Allowed()


def test_too_many_within_a_minute_says_how_long_to_wait() -> None:
    recent = [NOON - timedelta(seconds=seconds) for seconds in (50, 40, 5)]
    assert may_submit(replace(OPEN, recent=recent, per_minute=4), NOON) == Allowed()
    assert reason(replace(OPEN, recent=recent, per_minute=3)).endswith("Submit again in 10 seconds.")
    assert reason(replace(OPEN, recent=recent, per_minute=2)).endswith("Submit again in 20 seconds.")
    assert "once within a minute" in reason(replace(OPEN, recent=recent, per_minute=1))


instants = st.datetimes(datetime(2026, 1, 1), datetime(2026, 12, 31), timezones=st.just(UTC))
maybe_instants = st.none() | instants


@given(
    opens=maybe_instants, due=maybe_instants, closes=maybe_instants, at=instants,
    used=st.integers(0, 5), most=st.integers(0, 5),
    ages=st.lists(st.floats(0, 90), max_size=8), per_minute=st.integers(1, 6),
)  # fmt: skip
def test_allowed_exactly_when_every_rule_allows(
    opens: datetime | None, due: datetime | None, closes: datetime | None, at: datetime,
    used: int, most: int, ages: list[float], per_minute: int,
) -> None:  # fmt: skip
    standing = Standing(
        Role.STUDENT, True, Deadline(opens, due, closes), ZURICH, used, most,
        [at - timedelta(seconds=age) for age in ages], per_minute,
    )  # fmt: skip
    decision = may_submit(standing, at)
    expected = (
        (opens is None or at >= opens)
        and (closes is None or at < closes.replace(second=0, microsecond=0) + timedelta(minutes=1))
        and (most == 0 or used < most)
        and sum(timedelta(seconds=age) < timedelta(minutes=1) for age in ages) < per_minute
    )
    assert decision.allowed == expected
    if isinstance(decision, Denied):
        assert decision.reason.endswith(".")
        for role in (Role.TA, Role.INSTRUCTOR, None):
            assert not may_submit(replace(standing, role=role), at).allowed


@given(ages=st.lists(st.floats(0, 70), max_size=12), per_minute=st.integers(1, 6))
def test_who_waits_as_long_as_was_said_may_submit(ages: list[float], per_minute: int) -> None:
    standing = replace(OPEN, recent=[NOON - timedelta(seconds=age) for age in ages], per_minute=per_minute)
    decision = may_submit(standing, NOON)
    if isinstance(decision, Denied):
        wait = int(decision.reason.split(" in ")[-1].split()[0])
        assert 1 <= wait <= 60
        assert may_submit(standing, NOON + timedelta(seconds=wait)) == Allowed()


def policy(grace: int = 0, per_day: int = 0, floor: int = 0) -> LatePolicy:
    return LatePolicy(grace, Decimal(per_day), Decimal(floor))


@pytest.mark.parametrize(
    ("deadline", "said"),
    [
        (Deadline(), ""),
        (Deadline(due_at=NOON, closes_at=NOON, late_policy=policy(per_day=10)), "Nothing is taken after that."),
        (Deadline(due_at=NOON), "Late work loses nothing."),
        (Deadline(due_at=NOON, late_policy=policy(per_day=10, floor=100)), "Late work loses nothing."),
        (Deadline(due_at=NOON, late_policy=policy(per_day=100)), "Late work earns no points."),
        (Deadline(due_at=NOON, late_policy=policy(per_day=60, floor=50)), "Late work keeps 50\xa0% of the points."),
        (
            Deadline(due_at=NOON, late_policy=policy(15, 10, 50)),
            "Late work loses 10\xa0% of the points for each day begun, but keeps at least 50\xa0%. "
            "The first 15 minutes cost nothing.",
        ),
        (
            Deadline(due_at=NOON, late_policy=policy(1, 10)),
            "Late work loses 10\xa0% of the points for each day begun. The first minute costs nothing.",
        ),
    ],
)  # fmt: skip
def test_what_late_costs(deadline: Deadline, said: str) -> None:
    assert cost_of_late(deadline) == said


def test_what_it_costs_now() -> None:
    deadline = Deadline(due_at=NOON, late_policy=policy(15, 10, 50))
    minute = timedelta(minutes=1)
    assert cost_now(Deadline(), NOON, ZURICH) == ""
    assert cost_now(deadline, NOON + 0.99 * minute, ZURICH) == ""
    assert cost_now(deadline, NOON + minute, ZURICH).endswith("submitting now still keeps all points.")
    assert cost_now(deadline, NOON + 16 * minute, ZURICH).endswith(
        "Submitting now keeps 90\xa0% of the points."
    )
    assert cost_now(deadline, NOON + timedelta(days=30), ZURICH).endswith("keeps 50\xa0% of the points.")
    nothing = replace(deadline, late_policy=policy(0, 50))
    assert "earns no points any more" in cost_now(nothing, NOON + timedelta(days=2), ZURICH)


@given(st.decimals(0, 100, places=2))
def test_percents_are_written_without_trailing_zeros(value: Decimal) -> None:
    number = percent(value).removesuffix("\xa0%")
    assert Decimal(number) == value
    assert "E" not in number
    assert not ("." in number and number.endswith("0"))


@given(
    days=st.integers(0, 20), minutes=st.integers(0, 1439), grace=st.integers(0, 60),
    per_day=st.integers(0, 100), floor=st.integers(0, 100),
)  # fmt: skip
def test_the_page_promises_what_the_late_policy_keeps(
    days: int, minutes: int, grace: int, per_day: int, floor: int
) -> None:
    deadline = Deadline(due_at=NOON, late_policy=policy(grace, per_day, floor))
    at = NOON + timedelta(days=days, minutes=minutes)
    kept = lateness(deadline.due_at, deadline.late_policy, at, ZURICH).percent_kept
    said = cost_now(deadline, at, ZURICH)
    assert (said == "") == (not deadline.is_past_due(at))
    if 0 < kept < 100:
        assert f"keeps {percent(kept)} of" in said
