"""Who may open, and who may change what: every address of the site, as everybody. An address that is not in the table
fails, so that none is added without deciding for whom it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from functools import cache
from typing import Any

import pytest
from django.contrib import admin
from django.contrib.auth.hashers import make_password
from django.db import transaction
from django.db.models import Model
from django.http import HttpResponseBase
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from django.utils import timezone

from softmark.accounts.models import User
from softmark.courses.models import Role
from softmark.lessons import revisiting
from softmark.lessons.actions import commit, look
from softmark.lessons.models import Draw, Lesson, Revisit
from softmark.submissions.models import Status
from tests.factories import (
    PASSWORD,
    enrol,
    make_admin,
    make_assignment,
    make_course,
    make_lesson,
    make_lesson_version,
    make_reading,
    make_run,
    make_submission,
    make_upload,
)
from tests.lessons.small_lesson import small_lesson

pytestmark = pytest.mark.django_db

# One line for each address and method: what it answers to each of these people, or to all of them. "login": sends them
# to sign in. 403 comes with a reason; 404 says no word about whether there is such a thing. What is not here answers
# 405. POSTs are sent empty, so 400, 409 and 422 say that somebody may, and that something was missing.
PEOPLE = ("anonymous", "outsider", "student", "classmate", "ta", "instructor", "admin")
TABLE = """
home                                  GET         200
courses:course                        GET       login       404       200       200       200       200       404
courses:people                        GET       login       404       403       403       200       200       404
courses:extra_time                    GET       login       404       403       403       403       200       404
courses:set_extra_time                GET         303
courses:set_extra_time                POST        401       404       403       403       403       422       404
courses:set_extension                 GET         303
courses:set_extension                 POST        401       404       403       403       403       422       404
coursework:uploads                    GET       login       404       403       403       403       200       404
coursework:add                        GET         303
coursework:add                        POST        401       404       403       403       403       422       404
coursework:upload                     GET       login       404       403       403       403       200       404
coursework:progress                   GET       login       404       403       403       403       302       404
coursework:again                      GET         303
coursework:again                      POST        401       404       403       403       403       302       404
coursework:publish                    GET         303
coursework:publish                    POST        401       404       403       403       403       422       404
coursework:verification               GET       login       404       403       403       403       200       404
lessons:lesson                        GET       login       404       200       200       200       200       404
lessons:begin                         GET         303
lessons:begin                         POST        401       404       303       303       303       303       404
lessons:trial                         GET       login       404       403       403       200       200       404
lessons:variants                      GET       login       404       403       403       200       200       404
lessons:copy                          GET       login       404       403       403       403       200       404
lessons:copy_to                       GET         303
lessons:copy_to                       POST        401       404       403       403       403       422       404
lessons:settings                      GET       login       404       403       403       403       200       404
lessons:set_up                        GET         303
lessons:set_up                        POST        401       404       403       403       403       422       404
lessons:add                           GET       login       404       403       403       403       200       404
lessons:take                          GET         303
lessons:take                          POST        401       404       403       403       403       422       404
lessons:calibration                   GET       login       404       200       200       403       403       404
lessons:results                       GET       login       404       403       403       200       200       404
lessons:answers                       GET       login       404       403       403       200       200       404
lessons:results_csv                   GET       login       404       403       403       200       200       404
lessons:predict                       GET         303
lessons:predict                       POST        401       404       422       409       409       409       404
lessons:draft                         GET         303
lessons:draft                         POST        401       404       200       409       409       409       404
lessons:tick                          GET         303
lessons:tick                          POST        401       404       409       409       409       409       404
lessons:marking                       GET       login       404       403       403       200       200       404
lessons:mark                          GET       login       404       403       403       200       200       404
lessons:save_mark                     GET         303
lessons:save_mark                     POST        401       404       403       403       422       422       404
lessons:take_back                     GET         303
lessons:take_back                     POST        401       404       403       403       303       303       404
lessons:revisits                      GET       login       404       200       200       403       403       404
lessons:revisited                     GET       login       404       303       404       403       403       404
lessons:revisit                       GET         303
lessons:revisit                       POST        401       404       422       404       403       403       404
lessons:revisit_draft                 GET         303
lessons:revisit_draft                 POST        401       404       200       404       403       403       404
submissions:assignment                GET       login       404       200       200       200       200       404
submissions:submit                    GET         303
submissions:submit                    POST      login       404       409       409       409       409       404
submissions:draft                     GET         303
submissions:draft                     POST        401       404       400       400       403       403       404
grading:report                        GET       login       404       200       404       200       200       404
grading:progress                      GET       login       404       302       404       302       302       404
grading:code                          GET       login       404       200       404       200       200       404
grading:regrade                       GET         303
grading:regrade                       POST        401       404       403       404       302       302       404
grading:give_back                     GET         303
grading:give_back                     POST        401       404       403       404       302       302       404
gradebook:mine                        GET       login       404       200       200       403       403       404
gradebook:csv                         GET       login       404       403       403       200       200       404
gradebook:grid                        GET       login       404       403       403       200       200       404
gradebook:release                     GET         303
gradebook:release                     POST        401       404       403       403       403       302       404
gradebook:cell                        GET       login       404       403       403       200       200       404
gradebook:set_points                  GET         303
gradebook:set_points                  POST        401       404       403       403       403       422       404
gradebook:excuse                      GET         303
gradebook:excuse                      POST        401       404       403       403       403       422       404
gradebook:comment                     GET         303
gradebook:comment                     POST        401       404       403       403       403       422       404
gradebook:take_back                   GET         303
gradebook:take_back                   POST        401       404       403       403       403       422       404
ui:theme                              GET         302
ui:theme                              POST        302
ui:guide                              GET       login       403       403       403       403       403       200
account_login                         GET         200       302       302       302       302       302       302
account_login                         POST        200       302       302       302       302       302       302
account_logout                        GET         302       200       200       200       200       200       200
account_logout                        POST        302
account_inactive                      GET         200
account_signup                        GET         200       302       302       302       302       302       302
account_signup                        POST        200       302       302       302       302       302       302
account_reauthenticate                GET       login       200       200       200       200       200       200
account_reauthenticate                POST      login       200       200       200       200       200       200
account_request_reauthentication_code GET       login       302       302       302       302       302       302
account_request_reauthentication_code POST      login       302       302       302       302       302       302
account_confirm_reauthentication_code GET       login       302       302       302       302       302       302
account_confirm_reauthentication_code POST      login       302       302       302       302       302       302
account_email                         GET       login       403       403       403       403       403       403
account_email                         POST      login       403       403       403       403       403       403
account_email_verification_sent       GET         200
account_change_password               GET       login       200       200       200       200       200       200
account_change_password               POST      login       200       200       200       200       200       200
account_set_password                  GET       login       302       302       302       302       302       302
account_set_password                  POST      login       302       302       302       302       302       302
account_reset_password                GET         200
account_reset_password                POST        200
account_confirm_login_code            GET       login       302       302       302       302       302       302
account_confirm_login_code            POST      login       302       302       302       302       302       302
account_confirm_email                 GET         200
account_confirm_email                 POST        404
account_reset_password_from_key_done  GET         200
account_reset_password_from_key       GET         200
account_reset_password_from_key       POST        200
account_reset_password_done           GET         200
livez                                 GET         200
healthz                               GET         200
metrics                               GET         403
"""


@dataclass(frozen=True)
class Site:
    """A course with people, who are known by what they are in the table, and with a submission of the student's."""

    people: dict[str, User | None]
    arguments: dict[str, Any]


