"""The demo course: graded for real, made once, and only where its passwords do no harm."""

from __future__ import annotations

import io
import tomllib
from collections import Counter
from decimal import Decimal
from pathlib import Path

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import timezone
from pytest_django.fixtures import Settings

from softmark.accounts.models import User
from softmark.config.demo.play import LESSONS
from softmark.config.demo.script import Script, read_script
from softmark.courses.models import Course, Enrolment, Role
from softmark.gradebook.grade import State
from softmark.gradebook.queries import grid
from softmark.home.demo_people import PASSWORD
from softmark.submissions.models import Status, Submission
from tests.factories import make_assignment_version, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def script(root: Path) -> Script:
    return read_script(root / "fixtures")


def load(*arguments: str) -> tuple[int, str]:
    """The exit code, and what was said."""
    said = io.StringIO()
    code = 0
    try:
        call_command("load_demo", *arguments, stdout=said, stderr=said)
    except SystemExit as end:
        code = int(end.code or 0)
    return code, said.getvalue()


def test_the_course_is_played(script: Script, settings: Settings, client: Client, root: Path) -> None:
    settings.DEMO = True
    for task in script.tasks:  # as if imported before: tests/web/test_import.py sees to the gate
        make_assignment_version(task.folder)
    assert load() == (0, "The demo course “Attention, from scratch” is ready.\n")

    course = Course.objects.get()
    roles = Counter(course.enrolments.values_list("role", flat=True))
    assert roles == {Role.STUDENT: 8, Role.TA: 1, Role.INSTRUCTOR: 1}
    assert course.sections.count() == 2
    items = [item.slug for item in course.items.all()]
    assert items == [*LESSONS, *(task.folder for task in script.tasks)], "lessons come first"

    # What came out is what the fixtures are known to give.
    expected = tomllib.loads((root / "fixtures" / "submissions" / "expected.toml").read_text())
    files = {each.token: f"{each.assignment}/{each.file}" for each in script.hand_ins}
    states: Counter[str] = Counter()
    for submission in Submission.objects.prefetch_related("runs"):
        states[submission.status] += 1
        for run in submission.runs.all():
            known = expected[files[submission.token]]
            assert run.verdict == known["verdict"]
            assert run.points == (run.max_points if known["points"] == "all" else Decimal(known["points"]))
            assert [each["id"] for each in run.report["mistakes"]] == known["mistakes"]
    assert states == {Status.GRADED: len(files) - 1, Status.HELD: 1}

    # Grades of every kind.
    now = timezone.now()
    table = grid(course, now)
    first = [column.item.slug for column in table.columns].index(script.tasks[0].folder)
    grades = {row.enrolment.user.email.partition("@")[0]: row.grades[first] for row in table.rows}
    assert (grades["ada"].points, grades["ada"].is_late) == (10, False)
    assert (grades["ben"].points, grades["ben"].overridden, grades["ben"].automatic) == (4, True, 0)
    assert (grades["chiara"].points, grades["chiara"].is_late) == (9, True)
    assert (grades["elif"].points, grades["elif"].is_late, grades["elif"].deadline.extended) == (
        10,
        False,
        True,
    )
    assert grades["dmitri"].points == 9
    assert grades["gustav"].state is State.NOT_SUBMITTED
    assert grades["hana"].state is State.EXCUSED

    # Again: nothing happens, and quickly.
    before = Submission.objects.count()
    assert load() == (0, "The demo course “Attention, from scratch” is here.\n")
    assert Submission.objects.count() == before

    # Everybody can sign in, and has a page.
    _, people = load("--people")
    for user in User.objects.all():
        assert user.email in people
        assert client.login(username=user.email, password=PASSWORD)
        assert client.get("/").status_code == 200
    assert PASSWORD in people


def test_only_where_it_is_a_demo(settings: Settings) -> None:
    settings.DEMO = False
    code, said = load()
    assert code == 2
    assert "DEMO=1" in said
    assert not User.objects.exists()


def test_not_beside_people_of_its_own(settings: Settings) -> None:
    settings.DEMO = True
    make_user()
    code, said = load()
    assert code == 0
    assert "There are people here already" in said
    assert not Enrolment.objects.exists()
    assert load("--people") == (0, "")


def test_without_a_sandbox_it_says_so(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.DEMO = True
    monkeypatch.setenv("GRADER_MINIMUM_RUNG", "9")
    code, said = load()
    assert code == 2
    assert "Nothing can be graded here" in said
    assert not User.objects.exists()


def test_the_script_names_only_what_is_there(script: Script, root: Path) -> None:
    handles = {person.handle for person in script.people}
    folders = {task.folder for task in script.tasks}
    for each in script.hand_ins:
        assert (root / "fixtures" / "submissions" / each.assignment / each.file).is_file()
    for some in (script.hand_ins, script.extensions, script.by_hand):
        assert {each.student for each in some} <= handles
        assert {each.assignment for each in some} <= folders
    assert {path.stem for path in (root / "fixtures" / "lessons").glob("*.md")} == set(LESSONS)
    assert len({each.token for each in script.hand_ins}) == len(script.hand_ins)
