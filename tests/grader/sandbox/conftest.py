"""Graders on every rung that the machine offers, and assignments made for a test."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import Decimal

import pytest

from grader.assignment import Assignment, CheckSpec, Limits, MistakeSpec
from grader.grade import Grader, SandboxUnavailable
from grader.report import Report, Visibility
from grader.source import Source
from tests.grader.sandbox.surroundings import Surroundings

# Where no limit of time is to be met: on a busy machine a right answer may take a second.
PATIENT = Limits(call_seconds=10.0, load_seconds=10.0, total_seconds=20.0, memory_mb=512)

# Two checks that a right submission passes: `attention` must be attention, `double` must double.
CHECKS = """
import numpy as np
from grader.checks import Call, Failed, property_check, ask_array, require
from grader.report import Verdict

SECRET_EXPECTED = "oracle-of-the-judge"


@property_check("a")
def a(student, draw):
    x = draw.normal(16, 64)
    scores = x @ x.T / 8
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    right = weights / weights.sum(-1, keepdims=True) @ x
    got = ask_array(student, Call(x, x, x), x.shape, x.dtype)
    require(bool(np.abs(got - right).max() < 1e-4), "not attention")


@property_check("b")
def b(student, draw):
    x = draw.normal(300, 600)
    got = ask_array(student, Call(x, np.zeros(1, np.float32), None), x.shape, x.dtype)
    require(bool((got == 2 * x).all()), "not doubled")
"""

RIGHT = """
import numpy as np


def attention(q, k, v):
    if v is None:
        return 2 * q
    s = q @ k.T / 8
    w = np.exp(s - s.max(-1, keepdims=True))
    return w / w.sum(-1, keepdims=True) @ v
"""


def make_assignment(
    checks: str = CHECKS, *, ids: str = "ab", limits: Limits = PATIENT, solution: str = RIGHT,
    mistakes: dict[str, str] | None = None, visibility: Visibility = Visibility.PUBLIC, timed: str = "",
) -> Assignment:  # fmt: skip
    """An assignment in memory, with one check of one point for each letter of `ids`; `timed`: the speed checks."""
    mistakes = mistakes or {}
    specs = tuple(CheckSpec(id_, f"check {id_}", Decimal(1), visibility, id_ in timed) for id_ in ids)
    files = {specs[0].file: checks, "solution.py": solution}
    files |= {f"mistakes/{id_}.py": text for id_, text in mistakes.items()}
    given = (checks, ids, solution, limits, visibility, timed, tuple(mistakes.items()))
    version = f"{abs(hash(given)):012x}"[:12]
    return Assignment(
        slug="made-for-a-test", title="Made for a test", summary="", function="attention",
        signature="attention(q, k, v)",
        points=Decimal(len(ids)), limits=limits, checks=specs,
        mistakes=tuple(MistakeSpec(id_, f"hint of {id_}") for id_ in mistakes), files=files, version=version,
    )  # fmt: skip


def source(text: str) -> Source:
    return Source(text, (), ())


def by_rung(make: Callable[[int], Grader]) -> Iterator[Callable[[int], Grader]]:
    """For a fixture: the warm Grader of a rung; skips where the machine does not offer it."""
    opened: dict[int, Grader | str] = {}

    def get(rung: int) -> Grader:
        if rung not in opened:
            try:
                opened[rung] = make(rung)
            except SandboxUnavailable as why:
                opened[rung] = str(why)
        found = opened[rung]
        if isinstance(found, str):
            pytest.skip(found)
        return found

    yield get
    for found in opened.values():
        if isinstance(found, Grader):
            found.close()


@pytest.fixture(scope="session")
def graders() -> Iterator[Callable[[int], Grader]]:
    yield from by_rung(lambda rung: Grader(rung=rung))


@pytest.fixture(params=[1, 2, 3, 4], ids=lambda number: f"rung{number}")
def grader(request: pytest.FixtureRequest, graders: Callable[[int], Grader]) -> Grader:
    return graders(request.param)


@pytest.fixture(scope="session")
def best_grader(graders: Callable[[int], Grader]) -> Grader:
    """A Grader on the strongest rung there is."""
    from grader.sandbox.zygotes import open_pair

    pair = open_pair(None, 4)
    pair.close()
    return graders(pair.rung.number)


def verdicts(report: Report) -> dict[str, str]:
    return {check.id: str(check.verdict) for check in report.checks}


@pytest.fixture(scope="session")
def surroundings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Surroundings]:
    """What an attack must neither reach nor leave behind."""
    found = Surroundings(tmp_path_factory.mktemp("surroundings"))
    yield found
    found.close()