@pytest.fixture
def site() -> Site:
    course = make_course(slug="attention")
    assignment = make_assignment(course=course, slug="masks")
    student = enrol(course)
    make_run(make_submission(assignment, student), points=7)
    lesson = make_lesson(course)
    look(make_reading(lesson, student), timezone.now())
    look(other := make_reading(lesson), timezone.now())
    predicted = commit(other, "how-many", ["8"], None, timezone.now()).prediction
    text = small_lesson(id="missed", title="Missed")
    returned = missed(make_lesson(course, version=make_lesson_version(text)), student)
    held = make_submission(assignment, student, status=Status.HELD, deaths=3)
    site = Site(
        people={
            "anonymous": None,
            "outsider": enrol(make_course()),
            "student": student,
            "classmate": enrol(course),
            "ta": enrol(course, role=Role.TA),
            "instructor": enrol(course, role=Role.INSTRUCTOR),
            "admin": make_admin(),
        },
        arguments={
            "course": "attention",
            "item": "masks",
            "upload": make_upload(course).pk,
            "pk": held.pk,
            "user": student.pk,
            "key": "made-up",
            "uidb36": "1",
            "stop": "how-many",
            "prediction": predicted.pk,
            "draw": returned.pk,
        },
    )
    for person in filter(None, site.people.values()):
        person.password = hashed()  # without one, some pages of allauth are others
        person.save()
    return site


