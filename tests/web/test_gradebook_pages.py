"""The gradebook's pages and its file."""

from __future__ import annotations

import csv
import io
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
import time_machine
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from softmark.accounts.models import User
from softmark.courses.models import Course, Role
from softmark.coursework.models import Assignment
from softmark.gradebook import page as pages
from softmark.gradebook.entries import Kind
from softmark.gradebook.models import Event
from softmark.submissions.models import Status
from tests.factories import (
    enrol,
    make_assignment,
    make_course,
    make_item,
    make_run,
    make_schedule,
    make_submission,
)

pytestmark = pytest.mark.django_db


class Class:
    """A course with two assignments, three students, and somebody of each role to look at it."""

    def __init__(self) -> None:
        self.course: Course = make_course(slug="attention", title="Attention")
        due = timezone.now() - timedelta(days=1)
        self.masks: Assignment = make_assignment(course=self.course, title="Masks", slug="masks", due_at=due)
        self.heads: Assignment = make_assignment(
            course=self.course, title="Heads", slug="heads", points=20, released=False
        )
        self.grace, self.emmy, self.alan = (
            enrol(self.course, name=name, section=section)
            for name, section in (("Grace", "Monday"), ("Emmy", "Monday"), ("Alan", "Thursday"))
        )
        self.ada = enrol(self.course, name="Ada", role=Role.INSTRUCTOR)
        self.tom = enrol(self.course, name="Tom", role=Role.TA)
        early = due - timedelta(hours=2)
        self.best = make_submission(self.masks, self.grace, received_at=early)
        make_run(self.best, points=9)
        make_run(make_submission(self.masks, self.grace, received_at=early), points=4)
        make_run(make_submission(self.masks, self.emmy, received_at=due + timedelta(hours=2)), points=9)
        make_run(make_submission(self.heads, self.grace), points=Decimal("7"))
        make_submission(self.heads, self.emmy, status=Status.HELD)

    def url(self, name: str, *args: object) -> str:
        return reverse(f"gradebook:{name}", args=[self.course.slug, *args])

    def cell(self, student: User, item: str = "masks") -> str:
        return self.url("cell", item, student.pk)

    def newest(self, student: User, item: str = "masks") -> int:
        return Event.objects.filter(student=student, item__slug=item).latest("pk").pk


@pytest.fixture
def room() -> Class:
    return Class()


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


# -- who


@pytest.mark.parametrize("name", ["grid", "csv"])
def test_staff_see_everybodys_grades_and_students_do_not(room: Class, name: str) -> None:
    for user, status in ((room.ada, 200), (room.tom, 200), (room.grace, 403), (enrol(make_course()), 404)):
        assert signed_in(user).get(room.url(name)).status_code == status


def test_a_cell_is_for_staff_and_only_of_a_student_of_the_course(room: Class) -> None:
    stranger = enrol(make_course())
    for user, status in ((room.ada, 200), (room.tom, 200), (room.grace, 403), (stranger, 404)):
        assert signed_in(user).get(room.cell(room.grace)).status_code == status
    client = signed_in(room.ada)
    for missing in (room.cell(stranger), room.cell(room.ada), room.cell(room.grace, "no-such")):
        assert client.get(missing).status_code == 404
    assert client.get(room.url("cell", "masks", 10**30)).status_code == 404


def test_a_cell_leads_instructors_to_another_due_date(room: Class) -> None:
    extra_time = reverse("courses:extra_time", args=["attention", room.grace.pk])
    link = f'<a href="{extra_time}?item=masks#due">Another due date for Grace</a>'
    assert link in signed_in(room.ada).get(room.cell(room.grace)).content.decode()
    assert extra_time not in signed_in(room.tom).get(room.cell(room.grace)).content.decode()
    assert extra_time not in signed_in(room.ada).get(room.cell(room.grace, "heads")).content.decode()
    form = signed_in(room.ada).get(f"{extra_time}?item=masks").content.decode()
    assert '<option value="masks" selected>' in form
    assert " selected>Masks" not in signed_in(room.ada).get(f"{extra_time}?item=<b>").content.decode()


