"""How long somebody has who was given more time."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from softmark.courses.extra_time import said_factor, said_limit, time_for

factors = st.integers(100, 1000).map(lambda number: Decimal(number) / 100)


@given(st.integers(1, 1000), factors)
def test_nobody_gets_less_than_the_limit_nor_a_second_more_than_their_part(
    minutes: int, factor: Decimal
) -> None:
    exact = timedelta(minutes=minutes) * float(factor)
    assert timedelta(minutes=minutes) <= time_for(minutes, factor)
    assert (
        timedelta(milliseconds=-1) <= time_for(minutes, factor) - exact < timedelta(seconds=1, milliseconds=1)
    )


@given(st.integers(1, 1000), factors, factors)
def test_a_larger_factor_is_never_less_time(minutes: int, one: Decimal, other: Decimal) -> None:
    assert (time_for(minutes, one) <= time_for(minutes, other)) or one > other


@pytest.mark.parametrize(
    ("minutes", "factor", "said"),
    [
        (60, "1", "60 minutes"),
        (1, "1.00", "1 minute"),
        (60, "1.5", "90 minutes for you: 60, and half as much again"),
        (60, "1.25", "75 minutes for you: 60, and a quarter as much again"),
        (45, "2.00", "90 minutes for you: 45, twice that"),
        (45, "1.3", "58.5 minutes for you: 45, times 1.3"),
    ],
)
def test_a_limit_in_words(minutes: int, factor: str, said: str) -> None:
    assert said_limit(minutes, Decimal(factor)) == said


def test_a_factor_in_words() -> None:
    assert said_factor(Decimal("1.50")) == "1.5 times the time"
    assert said_factor(Decimal(1)) == "the time of the others"
