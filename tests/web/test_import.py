"""`manage.py import_assignment`: what it publishes, what it refuses, and what a course gets from it."""

from __future__ import annotations

import io
import sys
from datetime import UTC, datetime
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from grader.assignment import Device, load_assignment
from grader.grade import Grader
from softmark.courses.models import Schedule
from softmark.courses.queries import current_schedule
from softmark.coursework import importing
from softmark.coursework.actions import NotFit, place, publish
from softmark.coursework.importing import gate
from softmark.coursework.management.commands import import_assignment
from softmark.coursework.models import Assignment, AssignmentVersion
from tests.factories import make_course, make_submission
from tests.small_assignment import FILES, FILES_ON_GPU

pytestmark = pytest.mark.django_db


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A small assignment that the gate lets pass."""
    top = tmp_path / "double"
    for name, text in FILES.items():
        path = top / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return top


def run(folder: Path, *arguments: str) -> tuple[int, str, str]:
    """The exit code, and what was said on both streams."""
    out, err = io.StringIO(), io.StringIO()
    code = 0
    try:
        call_command("import_assignment", str(folder), *arguments, stdout=out, stderr=err)
    except SystemExit as end:
        code = int(end.code or 0)
    return code, out.getvalue(), err.getvalue()


def test_a_folder_becomes_a_version_with_its_table(folder: Path) -> None:
    code, said, _ = run(folder)
    assert code == 0
    assert "this assignment can be published" in said
    version = AssignmentVersion.objects.get()
    assert (version.slug, version.title, version.points) == ("double", "Twice", 2)
    assert version.files.keys() == FILES.keys()
    assert version.digest.startswith(version.version)
    assert f"Published as version {version.version}." in said
    kept = version.verification
    assert kept["checks"] == ["plain"]
    assert [row for row in kept["table"] if row["kind"] != "hostile"] == [
        {"name": "solution", "kind": "solution", "marks": ["passed"], "result": "2 of 2"},
        {"name": "starter", "kind": "starter", "marks": ["caught"], "result": "0 of 2"},
        {"name": "never-divided", "kind": "mistake", "marks": ["named"], "result": "named"},
    ]
    assert {row["result"] for row in kept["table"] if row["kind"] == "hostile"} == {"0 of 2"}
    assert kept["problems"] == []
    assert datetime.fromisoformat(kept["at"]).tzinfo is not None


def test_the_same_folder_is_graded_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(folder)

    def never(*_: Any, **__: Any) -> None:
        raise AssertionError("graded again")

    monkeypatch.setattr(import_assignment, "gate", never)
    code, said, _ = run(folder)
    assert code == 0
    assert "is here already" in said
    assert AssignmentVersion.objects.count() == 1


def test_a_folder_that_cannot_be_read_gives_all_its_problems(folder: Path) -> None:
    (folder / "solution.py").unlink()
    (folder / "mistakes" / "never-divided.py").unlink()
    code, _, said = run(folder)
    assert code == 2
    assert "cannot be used: 2 problems" in said
    assert "solution.py: This file is missing." in said
    assert "lists the mistake" in said


def test_what_does_not_pass_the_gate_is_not_saved(folder: Path) -> None:
    (folder / "mistakes" / "never-divided.py").write_text(FILES["solution.py"])
    code, said, told = run(folder)
    assert code == 1
    assert "passes every check" in said
    assert "Nothing was saved." in told
    assert not AssignmentVersion.objects.exists()
    with pytest.raises(NotFit):
        publish(gate(load_assignment(folder)))


def test_without_a_sandbox_nothing_is_published(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRADER_MINIMUM_RUNG", "9")
    code, _, told = run(folder)
    assert code == 3
    assert told.strip()
    assert not AssignmentVersion.objects.exists()


def on_gpu(folder: Path) -> Path:
    for name, text in FILES_ON_GPU.items():
        (folder / name).write_text(text)
    return folder


def test_one_for_a_gpu_is_verified_on_one(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importing, "Grader", partial(Grader, stand_in=True))
    code, said, _ = run(on_gpu(folder))
    assert code == 0
    assert "Published as version" in said
    assert AssignmentVersion.objects.get().device == Device.CUDA


def test_where_there_is_no_gpu_one_for_it_is_not_published(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "cupy", None)
    code, _, told = run(on_gpu(folder))
    assert code == 3
    assert "with a GPU can be had on this machine" in told
    assert "Traceback" not in told
    assert not AssignmentVersion.objects.exists()


def test_a_dry_run_saves_nothing(folder: Path) -> None:
    course = make_course()
    code, said, _ = run(folder, "--course", course.slug, "--dry-run")
    assert code == 0
    assert "Nothing was saved." in said
    assert not AssignmentVersion.objects.exists()
    assert not course.items.exists()


def test_into_a_course_with_its_times(folder: Path) -> None:
    course = make_course(time_zone="Europe/Zurich")
    code, said, _ = run(
        folder, "--course", course.slug, "--item-slug", "twice", "--attempts", "3", "--opens", "2026-11-20 08:00",
        "--due", "2026-12-01 23:59", "--closes", "2026-12-08 23:59", "--grace", "15", "--percent-per-day", "12.5",
        "--floor", "40",
    )  # fmt: skip
    assert code == 0
    assignment = Assignment.objects.get()
    item = assignment.item
    assert (item.slug, item.title, item.points, item.position) == ("twice", "Twice", 2, 1)
    assert assignment.attempts == 3
    schedule = current_schedule(item)
    assert schedule is not None
    assert schedule.due_at == datetime(2026, 12, 1, 22, 59, tzinfo=UTC)
    assert schedule.closes_at == datetime(2026, 12, 8, 22, 59, tzinfo=UTC)
    assert (schedule.grace_minutes, schedule.percent_per_day, schedule.floor_percent) == (
        15,
        Decimal("12.5"),
        40,
    )
    assert "Opens 2026-11-20 08:00, due 2026-12-01 23:59, closes 2026-12-08 23:59 (Europe/Zurich)." in said
    assert "Late costs 12.5 % a day; at least 40 % is kept." in said


def test_a_new_version_takes_the_place_of_the_old_and_submissions_keep_theirs(folder: Path) -> None:
    course = make_course()
    run(folder, "--course", course.slug, "--attempts", "3", "--due", "2026-12-01 23:59")
    assignment = Assignment.objects.get()
    old = assignment.version
    submission = make_submission(assignment)
    (folder / "prompt.md").write_text("# Twice, said better\n")
    code, said, _ = run(folder, "--course", course.slug)
    assert code == 0
    assignment.refresh_from_db()
    submission.refresh_from_db()
    assert assignment.version != old
    assert submission.version == old
    assert assignment.attempts == 3
    assert f"moved from version {old.version} to {assignment.version.version}" in said
    assert "What was handed in before (1) stays graded" in said
    assert Schedule.objects.count() == 1


def test_what_is_not_said_stays_and_a_date_can_be_taken_away(folder: Path) -> None:
    course = make_course()
    run(folder, "--course", course.slug, "--due", "2026-12-01 23:59", "--percent-per-day", "10")
    run(folder, "--course", course.slug, "--due", "2026-12-02 23:59")
    item = Assignment.objects.get().item
    schedule = current_schedule(item)
    assert schedule is not None
    assert schedule.percent_per_day == 10
    assert schedule.due_at == datetime(2026, 12, 2, 22, 59, tzinfo=UTC)
    run(folder, "--course", course.slug, "--due", "2026-12-02 23:59")  # says nothing new
    assert Schedule.objects.count() == 2
    run(folder, "--course", course.slug, "--due", "none")
    schedule = current_schedule(item)
    assert schedule is not None
    assert schedule.due_at is None


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["--course", "no-such-course"], "There is no course “no-such-course”. Courses: attention."),
        (["--due", "2026-12-01 23:59"], "--due: only with --course."),
        (["--course", "attention", "--due", "soon"], "“soon” is not a time."),
        (
            ["--course", "attention", "--due", "2026-12-01 12:00", "--closes", "2026-11-01 12:00"],
            "before it is due",
        ),
        (
            ["--course", "attention", "--opens", "2026-12-02 12:00", "--due", "2026-12-01 12:00"],
            "before it opens",
        ),
    ],
)
def test_a_command_that_cannot_be_used(folder: Path, arguments: list[str], why: str) -> None:
    course = make_course(slug="attention")
    code, _, told = run(folder, *arguments)
    assert code == 2
    assert why in told
    assert not course.items.exists()
    assert not AssignmentVersion.objects.exists()


def test_another_assignment_does_not_replace_this_one(folder: Path) -> None:
    course = make_course()
    run(folder, "--course", course.slug, "--item-slug", "first")
    manifest = folder / "assignment.toml"
    manifest.write_text(manifest.read_text().replace('slug = "double"', 'slug = "thrice"'))
    code, _, told = run(folder, "--course", course.slug, "--item-slug", "first")
    assert code == 2
    assert "cannot replace" in told
    assert Assignment.objects.get().version.slug == "double"
    assert not AssignmentVersion.objects.filter(slug="thrice").exists()


def test_items_follow_one_another(folder: Path) -> None:
    course = make_course()
    version = publish(gate(load_assignment(folder)))
    positions = [place(course, version, item_slug=slug).assignment.item.position for slug in ("a", "b", "c")]
    assert positions == [1, 2, 3]