def test_only_instructors_change_grades(room: Class) -> None:
    names = [(name, ["masks", room.grace.pk]) for name in ("set_points", "excuse", "comment", "take_back")]
    before = Event.objects.count()
    for name, args in [*names, ("release", ["masks"])]:
        for user in (room.tom, room.grace):
            assert signed_in(user).post(room.url(name, *args), {"released": 0}).status_code == 403
    assert Event.objects.count() == before
    assert b"<form" not in signed_in(room.tom).get(room.cell(room.grace)).content.split(b"<main")[1]


def test_own_grades_are_for_students(room: Class) -> None:
    for user, status in ((room.grace, 200), (room.ada, 403), (room.tom, 403), (enrol(make_course()), 404)):
        assert signed_in(user).get(room.url("mine")).status_code == status


# -- forms


@pytest.mark.parametrize("name", ["set_points", "excuse", "comment", "take_back"])
def test_who_was_signed_out_gets_back_what_they_typed(room: Class, name: str) -> None:
    address = room.url(name, "masks", room.grace.pk)
    form = {"seen": 1, "points": "7", "reason": "Oral <exam>", "csrfmiddlewaretoken": "token"}
    before = Event.objects.count()
    answer = Client().post(address, form)
    html = answer.content.decode()
    assert answer.status_code == 401
    assert 'readonly aria-label="What you were sending">Oral &lt;exam&gt;</textarea>' in html
    assert f'href="{reverse("account_login")}?next={room.cell(room.grace)}"' in html
    assert Event.objects.count() == before
    back = signed_in(room.ada).get(address)
    assert (back.status_code, back["Location"]) == (303, room.cell(room.grace))


def test_to_release_one_signs_in_and_is_at_the_grid(room: Class) -> None:
    answer = Client().post(room.url("release", "masks"), {"released": "0"})
    assert answer.status_code == 401
    assert f"?next={room.url('grid')}" in answer.content.decode()
    assert signed_in(room.ada).get(room.url("release", "masks"))["Location"] == room.url("grid")
    assert not Event.objects.filter(kind=Kind.HIDE).exists()


# -- the grid


def text_of(html: str) -> str:
    """What of a page is not markup, in one line."""
    import re

    return " ".join(re.sub(r"<[^>]*>", " ", html).split())


def test_the_grid_says_each_state_in_words(room: Class) -> None:
    said = text_of(signed_in(room.ada).get(room.url("grid")).content.decode())
    assert "Alan Thursday 0 / 10 Not submitted Not yet due" in said
    assert "Emmy Monday 8.1 / 10 8.1 late No result" in said
    assert "Grace Monday 9 / 10 9 14 unreleased" in said
    assert "Heads of 20 Hidden Release the grades of Heads" in said


def test_the_grid_has_the_means_of_a_small_course_and_of_a_large_one_on_request(
    room: Class, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = signed_in(room.ada)
    mean = "Mean of those graded 8.55 14"
    assert mean in text_of(client.get(room.url("grid")).content.decode())
    monkeypatch.setattr(pages, "STUDENTS_A_PAGE", 2)
    page = client.get(room.url("grid")).content.decode()
    assert mean not in text_of(page)
    assert 'href="?means=1"' in page
    assert mean in text_of(client.get(room.url("grid") + "?means=1").content.decode())


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("section={Monday}", {"Grace", "Emmy"}),
        ("state=no+result", {"Emmy"}),
        ("state=not+submitted&section={Monday}", set()),
        ("state=nonsense&section=nonsense&page=nonsense", {"Grace", "Emmy", "Alan"}),
        ("section=99999999999999999999", {"Grace", "Emmy", "Alan"}),
        ("section=9999", set()),
    ],
)
def test_the_grid_can_be_filtered(room: Class, query: str, names: set[str]) -> None:
    monday = room.course.sections.get(name="Monday").pk
    response = signed_in(room.ada).get(room.url("grid") + "?" + query.replace("{Monday}", str(monday)))
    assert {str(row.enrolment.user) for row in response.context["page"].rows} == names


def test_a_large_course_comes_in_parts(room: Class, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "STUDENTS_A_PAGE", 2)
    client = signed_in(room.ada)
    first, last = (client.get(room.url("grid") + f"?page={page}").context["page"].rows for page in (1, 2))
    assert [str(row.enrolment.user) for row in first] == ["Alan", "Emmy"]
    assert [str(row.enrolment.user) for row in last] == ["Grace"]


