"""Who may do what in a course; and that every No gives its reason."""

from __future__ import annotations

import inspect

import pytest

from softmark.courses import policies
from softmark.courses.models import Role
from softmark.courses.policies import Denied

RULES = {
    name: rule
    for name, rule in inspect.getmembers(policies, inspect.isfunction)
    if name.startswith("may_") and list(inspect.signature(rule).parameters) == ["role"]
}
WHO_MAY = {
    "may_see_course": {Role.STUDENT, Role.TA, Role.INSTRUCTOR},
    "may_see_people": {Role.TA, Role.INSTRUCTOR},
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
