"""Every page of the demo course, as everybody who sees another one of it sees it."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.core.management import call_command
from django.urls import reverse
from django.utils import timezone
from pytest_django.fixtures import Settings

from softmark.accounts.models import User
from softmark.courses.models import Course, Item, Role
from softmark.coursework.models import Assignment, Upload, UploadStatus
from softmark.gradebook.models import Event
from softmark.home.demo_people import COURSE, DOMAIN
from softmark.lessons import actions as lessons
from softmark.lessons import revisiting
from softmark.lessons.models import Draw, Lesson, Prediction, Revisit
from softmark.lessons.standing import Asked
from softmark.submissions.models import Status, Submission, Work
from tests.factories import (
    enrol,
    folder_of,
    make_assignment_version,
    make_course,
    make_submission,
    make_upload,
    make_user,
)

ASSIGNMENTS = ("scaled-dot-product", "causal-mask")
LESSON = "query-key-value"
WRITTEN = "attention-on-a-sentence"
QUIZ = "quiz-attention-basics"
NOBODY, STUDENT, TA, INSTRUCTOR, ADMIN = "nobody", "ada", "tomas", "ruth", "admin"
STAFF = (TA, INSTRUCTOR, ADMIN)
MOST_MISTAKES = 20  # of a table: axe takes its time for each cell


@dataclass(frozen=True)
class Place:
    """A page: its name, by whom (what stands before the @), where, and what is to be opened on it."""

    name: str
    who: str
    path: str
    opened: str = ""

    @property
    def group(self) -> str:
        """Those that are looked at in one test."""
        if self.name.startswith(("upload", "verification")):
            return "authors"
        return "staff" if self.who in STAFF else "students"

    def __str__(self) -> str:
        return f"{self.name}-{self.who}"


def load_demo(settings: Settings) -> None:
    """The demo course, and what it lacks: a draft, a submission that waits, a comment, uploads, an empty course."""
    settings.DEMO = True
    make_assignment_version(ASSIGNMENTS[0])  # as if imported before
    make_assignment_version(ASSIGNMENTS[1], verification=table_of(ASSIGNMENTS[1]))
    call_command("load_demo", stdout=io.StringIO())
    course = Course.objects.get(slug=COURSE)
    first, second = (Assignment.objects.get(item__course=course, item__slug=slug) for slug in ASSIGNMENTS)
    gustav, ada, ruth = (person(who) for who in ("gustav", "ada", "ruth"))
    make_submission(second, gustav)
    Work.objects.update_or_create(
        assignment=first, student=gustav, defaults={"draft": "# a plan", "drafted_at": timezone.now()}
    )
    Event.objects.create(
        course=course, item=first.item, student=ada, kind="comment", reason="Well done.", actor=ruth
    )
    load_uploads(course, ruth)
    lesson = Lesson.objects.get(item__course=course, item__slug=LESSON)
    load_reading(lesson, gustav)
    load_revisited(lesson)
    load_free_text(course)
    empty = make_course(slug="empty", title="A course to come")
    enrol(empty, ruth, Role.INSTRUCTOR)
    enrol(empty, make_user(name="Nina New", email=f"nina@{DOMAIN}"))
    make_user(name="Otto Outside", email=f"otto@{DOMAIN}")


def load_reading(lesson: Lesson, reader: User) -> Revisit:
    """Begun, one prediction made, and missed; the next stop waits. The one that was missed is back."""
    now = timezone.now()
    reading = lessons.begin(lesson, reader, now)
    lessons.look(reading, now)
    lessons.commit(reading, "how-many-vectors", ["1"], 2, now)
    Revisit.objects.filter(reading=reading).update(due_at=now)
    return Revisit.objects.get(reading=reading)


def load_revisited(lesson: Lesson) -> None:
    """Missed, and missed again when it was back."""
    learner = enrol(lesson.course, make_user(name="Rosa Revisiting", email=f"rosa@{DOMAIN}"))
    draw = revisiting.look(load_reading(lesson, learner), timezone.now())
    assert draw is not None
    revisiting.commit(draw, ["1"], 4, timezone.now())


def load_free_text(course: Course) -> None:
    """Written, with its ideas to be ticked, and for staff to be read."""
    now = timezone.now()
    writer = enrol(course, make_user(name="Wanda Writer", email=f"wanda@{DOMAIN}"))
    reading = lessons.begin(Lesson.objects.get(item__course=course, item__slug=WRITTEN), writer, now)
    asked = lessons.look(reading, now).parts[-1].stop
    assert isinstance(asked, Asked)
    lessons.commit(reading, asked.id, [asked.settings.options[0].id], 3, now)
    lessons.look(reading, now)
    text = "A head that looks from it to animal guesses the blank better, so training moves its weights that way."
    lessons.commit(reading, "who-taught-it", [text], 2, now)
    lessons.begin(Lesson.objects.get(item__course=course, item__slug=QUIZ), writer, now)


def table_of(slug: str) -> dict[str, Any]:
    """A table mistake x check like the gate's."""
    folder = folder_of(slug)
    checks = [check.id for check in folder.checks]
    rows = [{"name": "solution", "kind": "solution", "marks": ["passed"] * len(checks), "result": "10 of 10"}]
    for number, mistake in enumerate(folder.mistakes[:MOST_MISTAKES]):
        marks = ["passed" if (at + number) % 3 else "caught" for at in range(len(checks))]
        marks[number % len(checks)] = "named"
        rows.append({"name": mistake.id, "kind": "mistake", "marks": marks, "result": "named"})
    return {"checks": checks, "table": rows, "problems": [], "notes": ["Caught by one check only: by-d."]}


