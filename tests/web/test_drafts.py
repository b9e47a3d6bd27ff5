"""Drafts: kept while somebody types."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
import time_machine
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from softmark.accounts.models import User
from softmark.courses.models import Role
from softmark.coursework.models import Assignment
from softmark.submissions import form_token
from softmark.submissions.models import Submission, Work
from tests.factories import enrol, make_assignment, make_course

NOON = datetime(2026, 3, 5, 12, 0, tzinfo=UTC)


def address(assignment: Assignment) -> str:
    return reverse("submissions:draft", args=[assignment.course.slug, assignment.item.slug])


@pytest.fixture
def assignment() -> Assignment:
    return make_assignment()


@pytest.fixture
def student(assignment: Assignment, client: Client) -> User:
    student = enrol(assignment.course)
    client.force_login(student)
    return student


@pytest.mark.django_db
class TestDraft:
    def test_it_is_kept_and_says_when_and_what_it_replaced(
        self, client: Client, assignment: Assignment, student: User
    ) -> None:
        with time_machine.travel(NOON, tick=False):
            first = client.post(address(assignment), {"text": "of one tab\r\n"}).json()
        assert first == {"saved_at": "2026-03-05T12:00:00Z", "drafted_at": None}
        with time_machine.travel(NOON.replace(minute=1), tick=False):
            second = client.post(address(assignment), {"text": "of another\r\n"}).json()
        assert second == {"saved_at": "2026-03-05T12:01:00Z", "drafted_at": "2026-03-05T12:00:00Z"}
        assert Work.objects.get(student=student).draft == "of another\n"
        assert not Submission.objects.exists()

    def test_nothing_is_a_draft_too(self, client: Client, assignment: Assignment, student: User) -> None:
        client.post(address(assignment), {"text": "something"})
        assert client.post(address(assignment), {"text": ""}).status_code == 200
        assert Work.objects.get().draft == ""

    def test_nuls_are_left_out(self, client: Client, assignment: Assignment, student: User) -> None:
        client.post(address(assignment), {"text": "a\0b"})
        assert Work.objects.get().draft == "ab"

    @pytest.mark.parametrize("fields", [{}, {"text": "x" * 1_000_001}, {"text": "é" * 500_001}])
    def test_what_cannot_be_kept_is_said(
        self, client: Client, assignment: Assignment, student: User, fields: dict[str, str]
    ) -> None:
        response = client.post(address(assignment), fields)
        assert response.status_code == (413 if fields else 400)
        assert response.json()["error"].endswith(".")
        assert not Work.objects.exists()

    def test_for_students_of_the_course_only(self, client: Client, assignment: Assignment) -> None:
        response = client.post(address(assignment), {"text": "mine"})
        assert (response.status_code, response.json()) == (401, {"error": "You are signed out."})
        for person, status in (
            (enrol(make_course()), 404),
            (enrol(assignment.course, active=False), 404),
            (enrol(assignment.course, role=Role.TA), 403),
        ):
            client.force_login(person)
            assert client.post(address(assignment), {"text": "mine"}).status_code == status
        assert not Work.objects.exists()

    def test_a_hidden_assignment_has_none(
        self, client: Client, assignment: Assignment, student: User
    ) -> None:
        assignment.item.visible = False
        assignment.item.save()
        assert client.post(address(assignment), {"text": "mine"}).status_code == 404

    def test_forged(self, assignment: Assignment, student: User) -> None:
        client = Client(enforce_csrf_checks=True)
        client.force_login(student)
        assert client.post(address(assignment), {"text": "theirs"}).status_code == 403

    def test_the_number_of_queries(
        self, client: Client, assignment: Assignment, student: User,
        django_assert_num_queries: DjangoAssertNumQueries,
    ) -> None:  # fmt: skip
        client.post(address(assignment), {"text": "one"})
        with django_assert_num_queries(9):
            client.post(address(assignment), {"text": "two"})


@pytest.mark.django_db
class TestButton:
    """Where no script runs."""

    def test_it_goes_back_to_the_page_and_says_so(
        self, client: Client, assignment: Assignment, student: User
    ) -> None:
        response = client.post(
            address(assignment), {"text": "mine = 1\r\n", "by_button": "draft"}, follow=True
        )
        assert response.redirect_chain == [(address(assignment).replace("draft/", ""), 303)]
        html = response.content.decode()
        assert "Your draft is saved." in html
        assert ">\nmine = 1\n</textarea>" in html

    def test_a_text_that_is_too_long_stays_in_the_editor(
        self, client: Client, assignment: Assignment, student: User
    ) -> None:
        text = "x" * 1_000_001
        response = client.post(address(assignment), {"text": text, "by_button": "draft"})
        assert response.status_code == 413
        assert f">\n{text}</textarea>" in response.content.decode()

    def test_signed_out_it_is_kept_until_they_are_back(self, client: Client, assignment: Assignment) -> None:
        student = enrol(assignment.course)
        form = form_token.new(student.pk, assignment.pk)
        fields = {"text": "mine = 1\n", "by_button": "draft", "form": form}
        response = client.post(address(assignment), fields)
        assert response.status_code == 302
        assert client.session["rescued"]["texts"] == {str(assignment.pk): "mine = 1\n"}
