"""Who may do what in a course; and that every No gives its reason."""

from __future__ import annotations

import inspect
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from softmark.courses import policies
from softmark.courses.deadlines import Deadline
from softmark.courses.models import Role
from softmark.courses.policies import Allowed, Denied, may_extend

RULES = {
    name: rule
    for name, rule in inspect.getmembers(policies, inspect.isfunction)
    if name.startswith("may_") and list(inspect.signature(rule).parameters) == ["role"]
}
WHO_MAY = {
    "may_see_course": {Role.STUDENT, Role.TA, Role.INSTRUCTOR},
    "may_see_people": {Role.TA, Role.INSTRUCTOR},
    "may_accommodate": {Role.INSTRUCTOR},
    "may_see_own_grades": {Role.STUDENT},
    "may_see_gradebook": {Role.TA, Role.INSTRUCTOR},
    "may_change_grades": {Role.INSTRUCTOR},
}


@pytest.mark.parametrize("name", sorted(WHO_MAY.keys() | RULES.keys()))
def test_each_rule_allows_whom_it_should(name: str) -> None:
    assert {role for role in Role if RULES[name](role).allowed} == WHO_MAY[name]


@pytest.mark.parametrize("name", sorted(RULES))
def test_a_no_gives_its_reason_in_a_sentence(name: str) -> None:
    for role in Role:
        decision = RULES[name](role)
        if isinstance(decision, Denied):
            assert decision.reason[0].isupper()
            assert decision.reason.endswith(".")


# -- extensions

DUE = datetime(2026, 12, 1, 22, 59, tzinfo=UTC)
DAY = timedelta(days=1)
ZURICH = ZoneInfo("Europe/Zurich")


@pytest.mark.parametrize(
    "schedule", [Deadline(due_at=DUE), Deadline(closes_at=DUE), Deadline(due_at=DUE, closes_at=DUE + DAY)]
)
def test_an_extension_is_later_than_for_the_others(schedule: Deadline) -> None:
    minute = timedelta(minutes=1)
    assert may_extend(schedule, None, DUE + minute, ZURICH) == Allowed()
    assert may_extend(schedule, DUE + DAY, DUE + minute, ZURICH) == Allowed(), (
        "less than the one before, if need be"
    )
    for until in (DUE, DUE - DAY):
        denied = may_extend(schedule, None, until, ZURICH)
        assert isinstance(denied, Denied)
        assert "until Tue 1 Dec 2026, 23:59 CET" in denied.reason, "on the clocks of the course"


def test_only_what_was_given_can_be_taken_back() -> None:
    assert may_extend(Deadline(due_at=DUE), DUE + DAY, None, ZURICH) == Allowed()
    denied = may_extend(Deadline(due_at=DUE), None, None, ZURICH)
    assert isinstance(denied, Denied)
    assert "until when" in denied.reason


def test_the_same_date_again_is_no_extension() -> None:
    assert isinstance(may_extend(Deadline(due_at=DUE), DUE + DAY, DUE + DAY, ZURICH), Denied)


@pytest.mark.parametrize("schedule", [None, Deadline(), Deadline(opens_at=DUE)])
def test_what_is_never_due_cannot_be_extended(schedule: Deadline | None) -> None:
    assert isinstance(may_extend(schedule, None, DUE, ZURICH), Denied)
    assert isinstance(may_extend(schedule, DUE, None, ZURICH), Denied)