def load_uploads(course: Course, by: User) -> None:
    """One in each state, called by it."""
    folder, whole = folder_of(ASSIGNMENTS[1]), table_of(ASSIGNMENTS[1])
    rows = whole["table"]
    last = rows[-1] | {"marks": ["misnamed", "unknown"] * (len(whole["checks"]) // 2), "result": "misnamed"}
    missing = [f"The mistake “{last['name']}” is taken for “scale-by-d”. Add a check that tells them apart."]
    problems = [
        {"file": "assignment.toml", "line": None, "sentence": 'The assignment has no "title".', "text": ""},
        {
            "file": "assignment.toml", "line": 3, "sentence": 'The assignment has an unknown key "tittle".',
            "text": 'tittle = "A title that is much longer than a telephone is wide, and without a line break"',
        },
        {"file": "mistakes/scale.py", "line": 2, "sentence": "This file is not UTF-8 text.", "text": "x = '\ufffd'"},
    ]  # fmt: skip
    states: dict[str, dict[str, object]] = {
        "waiting": {},
        "running": {
            "status": UploadStatus.RUNNING, "verification": whole | {"table": rows[:9]},
            "lease_until": timezone.now(),
        },
        "stuck": {"trouble": "Rung 3 or stronger is asked for, and this machine offers none."},
        "failed": {"status": UploadStatus.FAILED},
        "missing": {
            "status": UploadStatus.VERIFIED, "verification": whole | {"table": [*rows[:-1], last], "problems": missing},
        },
        "whole": {"status": UploadStatus.VERIFIED, "verification": whole},
        "unusable": {"status": UploadStatus.UNUSABLE, "problems": problems},
    }  # fmt: skip
    for name, fields in states.items():
        files = dict(folder.files) | {"prompt.md": f"# {name}\n"}
        make_upload(course, by=by, files=files, filename=f"{name}.zip", **fields)


def person(who: str) -> User:
    return User.objects.get(email=f"{who}@{DOMAIN}")


def places() -> Iterator[Place]:
    """To be asked when the demo is there."""
    for name, route in {
        "landing": "home", "sign-in": "account_login", "password-reset": "account_reset_password",
        "reset-sent": "account_reset_password_done", "sign-up": "account_signup",
    }.items():  # fmt: skip
        yield Place(name, NOBODY, reverse(route))
    yield Place("404", NOBODY, "/nowhere/")
    for who in (STUDENT, "gustav", TA, INSTRUCTOR, ADMIN, "otto"):
        yield Place("home", who, "/")
    yield Place("404", STUDENT, "/nowhere/")
    yield Place("password-change", STUDENT, reverse("account_change_password"))
    yield Place("sign-out", STUDENT, reverse("account_logout"))
    yield Place("style", ADMIN, reverse("ui:guide"))

    course = [COURSE]
    for who in (STUDENT, "gustav", TA, INSTRUCTOR):
        yield Place("course", who, reverse("courses:course", args=course))
        yield Place("assignment", who, reverse("submissions:assignment", args=[COURSE, ASSIGNMENTS[0]]))
    for who, slug in (
        (STUDENT, LESSON),
        ("gustav", LESSON),
        (TA, "masks-and-heads"),
        (TA, "long-context-cost"),
    ):
        yield Place(f"lesson-{slug}", who, reverse("lessons:lesson", args=[COURSE, slug]))
    for who in ("gustav", "wanda", "luca"):  # not begun; with the clock running; and run out of time
        yield Place("quiz", who, reverse("lessons:lesson", args=[COURSE, QUIZ]))
    for who in (STUDENT, "gustav"):
        yield Place("calibration", who, reverse("lessons:calibration", args=course))
    yield Place("results", TA, reverse("lessons:results", args=[COURSE, LESSON]), "main summary")
    yield Place("results-none", TA, reverse("lessons:results", args=[COURSE, "generating-with-a-cache"]))
    yield Place("answers", TA, reverse("lessons:answers", args=[COURSE, LESSON, "how-many-vectors"]))
    yield Place("lesson-tried", TA, reverse("lessons:trial", args=[COURSE, LESSON]))
    variants = reverse("lessons:variants", args=[COURSE, LESSON])
    yield Place("lesson-variants", TA, f"{variants}?stop=bank-least&variant=7")
    yield Place("lesson-copy", INSTRUCTOR, reverse("lessons:copy", args=[COURSE, LESSON]))
    yield Place(
        "lesson-settings", INSTRUCTOR, reverse("lessons:settings", args=[COURSE, LESSON]), "form summary"
    )
    yield Place("lesson-add", INSTRUCTOR, reverse("lessons:add", args=["empty"]))
    yield Place("revisits", "gustav", reverse("lessons:revisits", args=course))
    yield Place("revisits-none", "rosa", reverse("lessons:revisits", args=course))
    again = Draw.objects.get(number=1, reading__learner=person("rosa"))
    yield Place("revisited", "rosa", reverse("lessons:revisited", args=[COURSE, again.pk]))
    yield Place("lesson-ideas", "wanda", reverse("lessons:lesson", args=[COURSE, WRITTEN]))
    yield Place("marking", TA, reverse("lessons:marking", args=[COURSE, WRITTEN]))
    yield Place("marking-none", TA, reverse("lessons:marking", args=[COURSE, LESSON]))
    text = Prediction.objects.get(draw__question="who-taught-it", draw__reading__learner=person("wanda"))
    yield Place("marking-desk", TA, reverse("lessons:mark", args=[COURSE, WRITTEN, text.pk]))
    yield Place("assignment-closed", "hana", reverse("submissions:assignment", args=[COURSE, ASSIGNMENTS[0]]))
    for who in (STUDENT, "hana", "gustav"):
        yield Place("my-grades", who, reverse("gradebook:mine", args=course), ".how > summary")
    yield Place("gradebook-forbidden", STUDENT, reverse("gradebook:grid", args=course))
    for who in (TA, INSTRUCTOR):
        yield Place("people", who, reverse("courses:people", args=course))
        yield Place("gradebook", who, reverse("gradebook:grid", args=course))
        for student in ("ada", "ben"):
            cell = [COURSE, ASSIGNMENTS[0], person(student).pk]
            yield Place(f"cell-of-{student}", who, reverse("gradebook:cell", args=cell))
    yield Place(
        "cell-excused",
        INSTRUCTOR,
        reverse("gradebook:cell", args=[COURSE, ASSIGNMENTS[0], person("hana").pk]),
    )
    cell = [COURSE, LESSON, person("chiara").pk]
    yield Place("cell-of-a-lesson", INSTRUCTOR, reverse("gradebook:cell", args=cell))
    for who in ("elif", STUDENT):
        extra = reverse("courses:extra_time", args=[COURSE, person(who).pk])
        yield Place(f"extra-time-of-{who}", INSTRUCTOR, extra)
    for who in ("nina", INSTRUCTOR):
        yield Place("empty-course", who, reverse("courses:course", args=["empty"]))
    yield Place("empty-gradebook", INSTRUCTOR, reverse("gradebook:grid", args=["empty"]))
    yield Place("empty-grades", "nina", reverse("gradebook:mine", args=["empty"]))

    yield Place("uploads", INSTRUCTOR, reverse("coursework:uploads", args=course))
    yield Place("uploads-forbidden", TA, reverse("coursework:uploads", args=course))
    yield Place("uploads-none", INSTRUCTOR, reverse("coursework:uploads", args=["empty"]))
    for upload in Upload.objects.all():
        name = upload.filename.removesuffix(".zip")
        path = reverse("coursework:upload", args=[COURSE, upload.pk])
        yield Place(f"upload-{name}", INSTRUCTOR, path)
    for slug in ASSIGNMENTS:
        yield Place(
            f"verification-{slug}", INSTRUCTOR, reverse("coursework:verification", args=[COURSE, slug])
        )

    for name, submission in reports().items():
        path = reverse("grading:report", args=[COURSE, submission.pk])
        opened = ".checks summary, main details:last-child > summary"
        yield Place(f"report-{name}", submission.student.email.partition("@")[0], path, opened)
        yield Place(f"report-{name}", INSTRUCTOR, path, opened)


def reports() -> dict[str, Submission]:
    """One of each kind."""
    all_of_them = Submission.objects.select_related("student")
    first = all_of_them.filter(assignment__item=Item.objects.get(slug=ASSIGNMENTS[0])).order_by("pk")
    return {
        "right": first.filter(student=person("ada")).latest("number"),
        "wrong": first.filter(student=person("ada")).earliest("number"),
        "late": first.filter(student=person("chiara")).latest("number"),
        "hostile": first.filter(student=person("dmitri")).earliest("number"),
        "notebook": all_of_them.get(student=person("fatima"), filename__contains="top_left"),
        "held": all_of_them.get(status=Status.HELD),
        "waiting": all_of_them.get(status=Status.WAITING),
    }
