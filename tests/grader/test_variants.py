"""The 62 wrong attentions that the assignments are measured by: each is caught, and named as itself."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from typing import Any

import pytest

from bench import peers
from tests.grader.numerics.harness import Loaded

VARIANTS = peers.variants()


def test_there_are_62() -> None:
    assert len(VARIANTS) == 62
    assert len({id_ for _, id_, _ in VARIANTS}) == 62
    listed = tomllib.loads(peers.VARIANTS.read_text())
    assert sum(len(each["mistakes"]) for each in listed.values()) == 62


@pytest.fixture(scope="module")
def loaded() -> dict[str, Loaded]:
    return {slug: Loaded(slug) for slug, _, _ in VARIANTS}


@pytest.mark.parametrize(("slug", "id_", "function"), VARIANTS, ids=[id_ for _, id_, _ in VARIANTS])
def test_each_is_caught_and_named_as_itself(
    slug: str, id_: str, function: Callable[..., Any], loaded: dict[str, Loaded]
) -> None:
    outcomes = loaded[slug].grade(function)
    names = {outcome.mistake for outcome in outcomes.values() if outcome.mistake is not None}
    assert any(outcome.failure is not None for outcome in outcomes.values())
    alike = loaded[slug].same_as.get(id_, frozenset())
    assert names
    assert names <= {id_} | alike


def test_what_others_let_pass_is_measured_on_right_answers_too() -> None:
    """A suite that failed what is right would make its count worth nothing."""
    from grader.reference import attention

    for suite in peers.suites():
        assert suite.lets_pass(attention), suite.name
