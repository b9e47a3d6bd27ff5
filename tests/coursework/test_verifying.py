"""Verifying a file at a time comes to the same as verifying in one go, wherever it is interrupted."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from grader.assignment import Assignment
from grader.source import Source
from grader.verify import Verification, verify
from softmark.coursework.actions import as_json
from softmark.coursework.verifying import Standing, names_of, standing
from tests.grader.test_verify import ASSIGNMENT, GOOD, FakeGrader, Outcomes

CASES: dict[str, Outcomes] = {
    "whole": {},
    "missed": {"by-d": [".", ".", "."]},
    "misnamed": {"by-d": [".", "x no-mask", "x"]},
    "the solution fails": {"solution": [".", "x", "."]},
    "the checks break": {"solution": ["a", "a", "a"]},
    "a mistake breaks": {"no-mask": ["a", "a", "a"]},
    "the starter crashes": {"starter": ["c", "c", "n"]},
}


def step_by_step(folder: Assignment, grader: FakeGrader) -> list[Standing]:
    """Each time as another process would find it."""
    now = standing(folder, {})
    seen = [now]
    while now.next is not None:
        kept = json.loads(json.dumps(now.after(grader.grade(now.by, now.next)).reports))
        now = standing(folder, kept)
        seen.append(now)
    return seen


def as_kept(verification: Verification) -> dict[str, object]:
    return as_json(verification) | {"at": ""}


@pytest.mark.parametrize("changed", CASES.values(), ids=CASES)
def test_it_comes_to_the_same(changed: Outcomes) -> None:
    at_once = FakeGrader(GOOD | changed)
    whole = verify(ASSIGNMENT, at_once)
    by_steps = FakeGrader(GOOD | changed)
    *before, last = step_by_step(ASSIGNMENT, by_steps)
    assert as_kept(last.verification) == as_kept(whole)
    assert by_steps.graded == at_once.graded, "nothing twice, nothing that is not needed"
    for done, now in enumerate(before):
        assert [row.name for row in now.verification.table] == names_of(ASSIGNMENT)[:done]
        assert now.next == Source(at_once.graded[done])
        assert now.verification.problems == ()


def test_files_with_one_text_have_one_report() -> None:
    """A mistake that is the solution once more is not graded again, and passes every check."""
    copied = replace(ASSIGNMENT, files={**ASSIGNMENT.files, "mistakes/by-d.py": "solution"})
    grader = FakeGrader(GOOD)
    last = step_by_step(copied, grader)[-1]
    assert grader.graded.count("solution") == 1
    assert 'The mistake "by-d" passes every check.' in last.verification.problems[0]


def test_only_what_should_be_right_is_timed() -> None:
    *checks, last = ASSIGNMENT.checks
    timed = replace(ASSIGNMENT, checks=(*checks, replace(last, timed=True)))
    asked = {
        now.next: len(now.by.checks) for now in step_by_step(timed, FakeGrader(GOOD)) if now.next is not None
    }
    assert asked.pop(Source("solution")) == 3
    assert set(asked.values()) == {2}


def test_what_the_code_printed_is_not_kept() -> None:
    grader = FakeGrader(GOOD)
    first = standing(ASSIGNMENT, {})
    assert first.next is not None
    report = grader.grade(ASSIGNMENT, first.next)
    loud = replace(report, checks=tuple(replace(check, output="x" * 1000) for check in report.checks))
    assert "xxx" not in json.dumps(first.after(loud).reports)
