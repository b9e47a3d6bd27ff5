"""Every assignment of this repository may be published, and grades the same submission the same way each time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from bench.catalogue import REFERENCE, assignment
from grader.grade import Grader, SandboxUnavailable
from grader.report import Report, Verdict
from grader.source import Source
from grader.verify import Kind, verify

TIMES = 5


@pytest.fixture(scope="module")
def grader() -> Iterator[Grader]:
    try:
        with Grader() as grader:
            yield grader
    except SandboxUnavailable as unavailable:
        pytest.skip(str(unavailable))


@pytest.mark.parametrize("slug", REFERENCE)
def test_it_may_be_published(slug: str, grader: Grader) -> None:
    verification = verify(assignment(slug), grader)
    assert verification.problems == ()
    assert not any(note.startswith("No known mistake fails") for note in verification.notes), (
        verification.notes
    )
    mistakes = [row for row in verification.table if row.kind is Kind.MISTAKE]
    assert len(mistakes) >= 12


@pytest.mark.parametrize("slug", REFERENCE)
def test_it_belongs_to_a_lesson_and_explains_itself(slug: str) -> None:
    whole = assignment(slug)
    assert whole.lesson
    assert "## An example" in whole.files["prompt.md"] or "```" in whole.files["prompt.md"]
    assert any(check.file == "checks/public.py" for check in whole.checks)


@pytest.mark.parametrize("slug", REFERENCE)
def test_the_same_submission_has_the_same_report(slug: str, grader: Grader) -> None:
    whole = assignment(slug)
    # how long something takes is never the same
    whole = replace(whole, checks=tuple(check for check in whole.checks if not check.timed))
    for text, times in ((whole.files["solution.py"], 2), (whole.files[whole.mistakes[0].file], TIMES)):
        first, *others = [without_times(grader.grade(whole, Source(text))) for _ in range(times)]
        assert all(other == first for other in others)


def without_times(report: Report) -> dict[str, Any]:
    """What two runs have in common: all but times."""
    told = report.to_dict()
    del told["seconds"], told["provenance"]["started_at"]
    for check in told["checks"]:
        del check["seconds"]
    if any(check["verdict"] == Verdict.ASSIGNMENT_FAULT for check in told["checks"]):
        pytest.fail(f"{report.assignment} is at fault: {told['provenance']}")
    return told
