"""Rows for tests, each with what it needs around it: plain functions, keywords for whatever matters to a test.

course = make_course(time_zone="Europe/Zurich")
student = enrol(course)
submission = make_submission(make_assignment(course=course, attempts=3), student)
make_run(submission, points=7, mistakes=["scale-missing"])
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

from django.db import transaction
from django.utils import timezone

from grader.assignment import Assignment as GradersAssignment
from grader.assignment import assignment_from_texts, digest_of, load_assignment
from grader.report import CheckResult, NamedMistake, Report, Verdict, overall
from softmark.accounts.models import User
from softmark.courses.models import Course, Enrolment, Extension, Item, Role, Schedule, Section
from softmark.coursework.models import Assignment, AssignmentVersion, Upload, UploadStatus
from softmark.coursework.routing import queue_of_submissions, queue_of_uploads
from softmark.coursework.verifying import names_of
from softmark.grading.models import Run
from softmark.grading.signals import run_finished
from softmark.lessons.importing import place, publish, read_folder, read_texts
from softmark.lessons.models import Lesson, LessonVersion, Reading
from softmark.lessons.written.lesson import Lesson as WrittenLesson
from softmark.submissions.models import Status, Submission
from tests.lessons.small_lesson import small_data, small_lesson
from tests.small_assignment import FILES

ROOT = Path(__file__).resolve().parent.parent
PASSWORD = "a-long-password-for-tests"
_numbers = count(1)


def make_user(
    *, name: str | None = None, email: str | None = None, password: str | None = None, **fields: Any
) -> User:
    """A person. Without a password, as hashing one is slow: `client.force_login(user)` signs in."""
    number = next(_numbers)
    name = name if name is not None else f"Person {number}"
    return User.objects.create_user(email or f"person{number}@example.org", password, name=name, **fields)


def make_admin(**fields: Any) -> User:
    """An administrator of the site."""
    return make_user(is_staff=True, is_superuser=True, **fields)


def make_course(
    *, slug: str | None = None, title: str | None = None, time_zone: str = "Europe/Zurich"
) -> Course:
    number = next(_numbers)
    return Course.objects.create(
        slug=slug or f"course-{number}", title=title or f"Course {number}", time_zone=time_zone
    )


def make_enrolment(
    course: Course, user: User | None = None, role: Role = Role.STUDENT, *,
    section: str | None = None, active: bool = True, **of_user: Any,
) -> Enrolment:  # fmt: skip
    group = Section.objects.get_or_create(course=course, name=section)[0] if section else None
    return Enrolment.objects.create(
        course=course, user=user or make_user(**of_user), role=role, section=group, active=active
    )


def enrol(course: Course, user: User | None = None, role: Role = Role.STUDENT, **fields: Any) -> User:
    """Somebody in the course, and who it is: `enrol(course)`, `enrol(course, role=Role.TA, name="Tom")`."""
    return make_enrolment(course, user, role, **fields).user


def make_item(
    *, course: Course | None = None, slug: str | None = None, title: str | None = None,
    points: Decimal | int = 10, visible: bool = True, released: bool = True, position: int | None = None,
) -> Item:  # fmt: skip
    """An item without a schedule, which is to say always open; `make_schedule` gives it one."""
    number = next(_numbers)
    return Item.objects.create(
        course=course or make_course(), slug=slug or f"item-{number}", title=title or f"Item {number}",
        points=points, visible=visible, released=released,
        position=number if position is None else position,
    )  # fmt: skip


def make_schedule(
    item: Item, *, opens_at: datetime | None = None, due_at: datetime | None = None,
    closes_at: datetime | None = None, grace_minutes: int = 0, percent_per_day: Decimal | int = 10,
    floor_percent: Decimal | int = 50, created_by: User | None = None,
) -> Schedule:  # fmt: skip
    return Schedule.objects.create(
        item=item, opens_at=opens_at, due_at=due_at, closes_at=closes_at, grace_minutes=grace_minutes,
        percent_per_day=percent_per_day, floor_percent=floor_percent, created_by=created_by,
    )  # fmt: skip


def make_extension(
    item: Item, user: User, due_at: datetime | None, *, reason: str = "ill", created_by: User | None = None
) -> Extension:
    return Extension.objects.create(item=item, user=user, due_at=due_at, reason=reason, created_by=created_by)


@cache
def folder_of(slug: str) -> GradersAssignment:
    """An assignment folder of this repository."""
    return load_assignment(ROOT / "assignments" / slug)


def make_assignment_version(
    slug: str = "scaled-dot-product", *, folder: GradersAssignment | None = None, **fields: Any
) -> AssignmentVersion:
    """The version that a folder of `assignments/` has now, or another folder; made once a test.

    Its table of mistakes is left empty.
    """
    folder = folder or folder_of(slug)
    values: dict[str, Any] = {
        "version": folder.version,
        "title": folder.title,
        "summary": folder.summary,
        "function": folder.function,
        "signature": folder.signature,
        "points": folder.points,
        "device": folder.device,
        "files": dict(folder.files),
        "verification": {
            "table": [],
            "checks": [check.id for check in folder.checks],
            "problems": [],
            "notes": [],
        },
    }
    made, _ = AssignmentVersion.objects.get_or_create(
        slug=folder.slug, digest=fields.pop("digest", digest_of(folder.files)), defaults=values | fields
    )
    return made


def make_upload(
    course: Course | None = None, *, by: User | None = None, files: Mapping[str, str] = FILES,
    status: UploadStatus = UploadStatus.WAITING, missing: Iterable[str] = (), **fields: Any,
) -> Upload:  # fmt: skip
    """An uploaded folder in whatever state; nothing rings for it. One that is verified has a table like the gate's.

    missing: sentences, why it may not be published.
    """
    course = course or make_course()
    now = timezone.now()
    if status is UploadStatus.UNUSABLE:
        problem = {"file": "prompt.md", "line": None, "sentence": "This file is empty.", "text": ""}
        fields = {"problems": [problem]} | fields
    else:
        folder = assignment_from_texts(files)
        fields = {
            "files": dict(files), "digest": digest_of(files), "slug": folder.slug, "title": folder.title,
            "names": names_of(folder), "queue": queue_of_uploads(folder.device),
        } | fields  # fmt: skip
    if status is UploadStatus.RUNNING:
        fields = {"claim_no": 1, "claimed_at": now, "lease_until": now + timedelta(seconds=20)} | fields
    elif status is UploadStatus.FAILED:
        fields = {"trouble": "3 graders stopped.", "finished_at": now} | fields
    elif status is UploadStatus.VERIFIED:
        rows = [
            {"name": "solution", "kind": "solution", "marks": ["passed"], "result": "2 of 2"},
            {"name": "starter", "kind": "starter", "marks": ["caught"], "result": "0 of 2"},
            {"name": "never-divided", "kind": "mistake", "marks": ["named"], "result": "named"},
        ]
        table = {"checks": ["plain"], "table": rows, "problems": list(missing), "notes": ["Good to know."]}
        fields = {"verification": table, "finished_at": now} | fields
    return Upload.objects.create(
        course=course, uploaded_by=by or enrol(course, role=Role.INSTRUCTOR), status=status, queued_at=now,
        filename=fields.pop("filename", "double.zip"), **fields,
    )  # fmt: skip


def make_assignment(
    item: Item | None = None, *, version: AssignmentVersion | None = None, attempts: int = 0,
    course: Course | None = None, due_at: datetime | None = None, **of_item: Any,
) -> Assignment:  # fmt: skip
    """An assignment in a course; with `due_at` it gets a schedule, else it is always open."""
    item = item or make_item(course=course, **of_item)
    if due_at is not None:
        make_schedule(item, due_at=due_at)
    return Assignment.objects.create(
        item=item, version=version or make_assignment_version(), attempts=attempts
    )


def make_submission(
    assignment: Assignment | None = None, student: User | None = None, *, number: int | None = None,
    received_at: datetime | None = None, text: str | None = None, status: Status = Status.WAITING, **fields: Any,
) -> Submission:  # fmt: skip
    """An attempt, by default the student's next one, waiting to be graded; nothing rings for it."""
    assignment = assignment or make_assignment()
    student = student or enrol(assignment.course)
    now = timezone.now()
    if status is Status.RUNNING:
        fields = {"claim_no": 1, "claimed_at": now, "lease_until": now + timedelta(seconds=20)} | fields
    elif status in (Status.GRADED, Status.FAULT, Status.HELD):
        fields = {"claim_no": 1, "claimed_at": now, "finished_at": now} | fields
    return Submission.objects.create(
        assignment=assignment, version=fields.pop("version", assignment.version), student=student,
        number=number or Submission.objects.filter(assignment=assignment, student=student).count() + 1,
        received_at=received_at or now, status=status,
        text=text if text is not None else assignment.version.files["solution.py"],
        queue=fields.pop("queue", queue_of_submissions(assignment.version.device)), **fields,
    )  # fmt: skip


