"""Fixture submissions through the whole path: a browser's form, the queue, a worker, the report on its page.

What each is graded as, other tests ask the grader; here every eighth goes all the way, and with EVERY_SUBMISSION=1 all.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from softmark.grading.models import Run
from softmark.submissions.models import Status, Submission
from softmark.ui.words import shown_points
from tests.browser.steps import address, expect_graded, upload
from tests.factories import ROOT, enrol, make_assignment, make_assignment_version, make_schedule

FOLDER = ROOT / "fixtures" / "submissions"
EXPECTED: dict[str, dict[str, Any]] = tomllib.loads((FOLDER / "expected.toml").read_text("utf-8"))
FOLDERS = sorted({file.rpartition("/")[0] for file in EXPECTED})
ONE_OF = 1 if "EVERY_SUBMISSION" in os.environ else 8
STUDENTS = 6  # take turns: while the others hand in, the page of the first waits for its report


@pytest.mark.parametrize("folder", FOLDERS)
@pytest.mark.usefixtures("grading")
def test_what_comes_out_is_what_is_expected(visit: Callable[..., Page], folder: str) -> None:
    assignment = make_assignment(version=make_assignment_version(folder.split("/")[0]))
    # All checks are shown, and late costs nothing.
    make_schedule(assignment.item, due_at=timezone.now() - timedelta(days=1), percent_per_day=0)
    pages = [visit(enrol(assignment.course)) for _ in range(STUDENTS)]
    files = [file for file in EXPECTED if file.startswith(f"{folder}/")][::ONE_OF]
    came_from: dict[int, str] = {}  # the file of each submission
    open_reports: dict[Page, str] = {}

    for file, page in zip(files, cycle(pages), strict=False):
        if page in open_reports:
            its_points_are_on_the_page(page, open_reports[page])
        page.goto(address(assignment), wait_until="domcontentloaded")
        upload(page, FOLDER / file)
        page.wait_for_url("**/submissions/*/", wait_until="commit")
        came_from[int(page.url.rstrip("/").rpartition("/")[2])] = open_reports[page] = file
    for page, file in open_reports.items():
        its_points_are_on_the_page(page, file)

    submissions = Submission.objects.all()
    names = {each.pk: each.filename for each in submissions}
    assert names == {number: Path(file).name for number, file in came_from.items()}
    assert {each.status for each in submissions} == {Status.GRADED}
    runs = {came_from[run.submission_id]: run for run in Run.objects.all()}
    got = {file: summary(run, EXPECTED[file]) for file, run in runs.items()}
    assert got == {file: wanted(EXPECTED[file], all_of(file)) for file in files}


def its_points_are_on_the_page(page: Page, file: str) -> None:
    """Without loading it again."""
    points = wanted(EXPECTED[file], all_of(file))["points"]
    shown, most = shown_points(points, all_of(file))
    expect_graded(page, f"{shown} of {most} points", before=STUDENTS - 1)
    if EXPECTED[file]["verdict"] != "passed":
        expect(page.locator(".checks details[open] .message").first, file).to_be_visible()
    expect(page.locator("#hints-title"), file).to_have_count(1 if EXPECTED[file]["mistakes"] else 0)


def all_of(file: str) -> Decimal:
    return make_assignment_version(file.split("/")[0]).points


def summary(run: Run, expected: dict[str, Any]) -> dict[str, Any]:
    """What expected.toml speaks of, as the database has it."""
    verdicts = {check["id"]: check["verdict"] for check in run.report["checks"]}
    return {
        "verdict": run.verdict,
        "points": run.points,
        "mistakes": sorted(mistake["id"] for mistake in run.report["mistakes"]),
        "checks": {id: verdicts.get(id) for id in expected.get("checks", {})},
    }


def wanted(expected: dict[str, Any], most: Decimal) -> dict[str, Any]:
    points = expected["points"]
    return {
        "verdict": expected["verdict"],
        "points": most if points == "all" else Decimal(str(points)),
        "mistakes": sorted(expected["mistakes"]),
        "checks": expected.get("checks", {}),
    }


UNREADABLE = [
    ("attention.py", b"", "empty"),
    ("attention.py", b"\x7fELF\x00\x01\x02", "a compiled program"),
    ("attention.ipynb", b"{", "notebook"),
    ("attention.pdf", b"%PDF-1.7", ".py"),
]


def test_what_cannot_be_read_is_refused_with_a_sentence(visit: Callable[..., Page], tmp_path: Path) -> None:
    assignment = make_assignment(attempts=3)
    page = visit(enrol(assignment.course))
    page.goto(address(assignment))
    for name, content, sentence in UNREADABLE:
        (tmp_path / name).write_bytes(content)
        upload(page, tmp_path / name)
        expect(page.get_by_role("alert")).to_contain_text(sentence)
        expect(page.get_by_text("3 of 3 left")).to_be_visible()
    assert not Submission.objects.exists()