def test_what_is_empty_says_what_will_be_there() -> None:
    course = make_course()
    client = signed_in(enrol(course, role=Role.INSTRUCTOR))
    grid = reverse("gradebook:grid", args=[course.slug])
    assert "Nothing to grade yet" in client.get(grid).content.decode()
    make_item(course=course)
    assert "No students here yet" in client.get(grid).content.decode()
    mine = signed_in(enrol(course)).get(reverse("gradebook:mine", args=[course.slug]))
    assert "Nothing has come to a result yet" in mine.content.decode()


def test_releasing_and_hiding(room: Class) -> None:
    client = signed_in(room.ada)
    answer = client.post(room.url("release", "heads"), {"released": 1, "query": "section=3"})
    assert answer["Location"] == room.url("grid") + "?section=3"
    assert "14" in text_of(signed_in(room.grace).get(room.url("mine")).content.decode())
    client.post(room.url("release", "heads"), {"released": 0})
    assert [event.kind for event in Event.objects.filter(student=None)] == [Kind.RELEASE, Kind.HIDE]


# -- one cell


def test_a_cell_opens_into_its_arithmetic(room: Class) -> None:
    said = text_of(signed_in(room.tom).get(room.cell(room.emmy)).content.decode())
    assert "Attempt 1: 9 of 10 +2 h late, −10 %: 9 → 8.1" in said
    assert "Attempt 1 graded by machine: 9 of 10" in said
    assert "Only instructors change grades." in said


def test_setting_points_and_taking_them_back(room: Class) -> None:
    client = signed_in(room.ada)
    form = {"seen": room.newest(room.emmy), "points": "9.5", "reason": "Oral <exam>"}
    answer = client.post(room.url("set_points", "masks", room.emmy.pk), form, follow=True)
    html = answer.content.decode()
    assert answer.redirect_chain == [(room.cell(room.emmy), 302)]
    assert "Set by hand: 9.5" in html
    assert "Oral &lt;exam&gt;" in html
    back = {"seen": room.newest(room.emmy), "event": room.newest(room.emmy)}
    said = text_of(
        client.post(room.url("take_back", "masks", room.emmy.pk), back, follow=True).content.decode()
    )
    assert "8.1 / 10 Graded" in said
    assert "Taken back: Set by hand: 9.5" in said


def test_what_was_typed_wrongly_stays(room: Class) -> None:
    form = {"seen": room.newest(room.emmy), "points": "11", "reason": "A bonus"}
    answer = signed_in(room.ada).post(room.url("set_points", "masks", room.emmy.pk), form)
    html = answer.content.decode()
    assert answer.status_code == 422
    assert "from 0 to 10" in html
    assert 'value="11"' in html
    assert "A bonus" in html


def test_of_two_people_the_second_sees_both_values_and_may_go_on(room: Class) -> None:
    seen = room.newest(room.emmy)
    url = room.url("set_points", "masks", room.emmy.pk)
    other = enrol(room.course, name="Sofia", role=Role.INSTRUCTOR)
    signed_in(other).post(url, {"seen": seen, "points": "7", "reason": "Agreed"})

    client = signed_in(room.ada)
    answer = client.post(url, {"seen": seen, "points": "8", "reason": "As I said"})
    html, said = answer.content.decode(), text_of(answer.content.decode())
    assert answer.status_code == 409
    assert "Set by hand: 7, by Sofia" in said
    assert "The grade is now 7 / 10 , and you were about to set 8 / 10" in said
    assert "As I said" in html
    assert Event.objects.filter(kind=Kind.OVERRIDE).count() == 1

    again = {"seen": answer.context["page"].newest, "points": "8", "reason": "As I said"}
    assert client.post(url, again).status_code == 302
    assert Event.objects.latest("pk").points == 8


# -- a student's own


def test_own_grades_with_their_arithmetic(room: Class) -> None:
    html = signed_in(room.emmy).get(room.url("mine")).content.decode()
    said = text_of(html)
    assert "8.1 / 10 81 %" in said
    assert "+2 h late, −10 %: 9 → 8.1" in said
    best = signed_in(room.grace).get(room.url("mine")).content.decode()
    assert reverse("grading:report", args=[room.course.slug, room.best.pk]) in best