def missed(lesson: Lesson, student: User) -> Draw:
    """A question that came back to them."""
    before = timezone.now() - timedelta(days=2)
    reading = make_reading(lesson, student, started_at=before)
    look(reading, before)
    commit(reading, "how-many", ["8"], None, before)
    draw = revisiting.look(Revisit.objects.get(reading=reading), timezone.now())
    assert draw is not None
    return draw


@cache
def hashed() -> str:
    return make_password(PASSWORD)


def addresses() -> Iterator[tuple[str, tuple[str, ...]]]:
    """Name and arguments of every address but the administration's."""

    def walk(
        resolver: URLResolver, names: str, arguments: tuple[str, ...]
    ) -> Iterator[tuple[str, tuple[str, ...]]]:
        for each in resolver.url_patterns:
            taken = (*arguments, *each.pattern.converters, *_groups(each))
            if isinstance(each, URLPattern):
                yield names + (each.name or str(each.pattern)), taken
            elif each.namespace != "admin":
                yield from walk(each, f"{names}{each.namespace}:" if each.namespace else names, taken)

    return walk(get_resolver(), "", ())


def _groups(each: URLPattern | URLResolver) -> list[str]:
    return [] if each.pattern.converters else list(each.pattern.regex.groupindex)


def told(response: HttpResponseBase) -> str:
    """The status; "login" where one is sent to sign in."""
    if response.status_code == 302 and "/login/" in response["Location"]:
        return "login"
    return str(response.status_code)


ADDRESSES = sorted(set(addresses()))


def test_every_address_is_in_the_table() -> None:
    assert {name for name, _ in ADDRESSES} == {line.split()[0] for line in TABLE.strip().splitlines()}


def test_no_address_leads_to_an_empty_page() -> None:
    """A 405 has no words. After signing in, or from the history, a browser asks for the address of a form by GET."""
    assert [name for name, _ in ADDRESSES if set(answers(name, "GET").values()) == {"405"}] == []


@pytest.mark.parametrize(("name", "arguments"), ADDRESSES, ids=[name for name, _ in ADDRESSES])
def test_who_gets_what(name: str, arguments: tuple[str, ...], site: Site, client: Client) -> None:
    taken = site.arguments | ({"item": "listening"} if name.startswith("lessons:") else {})
    address = reverse(name, kwargs={key: taken[key] for key in arguments})
    expected = {method: answers(name, method) for method in ("GET", "POST")}
    found = {
        method: {who: ask(client, method, address, person) for who, person in site.people.items()}
        for method in expected
    }
    assert found == expected


def answers(name: str, method: str) -> dict[str, str]:
    """A line of the table."""
    for line in TABLE.strip().splitlines():
        of, by, *cells = line.split()
        if (of, by) == (name, method):
            return dict(zip(PEOPLE, cells if len(cells) > 1 else cells * len(PEOPLE), strict=True))
    return dict.fromkeys(PEOPLE, "405")


def ask(client: Client, method: str, address: str, person: User | None) -> str:
    """What somebody is told; whatever it changes is undone."""
    with transaction.atomic():
        if person is None:
            client.logout()
        else:
            client.force_login(person)
        answer = told(client.generic(method, address, b"", "application/x-www-form-urlencoded"))
        transaction.set_rollback(True)
    return answer


# -- the administration

MODELS = sorted(admin.site._registry, key=lambda model: model._meta.label)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model._meta.label)
def test_the_administration_is_for_administrators(model: type[Model], site: Site, client: Client) -> None:
    """Every list, every form to add and every form of a row: they open, or say that this is not done here."""
    options = model._meta
    where = f"admin:{options.app_label}_{options.model_name}"
    pages = {reverse(f"{where}_changelist"): {"200"}, reverse(f"{where}_add"): {"200", "403"}}
    row = model._default_manager.first()
    if row is not None:
        pages[reverse(f"{where}_change", args=[row.pk])] = {"200"}
    for page, good in pages.items():
        for who, person in site.people.items():
            assert ask(client, "GET", page, person) in (good if who == "admin" else {"login"}), (page, who)


def test_the_administrations_own_pages(site: Site, client: Client) -> None:
    for page in ("admin:index", "admin:password_change"):
        for who, person in site.people.items():
            assert ask(client, "GET", reverse(page), person) == ("200" if who == "admin" else "login")


def test_a_search_in_every_list(site: Site, client: Client) -> None:
    """Search fields name columns; a slip in one shows only when somebody searches."""
    assert site.people["admin"] is not None
    client.force_login(site.people["admin"])
    for model, its in admin.site._registry.items():
        if its.search_fields:
            options = model._meta
            address = reverse(f"admin:{options.app_label}_{options.model_name}_changelist")
            assert client.get(address, {"q": "ada"}).status_code == 200
