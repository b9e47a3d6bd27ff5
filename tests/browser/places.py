"""Every page of the demo course, as everybody who sees another one of it sees it."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass

from django.core.management import call_command
from django.urls import reverse
from django.utils import timezone
from pytest_django.fixtures import Settings

from softmark.accounts.models import User
from softmark.courses.models import Course, Item, Role
from softmark.coursework.models import Assignment
from softmark.gradebook.models import Event
from softmark.home.demo_people import COURSE, DOMAIN
from softmark.submissions.models import Status, Submission, Work
from tests.factories import enrol, make_assignment_version, make_course, make_submission, make_user

ASSIGNMENTS = ("scaled-dot-product", "causal-mask")
NOBODY, STUDENT, TA, INSTRUCTOR, ADMIN = "nobody", "ada", "tomas", "ruth", "admin"
STAFF = (TA, INSTRUCTOR, ADMIN)


@dataclass(frozen=True)
class Place:
    """A page: its name, by whom (what stands before the @), where, and what is to be opened on it."""

    name: str
    who: str
    path: str
    opened: str = ""

    def __str__(self) -> str:
        return f"{self.name}-{self.who}"


def load_demo(settings: Settings) -> None:
    """The demo course, and what it lacks: a draft, a submission that waits, a comment, an empty course."""
    settings.DEMO = True
    for folder in ASSIGNMENTS:  # as if imported before
        make_assignment_version(folder)
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
    empty = make_course(slug="empty", title="A course to come")
    enrol(empty, ruth, Role.INSTRUCTOR)
    enrol(empty, make_user(name="Nina New", email=f"nina@{DOMAIN}"))
    make_user(name="Otto Outside", email=f"otto@{DOMAIN}")


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
    for who in ("nina", INSTRUCTOR):
        yield Place("empty-course", who, reverse("courses:course", args=["empty"]))
    yield Place("empty-gradebook", INSTRUCTOR, reverse("gradebook:grid", args=["empty"]))
    yield Place("empty-grades", "nina", reverse("gradebook:mine", args=["empty"]))

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