def test_nothing_unreleased_leaks(room: Class) -> None:
    """The page is the same whatever the hidden grade is, and a hidden item is not there at all."""
    client = signed_in(room.grace)

    def seen() -> str:
        return text_of(client.get(room.url("mine")).content.decode())

    before = seen()
    assert "Unreleased" in before
    assert "9 / 10 90 %" in before
    ada = signed_in(room.ada)
    for name, fields in (
        ("set_points", {"points": "1", "reason": "secret reason"}),
        ("comment", {"reason": "secret comment"}),
    ):
        form = {"seen": room.newest(room.grace, "heads"), **fields}
        assert ada.post(room.url(name, "heads", room.grace.pk), form).status_code == 302
        assert seen() == before
    make_run(make_submission(room.heads, room.grace), points=10)
    assert seen() == before
    room.masks.item.visible = False
    room.masks.item.save()
    assert "Masks" not in seen()


def test_reasons_are_for_staff_and_comments_for_the_student(room: Class) -> None:
    ada = signed_in(room.ada)
    for name, fields in (
        ("set_points", {"points": "5", "reason": "copied from Emmy"}),
        ("comment", {"reason": "Let us talk."}),
    ):
        ada.post(room.url(name, "masks", room.grace.pk), {"seen": room.newest(room.grace), **fields})
    said = text_of(signed_in(room.grace).get(room.url("mine")).content.decode())
    assert "Set by hand: 5 of 10." in said
    assert "Let us talk." in said
    assert "copied" not in said


# -- the file


def table(room: Class) -> list[dict[str, str]]:
    answer = signed_in(room.tom).get(room.url("csv"))
    assert answer.content.startswith(b"\xef\xbb\xbf")
    return list(csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig"))))


def test_the_file_tells_the_states_apart(room: Class) -> None:
    masks, heads = (f"{each.item.title} ({each.item.pk})" for each in (room.masks, room.heads))
    alan, emmy, grace = table(room)
    assert (alan["Name"], alan["Email"], alan["Section"]) == ("Alan", room.alan.email, "Thursday")
    assert (alan[masks], alan[f"{masks} state"]) == ("", "not submitted")
    assert (alan[heads], alan[f"{heads} state"]) == ("", "not yet due")
    assert (emmy[masks], emmy[f"{masks} state"], emmy[f"{heads} state"]) == ("8.1", "graded", "no result")
    assert (grace[heads], grace[f"{heads} state"]) == ("14", "unreleased")
    assert (grace["Total"], grace["Total out of"], alan["Total"], alan["Total out of"]) == (
        "9",
        "10",
        "0",
        "10",
    )


def test_the_file_gives_exact_points_and_starts_no_formula(room: Class) -> None:
    thirds = make_assignment(course=room.course, title="=Thirds", points=Decimal("3.333"))
    student = enrol(room.course, name="@SUM(1+1)", email="a+b@example.org")
    make_run(make_submission(thirds, student), points=1)
    row = next(row for row in table(room) if row["Email"] == "a+b@example.org")
    assert row["Name"] == "'@SUM(1+1)"
    assert row[f"'=Thirds ({thirds.item.pk})"] == "0.3333"


def test_the_file_is_named_for_the_course_and_its_day(room: Class) -> None:
    with time_machine.travel("2026-11-29T23:30:00Z", tick=False):
        client = signed_in(room.ada)
        assert client.get(room.url("csv"))["Content-Disposition"] == (
            'attachment; filename="gradebook-attention-2026-11-30.csv"'
        )


# -- queries


@pytest.mark.parametrize(
    ("name", "query", "most"),
    [
        ("grid", "", 12),
        ("grid", "means=1", 11),
        ("grid", "state=graded", 11),
        ("csv", "", 9),
        ("mine", "", 10),
    ],
)
def test_queries_do_not_grow_with_the_course(
    room: Class, django_assert_max_num_queries: Any, name: str, query: str, most: int
) -> None:
    for number in range(5):
        assignment = make_assignment(course=room.course)
        make_schedule(assignment.item, due_at=timezone.now())
        for student in (room.grace, room.emmy, enrol(room.course, section=f"Group {number}")):
            make_run(make_submission(assignment, student))
    client = signed_in(room.grace if name == "mine" else room.ada)
    with django_assert_max_num_queries(most):
        assert client.get(room.url(name) + f"?{query}").status_code == 200


def test_queries_of_a_cell_do_not_grow(room: Class, django_assert_max_num_queries: Any) -> None:
    for _ in range(3):
        make_run(make_submission(room.masks, room.grace))
    client = signed_in(room.ada)
    with django_assert_max_num_queries(11):
        client.get(room.cell(room.grace))
