"""A course's own page, as students and as staff see it; the list of its people."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from softmark.accounts.models import User
from softmark.courses.actions import extend
from softmark.courses.models import Course, Enrolment, Extension, Item, Role
from softmark.courses.queries import deadline_for, people_of
from softmark.coursework.models import Assignment
from softmark.submissions.models import Status
from tests.factories import (
    enrol,
    make_admin,
    make_assignment,
    make_assignment_version,
    make_course,
    make_enrolment,
    make_extension,
    make_item,
    make_run,
    make_schedule,
    make_submission,
)

pytestmark = pytest.mark.django_db
DAY = timedelta(days=1)
PAGE = "/courses/attention/"


@pytest.fixture
def now() -> datetime:
    return timezone.now()


@pytest.fixture
def course() -> Course:
    return make_course(slug="attention", title="Attention, from scratch", time_zone="Europe/Zurich")


def page(client: Client, user: User, path: str = PAGE) -> str:
    client.force_login(user)
    response = client.get(path)
    assert response.status_code == 200
    return " ".join(response.content.decode().split())


def test_an_empty_course_says_what_will_be_there(client: Client, course: Course) -> None:
    assert "No assignments yet" in page(client, enrol(course))
    assert "As soon as an instructor of the course adds one" in page(client, enrol(course, role=Role.TA))
    assert 'href="/courses/attention/uploads/"' in page(client, enrol(course, role=Role.INSTRUCTOR))


def test_times_are_those_of_the_course(client: Client, course: Course) -> None:
    make_assignment(course=course, due_at=datetime.fromisoformat("2031-06-10T21:59:00+00:00"))
    for role in Role:
        assert "Tue 10 Jun 2031, 23:59 CEST" in page(client, enrol(course, role=role))


def test_a_students_assignments_with_how_they_stand(client: Client, course: Course, now: datetime) -> None:
    student = enrol(course, section="Monday")
    graded = make_assignment(course=course, title="Graded one", attempts=3, due_at=now + DAY)
    make_run(make_submission(graded, student), points=7)
    waiting = make_assignment(course=course, title="Waiting one", due_at=now + DAY)
    make_submission(waiting, student)
    early = make_assignment(course=course, title="Early one")
    make_schedule(early.item, opens_at=now + DAY, due_at=now + 2 * DAY)
    make_assignment(course=course, title="Dateless one")
    make_assignment(course=course, title="Hidden one", visible=False)
    text = page(client, student)
    assert "section Monday" in text
    assert "1 of 3 used" in text
    assert "0 used, as many as you like" in text
    assert '7<span class="points-of"> / 10</span></span> points' in text
    assert "Being graded" in text
    assert "Opens <time" in text
    assert "No date" in text
    assert "Hidden one" not in text
    assert "/courses/attention/grades/" in text


def test_an_attempt_that_was_given_back_is_not_used(client: Client, course: Course) -> None:
    student = enrol(course)
    assignment = make_assignment(course=course, attempts=3)
    make_submission(assignment, student, status=Status.FAULT, returned=True)
    make_run(make_submission(assignment, student))
    assert "1 of 3 used" in page(client, student)


def test_an_extension_counts_for_one_student_only(client: Client, course: Course, now: datetime) -> None:
    student, other = enrol(course), enrol(course)
    assignment = make_assignment(course=course, due_at=now - DAY)
    make_extension(assignment.item, student, now + DAY)
    assert "extended for you" in page(client, student)
    assert "extended for you" not in page(client, other)


def test_staff_see_how_far_their_students_are(client: Client, course: Course, now: datetime) -> None:
    assignment = make_assignment(course=course, title="Masks", attempts=5, due_at=now + DAY)
    make_assignment(course=course, title="Not shown yet", visible=False)
    first, second = enrol(course), enrol(course)
    enrol(course)
    for points in (3, 10):
        make_run(make_submission(assignment, first), points=points)
    make_run(make_submission(assignment, second), points=9)
    make_submission(assignment, second)
    make_run(make_submission(assignment, make_enrolment(course, active=False).user))
    text = page(client, enrol(course, role=Role.TA))
    assert "3 students" in text
    assert "1 submission waiting or being graded" in text
    assert '<span><span class="numbers">2</span> of 3</span>' in text
    assert '<span><span class="numbers">1</span> of 3</span>' in text
    assert "Not shown yet" in text
    assert "Hidden</span>" in text
    assert "/courses/attention/gradebook/" in text


def test_staff_see_the_week_and_what_waits(client: Client, course: Course) -> None:
    assignment = make_assignment(course=course)
    student = enrol(course, name="Hana")
    make_run(make_submission(assignment, student), points=2, mistakes=["scale-missing"])
    held = make_submission(assignment, student, status=Status.HELD, deaths=3)
    text = page(client, enrol(course, role=Role.INSTRUCTOR))
    assert "scale-missing" in text
    assert "1 student</span>" in text
    assert f"/courses/attention/submissions/{held.pk}/" in text


def test_the_list_of_people(client: Client, course: Course) -> None:
    enrol(course, name="Zoe", section="Monday")
    enrol(course, name="Tom", role=Role.TA)
    make_enrolment(course, name="Abel", active=False)
    ruth = enrol(course, name="Ruth", role=Role.INSTRUCTOR)
    enrol(make_course(), name="Elsewhere")
    text = page(client, ruth, PAGE + "people/")
    assert text.index("Tom") < text.index("Zoe") < text.index("Abel")
    assert "Monday" in text
    assert "has left" in text
    assert "Elsewhere" not in text
    assert "administration" not in text
    assert [each.user.name for each in people_of(course)] == ["Ruth", "Tom", "Zoe", "Abel"]


def test_an_administrator_on_the_staff_is_shown_where_enrolments_are_changed(
    client: Client, course: Course
) -> None:
    admin = make_admin()
    enrol(course, admin, Role.INSTRUCTOR)
    text = page(client, admin, PAGE + "people/")
    assert f"/admin/courses/enrolment/?course__id__exact={course.pk}" in text


def test_an_extension_can_be_taken_back(course: Course, now: datetime) -> None:
    student = enrol(course)
    item = make_assignment(course=course, due_at=now).item
    extend(item, student, now + DAY, reason="ill", by=None)
    extend(item, student, now + 2 * DAY, reason="still ill", by=None)
    assert deadline_for(student, item).due_at == now + 2 * DAY
    extend(item, student, None, reason="a mistake", by=None)
    assert deadline_for(student, item).due_at == now
    assert Extension.objects.count() == 3


@pytest.mark.parametrize(("role", "queries"), [(Role.STUDENT, 14), (Role.TA, 17)])
def test_the_number_of_queries(
    client: Client, course: Course, role: Role, queries: int, now: datetime,
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:  # fmt: skip
    """The same for a course with much in it."""
    person = enrol(course, role=role, section="Monday")
    students = [person] if role is Role.STUDENT else [enrol(course) for _ in range(4)]
    for number in range(4):
        assignment = make_assignment(course=course, due_at=now + (number - 1) * DAY)
        for student in students:
            for _ in range(3):
                make_run(make_submission(assignment, student), points=number, mistakes=["uniform"])
            make_submission(assignment, student, status=Status.HELD)
    client.force_login(person)
    with django_assert_num_queries(queries):
        client.get(PAGE)
    if role is Role.TA:
        with django_assert_num_queries(8):
            client.get(PAGE + "people/")


# -- the administration


def test_grades_stay_with_their_course_and_their_people(client: Client, course: Course) -> None:
    """What an administrator may not change, since work and grades would be left behind."""
    other, elsewhere = make_course(), enrol(make_course())
    student = make_enrolment(course)
    assignment = make_assignment(course=course)
    client.force_login(make_admin())
    client.post(
        reverse("admin:courses_item_change", args=[assignment.item_id]),
        {"course": other.pk, "slug": "new", "title": "New", "kind": "assignment", "position": 1, "points": 5},
    )
    client.post(
        reverse("admin:courses_enrolment_change", args=[student.pk]),
        {"course": other.pk, "user": elsewhere.pk, "role": "ta"},
    )
    item = Item.objects.get(pk=assignment.item_id)
    assert (item.course, item.title, item.released) == (course, "New", True)
    found = Enrolment.objects.get(pk=student.pk)
    assert (found.course, found.user, found.role, found.active) == (course, student.user, "ta", False)
    delete = reverse("admin:courses_enrolment_delete", args=[student.pk])
    assert client.post(delete, {"post": "yes"}).status_code == 403
    assert Enrolment.objects.filter(pk=student.pk).exists()


def test_an_assignment_may_move_to_another_version_of_itself_only(client: Client, course: Course) -> None:
    assignment = make_assignment(course=course)
    newer = make_assignment_version(digest="1" * 64, version="1" * 12)
    other = make_assignment_version("causal-mask")
    client.force_login(make_admin())
    address = reverse("admin:coursework_assignment_change", args=[assignment.pk])
    for version, status, kept in ((other, 200, assignment.version), (newer, 302, newer)):
        form = {"item": make_item(course=course).pk, "version": version.pk, "attempts": 3}
        assert client.post(address, form).status_code == status
        found = Assignment.objects.get(pk=assignment.pk)
        assert (found.version, found.item) == (kept, assignment.item)
