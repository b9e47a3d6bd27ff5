"""The page of an assignment: what it shows to whom."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from softmark.accounts.models import User
from softmark.courses.models import Role
from softmark.coursework.models import Assignment
from softmark.submissions.actions import save_draft
from softmark.submissions.editor import Origin, fill
from softmark.submissions.models import Status
from tests.factories import (
    enrol,
    make_admin,
    make_assignment,
    make_assignment_version,
    make_course,
    make_extension,
    make_schedule,
    make_submission,
    make_user,
)

NOON = datetime(2026, 3, 5, 12, 0, tzinfo=UTC)


def address(assignment: Assignment) -> str:
    return reverse("submissions:assignment", args=[assignment.course.slug, assignment.item.slug])


def page(client: Client, assignment: Assignment, person: User) -> str:
    client.force_login(person)
    response = client.get(address(assignment))
    assert response.status_code == 200
    return response.content.decode()


def words(html: str) -> str:
    """What is read on a page, without its tags."""
    return " ".join(re.sub(r"<[^>]*>", " ", html).split())


def in_editor(html: str) -> str:
    found = re.search(r"<textarea[^>]*data-editor[^>]*>\n(.*?)</textarea>", html, re.DOTALL)
    assert found
    return found[1]


class TestWhatIsInTheEditor:
    def test_what_was_typed_last_comes_first(self) -> None:
        everything = {"starter": "s", "newest": "n", "draft": "d", "rescued": "r", "refused": "x"}
        order = [Origin.REFUSED, Origin.RESCUED, Origin.DRAFT, Origin.SUBMISSION, Origin.STARTER]
        for origin, text in zip(order, "xrdns", strict=True):
            filled = fill(**everything)
            assert (filled.text, filled.origin) == (text, origin)
            everything.pop({"x": "refused", "r": "rescued", "d": "draft", "n": "newest"}.get(text, "starter"))

    def test_a_draft_behind_something_newer_is_not_lost(self) -> None:
        assert fill(starter="s", draft="d", rescued="r").other_draft == "d"
        assert fill(starter="s", draft="same", refused="same").other_draft == ""

    def test_a_draft_that_was_submitted_is_none(self) -> None:
        assert fill(starter="s", newest="n", draft="n").origin is Origin.SUBMISSION

    def test_an_empty_text_that_was_refused_stays_empty(self) -> None:
        assert fill(starter="s", newest="n", refused="").text == ""


@pytest.mark.django_db
class TestPage:
    def test_a_student_finds_the_statement_the_starter_and_the_button(self, client: Client) -> None:
        assignment = make_assignment(attempts=10)
        html = page(client, assignment, enrol(assignment.course))
        assert "<math" in html
        assert "attention(q, k, v)" in html
        assert "raise NotImplementedError" in in_editor(html)
        assert "Submit for grading" in html
        assert "10 of 10 left" in words(html)
        assert "No deadline" in words(html)
        assert "No attempts yet" in html
        assert html.count("<h1") == 1
        for attribute in (" style=", " onclick=", " onsubmit="):
            assert attribute not in html

    def test_a_first_empty_line_survives_the_textarea(self, client: Client) -> None:
        assignment = make_assignment()
        student = enrol(assignment.course)
        save_draft(assignment, student, "\nx = 1 < 2\n", NOON)
        assert in_editor(page(client, assignment, student)) == "\nx = 1 &lt; 2\n"

    def test_the_draft_is_there_with_its_time(self, client: Client) -> None:
        assignment = make_assignment()
        student = enrol(assignment.course)
        make_submission(assignment, student, text="submitted\n")
        assert in_editor(page(client, assignment, student)) == "submitted\n"
        save_draft(assignment, student, "typed since\n", NOON)
        html = page(client, assignment, student)
        assert in_editor(html) == "typed since\n"
        assert "Thu 5 Mar 2026, 13:00 CET" in html

    def test_the_terms_stand_before_the_button(self, client: Client) -> None:
        assignment = make_assignment(attempts=10)
        student = enrol(assignment.course)
        make_schedule(assignment.item, due_at=NOON, closes_at=NOON + timedelta(days=7), grace_minutes=15)
        for number in range(1, 8):
            make_submission(
                assignment, student, number=number, received_at=NOON - timedelta(days=1), returned=number == 1
            )
        with time_machine.travel(NOON - timedelta(hours=3), tick=False):
            html = page(client, assignment, student)
        before = words(html[: html.index("Submit for grading")])
        assert "Thu 5 Mar 2026, 13:00 CET" in before
        assert "3 hours left" in before
        assert "loses 10 % of the points for each day begun, but keeps at least 50 %" in before
        assert "The first 15 minutes cost nothing." in before
        assert "Nothing is taken after Thu 12 Mar 2026, 13:00 CET" in before
        assert "4 of 10 left" in before

    def test_late_says_what_submitting_now_keeps(self, client: Client) -> None:
        assignment = make_assignment()
        student = enrol(assignment.course)
        make_schedule(assignment.item, due_at=NOON)
        with time_machine.travel(NOON + timedelta(hours=30), tick=False):
            html = page(client, assignment, student)
        assert "Submitting now keeps 80\xa0% of the points." in html
        assert "Submit for grading" in html

    def test_an_extension_shows_its_own_deadline_and_says_so(self, client: Client) -> None:
        assignment = make_assignment(due_at=NOON)
        student = enrol(assignment.course)
        make_extension(assignment.item, student, NOON + timedelta(days=3), reason="a private matter")
        html = page(client, assignment, student)
        assert "Sun 8 Mar 2026, 13:00 CET" in html
        assert "extended deadline" in html
        assert "private matter" not in html

    @pytest.mark.parametrize(
        ("attempts", "closes_at", "said"), [(1, None, "only attempt"), (0, NOON, "closed on Thu 5 Mar 2026")]
    )
    def test_where_nothing_is_taken_there_is_a_reason_and_no_button(
        self, client: Client, attempts: int, closes_at: datetime | None, said: str
    ) -> None:
        assignment = make_assignment(attempts=attempts)
        student = enrol(assignment.course)
        make_submission(assignment, student, received_at=NOON)
        make_schedule(assignment.item, due_at=closes_at, closes_at=closes_at)
        html = page(client, assignment, student)
        assert said in html
        assert "Submit for grading" not in html
        assert 'type="file"' not in html

    def test_many_within_a_minute_do_not_take_the_button_away(self, client: Client) -> None:
        assignment = make_assignment()
        student = enrol(assignment.course)
        for number in range(1, 20):
            make_submission(assignment, student, number=number)
        assert "Submit for grading" in page(client, assignment, student)

    def test_before_it_opens_students_see_when_and_not_the_task(self, client: Client) -> None:
        assignment = make_assignment()
        make_schedule(assignment.item, opens_at=NOON, due_at=NOON + timedelta(days=3))
        with time_machine.travel(NOON - timedelta(days=1), tick=False):
            html = page(client, assignment, enrol(assignment.course))
            assert "opens on Thu 5 Mar 2026, 13:00 CET" in html
            assert "NotImplementedError" not in html
            assert "<math" not in html
            assert "NotImplementedError" in page(client, assignment, enrol(assignment.course, role=Role.TA))
        with time_machine.travel(NOON, tick=False):
            assert "Submit for grading" in page(client, assignment, enrol(assignment.course))

    def test_attempts_are_listed_newest_first_with_links_and_only_ones_own(self, client: Client) -> None:
        assignment = make_assignment()
        student = enrol(assignment.course)
        first = make_submission(
            assignment, student, status=Status.GRADED, returned=True, filename="mine.ipynb"
        )
        second = make_submission(assignment, student)
        others = make_submission(assignment)
        html = page(client, assignment, student)
        links = [
            reverse("grading:report", args=[assignment.course.slug, each.pk]) for each in (second, first)
        ]
        assert 0 < html.index(links[0]) < html.index(links[1])
        assert reverse("grading:report", args=[assignment.course.slug, others.pk]) not in html
        assert "mine.ipynb" in html
        assert "Given back" in html
        assert "Waiting" in html

    def test_staff_see_the_page_with_links_and_no_button(self, client: Client) -> None:
        assignment = make_assignment(visible=False)
        for person in (
            enrol(assignment.course, role=Role.TA),
            enrol(assignment.course, make_admin(), Role.INSTRUCTOR),
        ):
            html = page(client, assignment, person)
            assert "<math" in html
            assert "raise NotImplementedError" in in_editor(html)
            assert "Submit for grading" not in html
            assert "data-draft-url" not in html
            assert "it is hidden" in html
            assert reverse("gradebook:grid", args=[assignment.course.slug]) in html
            change = reverse("admin:courses_item_change", args=[assignment.item.pk])
            assert (change in html) == person.is_staff

    def test_who_may_not_see_it(self, client: Client) -> None:
        assignment, hidden = make_assignment(), make_assignment(visible=False)
        assert client.get(address(assignment)).status_code == 302
        client.force_login(make_user())
        assert client.get(address(assignment)).status_code == 404
        client.force_login(enrol(make_course()))
        assert client.get(address(assignment)).status_code == 404
        client.force_login(enrol(hidden.course))
        assert client.get(address(hidden)).status_code == 404
        assert client.get(address(hidden).replace(hidden.item.slug, "nothing")).status_code == 404

    def test_what_an_author_or_a_student_writes_stays_text(self, client: Client) -> None:
        assignment = make_assignment(title="<b>Bold</b>")
        student = enrol(assignment.course)
        make_submission(assignment, student, filename="<i>.py")
        save_draft(assignment, student, "</textarea><script>alert(1)</script>", NOON)
        html = page(client, assignment, student)
        assert "<b>Bold" not in html
        assert "<i>.py" not in html
        assert "<script>alert" not in html

    def test_one_for_a_gpu_says_so(self, client: Client) -> None:
        line = "It runs on a GPU, and the arrays that it is given are CuPy arrays."
        usual = make_assignment()
        on_gpu = make_assignment(version=make_assignment_version("causal-mask", device="cuda"))
        assert line in words(page(client, on_gpu, enrol(on_gpu.course)))
        assert "GPU" not in page(client, usual, enrol(usual.course))

    def test_the_number_of_queries(
        self, client: Client, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        assignment = make_assignment(due_at=NOON)
        student, assistant = enrol(assignment.course), enrol(assignment.course, role=Role.TA)
        for _ in range(12):
            make_submission(assignment, student)
        client.force_login(student)
        with django_assert_num_queries(9):
            client.get(address(assignment))
        client.force_login(assistant)
        with django_assert_num_queries(6):
            client.get(address(assignment))
