"""The demo course: graded for real, made once, and only where its passwords do no harm."""

from __future__ import annotations

import io
import shutil
import tomllib
from collections import Counter
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import timezone
from pytest_django.fixtures import Settings

from softmark.accounts.models import User
from softmark.config.demo.play import is_played
from softmark.config.demo.script import Script, read_script
from softmark.courses.models import Course, Enrolment, Role
from softmark.gradebook.grade import Grade, State
from softmark.gradebook.queries import grid
from softmark.home.demo_people import PASSWORD
from softmark.lessons.importing import bring, read_texts
from softmark.lessons.models import Prediction
from softmark.submissions.models import Status, Submission
from tests.factories import make_assignment_version, make_user, shipped_lessons

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


def test_the_course_is_played(
    script: Script, settings: Settings, client: Client, root: Path, tmp_path: Path
) -> None:
    settings.DEMO = True
    for task in script.tasks:  # as if imported before: tests/web/test_import.py sees to the gate
        make_assignment_version(task.folder)
    assert load() == (0, "The demo course “Attention, from scratch” is ready.\n")

    course = Course.objects.get()
    roles = Counter(course.enrolments.values_list("role", flat=True))
    assert roles == {Role.STUDENT: 12, Role.TA: 1, Role.INSTRUCTOR: 1}
    assert course.sections.count() == 2
    items = [item.slug for item in course.items.all()]
    lessons = [lesson.id for lesson in script.lessons]
    assert items == [*lessons, *(task.folder for task in script.tasks)], "lessons come first"

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

    # Lessons and a quiz, of all kinds as well.
    def lesson_grades(slug: str) -> dict[str, Grade]:
        number = [column.item.slug for column in table.columns].index(slug)
        return {row.enrolment.user.email.partition("@")[0]: row.grades[number] for row in table.rows}

    read, quiz = lesson_grades("query-key-value"), lesson_grades("quiz-attention-basics")
    assert (read["ada"].points, read["ada"].max, read["ada"].is_late) == (12, 12, False)
    assert (read["ben"].points, read["gustav"].state) == (6, State.NOT_SUBMITTED)
    assert (read["chiara"].points, read["chiara"].is_late) == (9, True)
    assert (read["hana"].state, read["hana"].worth) == (State.UNDER_WAY, None)
    assert quiz["keiko"].points == 10
    assert [answer.answered for answer in quiz["luca"].answers] == [True, True, True, False, False]
    assert quiz["luca"].state is State.GRADED
    assert lesson_grades("which-meaning")["ben"].points == 5, "what counts is that it was made"
    assert lesson_grades("masks-and-heads")["ada"].state is State.NOT_DUE
    predictions = Prediction.objects.count()
    assert predictions >= sum(len(walk.answers) for walk in script.walks)

    # Again: nothing happens, and quickly.
    before = Submission.objects.count()
    assert load() == (0, "The demo course “Attention, from scratch” is here.\n")
    assert (Submission.objects.count(), Prediction.objects.count()) == (before, predictions)

    # But where a lesson was edited, it is imported again.
    edited = Path(shutil.copytree(root / "fixtures" / "lessons", tmp_path / "lessons"))
    assert is_played(script, edited)
    lesson = edited / "generating-with-a-cache.md"
    lesson.write_text(lesson.read_text() + "\nA line more.\n")
    assert not is_played(script, edited)

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


def test_one_that_an_older_release_made_stays_and_the_site_starts(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, root: Path
) -> None:
    settings.DEMO = True

    def play(script: Script, *folders: Any) -> Course:
        """As far as lessons go: one of them has got another id since."""
        course, _ = Course.objects.get_or_create(slug=script.slug)
        (cache,) = (each for each in shipped_lessons() if each.id == "generating-with-a-cache")
        before = cache.text.replace("id: generating-with-a-cache", "id: kv-cache")
        bring(course, [read_texts("kv-cache.md", before, cache.data)])
        bring(course, shipped_lessons())
        return course

    monkeypatch.setattr("softmark.config.management.commands.load_demo.play", play)
    code, said = load()
    assert code == 0
    assert "stays as an older release made it" in said
    assert "with the id “kv-cache”" in said
    assert "start with an empty data folder" in said


def test_the_script_names_only_what_is_there(script: Script, root: Path) -> None:
    handles = {person.handle for person in script.people}
    folders = {task.folder for task in script.tasks}
    for each in script.hand_ins:
        assert (root / "fixtures" / "submissions" / each.assignment / each.file).is_file()
    for some in (script.hand_ins, script.extensions, script.by_hand):
        assert {each.student for each in some} <= handles
        assert {each.assignment for each in some} <= folders
    lessons = {path.stem for path in (root / "fixtures" / "lessons").glob("*.md")}
    assert lessons == {lesson.id for lesson in script.lessons}
    assert {walk.lesson for walk in script.walks} <= lessons
    assert {walk.student for walk in script.walks} | {
        each.student for each in script.accommodations
    } <= handles
    assert len({(walk.lesson, walk.student) for walk in script.walks}) == len(script.walks)
    assert len({each.token for each in script.hand_ins}) == len(script.hand_ins)