def make_run(
    submission: Submission | None = None, *, points: Decimal | int | None = None, mistakes: Iterable[str] = (),
    failed: Verdict = Verdict.WRONG_ANSWER, report: dict[str, Any] | None = None, announce: bool = True,
    finished_at: datetime | None = None, worker: str = "worker@here", **fields: Any,
) -> Run:  # fmt: skip
    """A finished run with a report like the grader's; the submission becomes graded, or a fault.

    points:   the first checks pass until these are reached, the others are `failed`; None: all pass.
    mistakes: ids of known mistakes, named by the first checks that failed.
    announce: send `run_finished`, as finishing a run does, so that the gradebook hears of it.
    """
    submission = submission or make_submission()
    report = report or make_report(submission.version, points=points, mistakes=mistakes, failed=failed)
    finished_at = finished_at or timezone.now()
    verdict = Verdict(report["verdict"])
    with transaction.atomic():
        claim_no = fields.pop("claim_no", submission.runs.count() + 1)
        run = Run.objects.create(
            submission=submission, claim_no=claim_no,
            started_at=finished_at - timedelta(seconds=report["seconds"]), finished_at=finished_at, verdict=verdict,
            points=Decimal(str(report["points"])), max_points=Decimal(str(report["max_points"])),
            seconds=report["seconds"], worker=worker, report=report, **fields,
        )  # fmt: skip
        submission.status = Status.FAULT if verdict.is_fault else Status.GRADED
        submission.claim_no, submission.claimed_at = claim_no, run.started_at
        submission.lease_until, submission.finished_at = None, finished_at
        submission.save()
        if announce:
            run_finished.send(sender=Run, run=run)
    return run


