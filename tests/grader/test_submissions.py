"""Every fixture submission, graded for real on the strongest rung of the machine, against expected.toml."""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Iterator
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from grader.assignment import Assignment, load_assignment
from grader.grade import Grader, SandboxUnavailable
from grader.report import Report, Verdict, Visibility
from grader.source import read_source

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "fixtures" / "submissions"
EXPECTED: dict[str, dict[str, Any]] = tomllib.loads((FOLDER / "expected.toml").read_text("utf-8"))
KINDS = ("right", "wrong", "hostile")
SLUGS = ("scaled-dot-product", "causal-mask")

# The worker holds such things in its environment; none of them may reach a submission, or a report.
SECRET = "sqrt-of-a-secret-4d1f"

REPORT_KEYS = "assignment version verdict points max_points rung seconds checks mistakes provenance".split()
CHECK_KEYS = "id title verdict points max_points message mistake visibility seconds output flag".split()
PROVENANCE_KEYS = set(
    "code_sha256 assignment_version grader numpy python machine device rung seed started_at".split()
)


@cache
def assignment(slug: str) -> Assignment:
    return load_assignment(ROOT / "assignments" / slug)


@pytest.fixture(scope="session")
def grader() -> Iterator[Grader]:
    os.environ["SOFTMARK_SECRET"] = SECRET
    try:
        with Grader() as grader:
            yield grader
    except SandboxUnavailable as unavailable:
        pytest.skip(str(unavailable))
    finally:
        os.environ.pop("SOFTMARK_SECRET", None)


def test_the_list_and_the_folder_hold_the_same_files() -> None:
    files = {
        path.relative_to(FOLDER).as_posix()
        for path in FOLDER.rglob("*")
        if path.is_file() and path.name != "expected.toml" and "__pycache__" not in path.parts
    }
    assert files == EXPECTED.keys()


def test_a_files_place_says_what_it_is() -> None:
    places = {tuple(file.split("/")[:-1]) for file in EXPECTED}
    assert places == {(slug, kind) for slug in SLUGS for kind in KINDS}
    for file, expected in EXPECTED.items():
        assert expected.keys() <= {"verdict", "points", "mistakes", "checks"}, file
        right = file.split("/")[1] == "right"
        assert (expected["points"] == "all") is right, file
        assert (expected["verdict"] == Verdict.PASSED) is right, file
        if "hostile" in file:
            assert expected["points"] == 0, file


@pytest.mark.parametrize(("kind", "least"), [("right", 14), ("wrong", 15), ("hostile", 12)])
@pytest.mark.parametrize("slug", SLUGS)
def test_there_are_enough_of_each_kind(slug: str, kind: str, least: int) -> None:
    assert sum(file.startswith(f"{slug}/{kind}/") for file in EXPECTED) >= least


@pytest.mark.parametrize("slug", SLUGS)
def test_the_file_from_windows_is_still_one(slug: str) -> None:
    """An editor or a hook that cleans up line ends would take away what the file is there for."""
    data = (FOLDER / slug / "right" / "windows_editor.py").read_bytes()
    assert data.startswith(b"\xef\xbb\xbf")
    assert data.count(b"\r\n") == data.count(b"\n") > 10
    assert max(data.decode()) > "\U0001f000"  # an emoji


def test_no_fixture_is_a_copy_of_a_known_mistake() -> None:
    """Naming has to recognise what a student wrote, not what the author did."""
    codes = {"".join(text.split()) for slug in SLUGS for text in assignment(slug).files.values()}
    for file in EXPECTED:
        if "starter" not in file:
            assert "".join((FOLDER / file).read_text("utf-8").split()) not in codes, file


@pytest.mark.parametrize("file", EXPECTED)
def test_submission(grader: Grader, file: str) -> None:
    slug = file.split("/")[0]
    report = grader.grade(assignment(slug), read_source(FOLDER / file))
    assert summary(report, EXPECTED[file]) == wanted(assignment(slug), EXPECTED[file]), words(report)
    every_check_has_its_row(report, assignment(slug))
    the_words_are_fit_to_be_shown(report)
    it_survives_as_json(report)


def summary(report: Report, expected: dict[str, Any]) -> dict[str, Any]:
    """What expected.toml speaks of, as the report has it."""
    verdicts = {check.id: str(check.verdict) for check in report.checks}
    return {
        "verdict": str(report.verdict),
        "points": report.points,
        "mistakes": sorted(mistake.id for mistake in report.mistakes),
        "checks": {id: verdicts.get(id) for id in expected.get("checks", {})},
    }


def wanted(assignment: Assignment, expected: dict[str, Any]) -> dict[str, Any]:
    points = expected["points"]
    return {
        "verdict": expected["verdict"],
        "points": assignment.points if points == "all" else Decimal(str(points)),
        "mistakes": sorted(expected["mistakes"]),
        "checks": expected.get("checks", {}),
    }


def words(report: Report) -> str:
    """For whoever reads a failure."""
    return "\n".join(f"{row.id}: {row.verdict} [{row.mistake}] {row.message}" for row in report.checks)


def every_check_has_its_row(report: Report, assignment: Assignment) -> None:
    assert [row.id for row in report.checks] == [spec.id for spec in assignment.checks]
    assert report.max_points == assignment.points
    for row in report.checks:
        assert row.points == (row.max_points if row.verdict is Verdict.PASSED else 0), row
        assert not row.verdict.is_fault, row  # nobody is to blame but the student


def the_words_are_fit_to_be_shown(report: Report) -> None:
    for row in report.checks:
        assert bool(row.message) is (row.verdict is not Verdict.PASSED), row
        assert "Traceback" not in row.message
        if row.visibility is not Visibility.PUBLIC:
            assert row.output == ""
            assert "yours" not in row.message  # values of hidden inputs
    assert SECRET not in report.to_json()
    assert str(ROOT) not in report.to_json()


def it_survives_as_json(report: Report) -> None:
    told = json.loads(report.to_json())
    assert told == report.to_dict()
    assert list(told) == REPORT_KEYS
    assert all(list(check) == CHECK_KEYS for check in told["checks"])
    assert all(list(mistake) == ["id", "hint"] for mistake in told["mistakes"])
    assert told["provenance"].keys() == PROVENANCE_KEYS
    assert Decimal(str(told["points"])) == report.points


def test_whoever_comes_next_is_graded_as_ever(grader: Grader) -> None:
    """After everything hostile, the same zygotes still grade a right answer."""
    for slug in SLUGS:
        for file in EXPECTED:
            if file.startswith(f"{slug}/hostile/") and EXPECTED[file]["verdict"] != "time limit":
                grader.grade(assignment(slug), read_source(FOLDER / file))
    report = grader.grade(assignment(SLUGS[0]), read_source(FOLDER / SLUGS[0] / "right" / "plain.py"))
    assert report.verdict is Verdict.PASSED