def make_report(
    version: AssignmentVersion, *, points: Decimal | int | None = None, mistakes: Iterable[str] = (),
    failed: Verdict = Verdict.WRONG_ANSWER,
) -> dict[str, Any]:  # fmt: skip
    """As `grader.report.Report.to_dict()` gives it, for the checks of a folder of `assignments/`."""
    folder = folder_of(version.slug)
    left = folder.points if points is None else Decimal(points)
    hints = {mistake.id: mistake.hint for mistake in folder.mistakes}
    names = list(mistakes)
    to_name = list(names)
    rows = []
    for spec in folder.checks:
        got = min(spec.points, left)
        left -= got
        passed = got == spec.points
        rows.append(
            CheckResult(
                id=spec.id,
                title=spec.title,
                verdict=Verdict.PASSED if passed else failed,
                points=got,
                max_points=spec.points,
                visibility=spec.visibility,
                message="" if passed else "The result differs from what is right in 3 of 12 elements.",
                mistake=to_name.pop(0) if to_name and not passed else None,
                seconds=0.004,
            )
        )
    report = Report(
        assignment=folder.slug, version=version.version, verdict=overall(tuple(rows)), rung=2, seconds=0.12,
        checks=tuple(rows), mistakes=tuple(NamedMistake(name, hints.get(name, "A hint.")) for name in names),
        provenance={"grader": "0.1.0", "seed": 1, "started_at": datetime(2026, 11, 2, tzinfo=UTC).isoformat()},
    )  # fmt: skip
    return report.to_dict()


def make_lesson_version(text: str | None = None, data: Mapping[str, bytes] | None = None) -> LessonVersion:
    """A lesson that passed `check_lessons`, by default the small one; made once a test."""
    text, data = text or small_lesson(), small_data() if data is None else data
    return publish(_checked_lesson(text, tuple(sorted(data.items()))))[0]


@cache
def _checked_lesson(text: str, data: tuple[tuple[str, bytes], ...]) -> WrittenLesson:
    """Once a process: the check takes longer than most tests."""
    return read_texts("lesson.md", text, dict(data))


@cache
def shipped_lessons() -> tuple[WrittenLesson, ...]:
    """Those of fixtures/lessons."""
    return read_folder(ROOT / "fixtures" / "lessons")


def make_lesson(
    course: Course | None = None, *, version: LessonVersion | None = None, due_at: datetime | None = None,
    closes_at: datetime | None = None, **fields: Any,
) -> Lesson:  # fmt: skip
    """A lesson in a course; without dates it is always open."""
    lesson = place(course or make_course(), version or make_lesson_version()).lesson
    if due_at is not None or closes_at is not None:
        make_schedule(lesson.item, due_at=due_at, closes_at=closes_at)
    for name, value in fields.items():
        setattr(lesson, name, value)
    lesson.save()
    return lesson


def make_reading(
    lesson: Lesson | None = None, learner: User | None = None, *, started_at: datetime | None = None, **fields: Any
) -> Reading:  # fmt: skip
    """Somebody has begun; nothing is drawn yet. With `minutes` there is a time limit."""
    lesson = lesson or make_lesson()
    started_at = started_at or timezone.now()
    if minutes := fields.pop("minutes", None):
        fields |= {"limit": minutes, "ends_at": started_at + timedelta(minutes=minutes)}
    return Reading.objects.create(
        lesson=lesson, learner=learner or enrol(lesson.course), started_at=started_at,
        version=fields.pop("version", lesson.version), **fields,
    )  # fmt: skip
