"""What is sent from the page of an assignment, well or badly: nothing typed is lost, nothing is half saved."""

from __future__ import annotations

import html as html_module
import json
import re
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from io import BytesIO
from typing import Any, Protocol

import pytest
import time_machine
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.http import HttpRequest
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries, Settings

from softmark.accounts.models import User
from softmark.courses.models import Role
from softmark.coursework.models import Assignment
from softmark.submissions import form_token, reading
from softmark.submissions.models import Submission, Work
from tests.factories import enrol, make_assignment, make_course, make_schedule, make_submission

NOON = datetime(2026, 3, 5, 12, 0, tzinfo=UTC)
CODE = "def attention(q, k, v):\n    return v  # for a start\n"
NOTEBOOK = json.dumps({"cells": [{"cell_type": "code", "source": [CODE]}], "nbformat": 4, "metadata": {}})


class Answer(Protocol):
    """What the tests look at of a response."""

    status_code: int

    @property
    def content(self) -> bytes: ...
    def __getitem__(self, header: str, /) -> str: ...


def address(assignment: Assignment, what: str = "submit") -> str:
    return reverse(f"submissions:{what}", args=[assignment.course.slug, assignment.item.slug])


def token(assignment: Assignment, person: User) -> str:
    return form_token.new(person.pk, assignment.pk)


def send(client: Client, assignment: Assignment, person: User, **fields: Any) -> Answer:
    """One of the two forms, filled in."""
    client.force_login(person)
    return client.post(address(assignment), {"form": token(assignment, person)} | fields)


def upload(name: str, data: bytes | str) -> SimpleUploadedFile:
    return SimpleUploadedFile(name, data if isinstance(data, bytes) else data.encode())


def in_editor(response: Answer) -> str:
    found = re.search(
        r"<textarea[^>]*data-editor[^>]*>\n(.*?)</textarea>", response.content.decode(), re.DOTALL
    )
    assert found
    return html_module.unescape(found[1])


def said(response: Answer) -> str:
    return " ".join(html_module.unescape(re.sub(r"<[^>]*>", " ", response.content.decode())).split())


def said_as_typed(response: Answer) -> str:
    return html_module.unescape(response.content.decode())


@pytest.fixture
def assignment() -> Assignment:
    return make_assignment()


@pytest.fixture
def student(assignment: Assignment) -> User:
    return enrol(assignment.course)


@pytest.mark.django_db
class TestTaken:
    def test_the_text_of_the_editor(self, client: Client, assignment: Assignment, student: User) -> None:
        before = datetime.now(UTC)
        response = send(client, assignment, student, text=CODE.replace("\n", "\r\n"))
        submission = Submission.objects.get()
        assert response.status_code == 303
        assert response["Location"] == reverse("grading:report", args=[assignment.course.slug, submission.pk])
        assert (submission.text, submission.filename, submission.student) == (CODE, "", student)
        assert before <= submission.received_at <= datetime.now(UTC)

    @pytest.mark.parametrize(("name", "data"), [("mine.py", CODE), ("Mine.IPYNB", NOTEBOOK)])
    def test_a_file(
        self, client: Client, assignment: Assignment, student: User, name: str, data: str
    ) -> None:
        assert send(client, assignment, student, file=upload(name, data)).status_code == 303
        submission = Submission.objects.get()
        assert (submission.text, submission.filename) == (CODE, name)

    def test_a_comment_about_the_encoding_means_nothing_in_the_editor(
        self, client: Client, assignment: Assignment, student: User
    ) -> None:
        send(client, assignment, student, text="# -*- coding: latin-1 -*-\nname = 'é'\n")
        assert "name = 'é'" in Submission.objects.get().text

    def test_nuls_are_left_out_and_it_is_said(
        self, client: Client, assignment: Assignment, student: User
    ) -> None:
        assert send(client, assignment, student, text="x = 1\0\n").status_code == 303
        submission = Submission.objects.get()
        assert submission.text == "x = 1\n"
        assert "1 invisible character" in submission.notes[0]

    def test_a_double_click_is_one_submission(
        self, client: Client, assignment: Assignment, student: User
    ) -> None:
        fields = {"form": token(assignment, student), "text": CODE}
        client.force_login(student)
        first, second = (client.post(address(assignment), fields) for _ in range(2))
        assert first["Location"] == second["Location"]
        assert Submission.objects.count() == 1

    def test_the_last_second_counts_and_the_next_is_late_but_taken(
        self, client: Client, assignment: Assignment, student: User
    ) -> None:
        make_schedule(assignment.item, due_at=NOON, closes_at=NOON + timedelta(days=1))
        for instant in (NOON.replace(second=59, microsecond=999_000), NOON + timedelta(minutes=1)):
            with time_machine.travel(instant, tick=False):
                send(client, assignment, student, text=f"# {instant}\n")
                assert Submission.objects.get(received_at=instant)

    @pytest.mark.parametrize(("seconds", "counts"), [(60, timedelta(0)), (61, timedelta(seconds=61))])
    def test_a_body_that_dribbles_in_is_received_when_it_is_there(
        self, client: Client, assignment: Assignment, student: User, monkeypatch: pytest.MonkeyPatch, seconds: int,
        counts: timedelta,
    ) -> None:  # fmt: skip
        """Else one could send the head of a request before the deadline, and write the code after it."""
        parse = reading.parse_body
        with time_machine.travel(NOON, tick=False) as clock:

            def dribble(request: HttpRequest) -> bool:
                clock.shift(seconds)
                return parse(request)

            monkeypatch.setattr(reading, "parse_body", dribble)
            send(client, assignment, student, text=CODE)
        assert Submission.objects.get().received_at == NOON + counts

    def test_the_number_of_queries(
        self, client: Client, assignment: Assignment, student: User,
        django_assert_num_queries: DjangoAssertNumQueries,
    ) -> None:  # fmt: skip
        client.force_login(student)
        with django_assert_num_queries(15):
            client.post(address(assignment), {"form": token(assignment, student), "text": CODE})


UNREADABLE = [
    ({"text": ""}, "The editor is empty."),
    ({"text": " \r\n"}, "The editor is empty."),
    ({"text": "\0"}, "The editor is empty."),
    ({"text": "# a\n" * 1_250_000}, "longer than 1 MB"),
    ({"text": NOTEBOOK}, "holds a whole notebook"),
    ({}, "You chose no file."),
    ({"file": [("a.py", CODE), ("b.py", CODE)]}, "You chose 2 files."),
    ({"file": [("a.py", CODE)], "text": CODE}, "a file and the text of the editor"),
    ({"file": [("a.py", "")]}, "a.py is empty"),
    ({"file": [("a.py", b"# a\n" * 1_250_000)]}, "a.py is larger than 1 MB"),
    ({"file": [("a.py", b"\x7fELF\0\0")]}, "a compiled program"),
    ({"file": [("a.py", b"x = '\xff\xfe'")]}, "not UTF-8 text: line 1"),
    ({"file": [("a.py", "x = 1\n\0")]}, "a NUL character in line 2"),
    ({"file": [("a.ipynb", CODE)]}, "is not a notebook: line 1 is not JSON"),
    ({"file": [("a.ipynb", "[]")]}, "is not a notebook"),
    ({"file": [("a.ipynb", b"[" * 100_000)]}, "nested too deep"),
    ({"file": [("a.ipynb", b" " * (20 << 20) + b"{}")]}, "larger than 20 MB"),
    ({"file": [("essay.docx", b"PK\x03\x04")]}, "only Python files (.py) and notebooks (.ipynb)"),
    ({"file": [("no-ending", CODE)]}, "has no ending"),
]


@pytest.mark.django_db
class TestRefused:
    @pytest.mark.parametrize(("fields", "sentence"), UNREADABLE, ids=[sentence for _, sentence in UNREADABLE])
    def test_what_cannot_be_read(
        self, client: Client, assignment: Assignment, student: User, fields: dict[str, Any], sentence: str
    ) -> None:
        files = [upload(name, data) for name, data in fields.get("file", [])]
        response = send(client, assignment, student, **fields | ({"file": files} if files else {}))
        assert response.status_code == 422
        assert sentence in said(response)
        assert "<title>Not submitted" in response.content.decode()
        if "text" in fields:
            assert in_editor(response) == fields["text"].replace("\r\n", "\n").replace("\0", "")
        assert not Submission.objects.exists()

    def test_the_reason_stands_with_the_form_it_is_about(
        self, client: Client, assignment: Assignment, student: User
    ) -> None:
        html = send(client, assignment, student, text="").content.decode()
        assert html.index('id="editor"') < html.index("The editor is empty") < html.index('id="upload"')
        html = send(client, assignment, student, file=upload("a.txt", "a")).content.decode()
        assert html.index('id="upload"') < html.index("only Python files")

    def test_a_refusal_keeps_what_was_typed_in_the_editor_and_as_the_draft(
        self, client: Client, student: User, assignment: Assignment
    ) -> None:
        make_schedule(assignment.item, due_at=NOON, closes_at=NOON)
        response = send(client, assignment, student, text="mine = 1\r\n\0")
        assert response.status_code == 409
        assert "closed on Thu 5 Mar 2026, 13:00 CET" in said(response)
        assert in_editor(response) == Work.objects.get().draft == "mine = 1\n"
        assert not Submission.objects.exists()

    def test_no_attempts_left(self, client: Client) -> None:
        assignment = make_assignment(attempts=1)
        student = make_submission(assignment, received_at=NOON).student
        response = send(client, assignment, student, text=CODE)
        assert response.status_code == 409
        assert "only attempt" in said(response)

    def test_too_many_within_a_minute(
        self, client: Client, assignment: Assignment, student: User, settings: Settings
    ) -> None:
        settings.SUBMISSIONS_PER_MINUTE = 1
        send(client, assignment, student, text="one = 1\n")
        response = send(client, assignment, student, text="two = 2\n")
        assert response.status_code == 409
        assert re.search(r"Submit again in \d+ seconds\.", said(response))
        assert in_editor(response) == "two = 2\n"
        assert "Submit for grading" in said(response), "to be pressed again after that"

    def test_before_it_opens_the_task_stays_hidden(
        self, client: Client, assignment: Assignment, student: User
    ) -> None:
        make_schedule(assignment.item, opens_at=datetime.now(UTC) + timedelta(days=1))
        for fields in ({"text": "mine = 1\n"}, {"file": upload("a.py", CODE)}):
            response = send(client, assignment, student, **fields)
            assert response.status_code == 409
            assert "NotImplementedError" not in response.content.decode()
            assert "<math" not in response.content.decode()
        assert "mine = 1" in said(send(client, assignment, student, text="mine = 1\n"))

    @pytest.mark.parametrize(("name", "title"), [("submit", "Not submitted"), ("draft", "Not saved")])
    def test_who_has_left_meanwhile_gets_back_what_they_typed(
        self, client: Client, assignment: Assignment, student: User, name: str, title: str
    ) -> None:
        fields = {"form": token(assignment, student), "text": CODE, "by_button": "draft"}
        student.enrolments.update(active=False)
        client.force_login(student)
        response = client.post(address(assignment, name), fields)
        assert response.status_code == 404
        assert title in said(response)
        assert CODE.strip() in said_as_typed(response)
        assert assignment.course.title not in said(response)
        assert not Submission.objects.exists()
        client.force_login(enrol(make_course()))
        assert CODE.strip() not in said_as_typed(client.post(address(assignment, name), fields))

    def test_hidden_meanwhile(self, client: Client, assignment: Assignment, student: User) -> None:
        assignment.item.visible = False
        assignment.item.save()
        response = send(client, assignment, student, text="mine = 1\n")
        assert response.status_code == 409
        assert "hidden at the moment" in said(response)
        assert "mine = 1" in said(response)
        assert "NotImplementedError" not in response.content.decode()
        other = make_assignment(course=assignment.course)
        for form in ("", token(other, student), token(assignment, enrol(assignment.course))):
            assert send(client, assignment, student, text=CODE, form=form).status_code == 404

    def test_staff(self, client: Client, assignment: Assignment) -> None:
        response = send(client, assignment, enrol(assignment.course, role=Role.INSTRUCTOR), text=CODE)
        assert response.status_code == 409
        assert "Only students hand in" in said(response)
        assert in_editor(response) == CODE
        assert not Work.objects.exists()

    def test_to_a_course_or_an_assignment_of_others(self, client: Client, assignment: Assignment) -> None:
        other = make_course()
        response = send(client, assignment, enrol(other), text=CODE)
        assert response.status_code == 404
        crossed = reverse("submissions:submit", args=[other.slug, assignment.item.slug])
        assert client.post(crossed, {"text": CODE}).status_code == 404
        assert not Submission.objects.exists()

    @pytest.mark.parametrize("whose", ["nobody's", "a mate's", "another assignment's"])
    def test_a_form_that_is_not_theirs(
        self, client: Client, assignment: Assignment, student: User, whose: str
    ) -> None:
        forms = {
            "nobody's": "made up",
            "a mate's": token(assignment, enrol(assignment.course)),
            "another assignment's": token(make_assignment(course=assignment.course), student),
        }
        response = send(client, assignment, student, text=CODE, form=forms[whose])
        assert response.status_code == 409
        assert "submit once more" in said(response)
        assert in_editor(response) == CODE
        assert not Work.objects.exists(), "what another may have typed does not become a draft"
        fresh = re.search(r'name="form" value="([^"]+)"', response.content.decode())
        assert fresh
        assert client.post(address(assignment), {"form": fresh[1], "text": CODE}).status_code == 303

    def test_text_beyond_what_is_read_at_all(
        self, client: Client, assignment: Assignment, student: User
    ) -> None:
        response = send(client, assignment, student, text="x" * (13 << 20))
        assert response.status_code == 413
        assert "larger than anything that can be graded" in said(response)
        assert "NotImplementedError" in in_editor(response)

    def test_a_body_beyond_what_is_read_at_all(
        self, client: Client, assignment: Assignment, student: User
    ) -> None:
        response = send(client, assignment, student, file=upload("a.ipynb", b" " * (22 << 20)))
        assert response.status_code == 413
        assert "larger than anything" in said(response)

    def test_more_files_than_are_read_at_all(
        self, client: Client, assignment: Assignment, student: User
    ) -> None:
        files = [upload(f"{number}.py", CODE) for number in range(101)]
        assert send(client, assignment, student, file=files).status_code == 413

    def test_a_body_in_an_encoding_that_makes_half_characters(
        self, client: Client, assignment: Assignment, student: User
    ) -> None:
        client.force_login(student)
        body = (
            f'--b\r\nContent-Disposition: form-data; name="form"\r\n\r\n{token(assignment, student)}\r\n'
            '--b\r\nContent-Disposition: form-data; name="text"\r\n\r\nx = 1 # \\ud800\r\n--b--\r\n'
        )
        response = client.generic(
            "POST", address(assignment), body, "multipart/form-data; boundary=b; charset=unicode_escape"
        )
        assert response.status_code == 400
        assert not Submission.objects.exists()

    def test_by_get_one_is_sent_to_the_page(
        self, client: Client, assignment: Assignment, student: User
    ) -> None:
        client.force_login(student)
        for what in ("submit", "draft"):
            response = client.get(address(assignment, what))
            assert (response.status_code, response["Location"]) == (303, address(assignment, "assignment"))


@pytest.mark.django_db
class TestSignedOut:
    def sign_in(self, client: Client, person: User) -> None:
        """As the sign-in page does it: the session of the browser goes on."""
        from django.contrib.auth import login
        from django.http import HttpRequest

        request = HttpRequest()
        request.session = client.session
        login(request, person)
        request.session.save()
        client.cookies["sessionid"] = request.session.session_key or ""

    def post(self, client: Client, assignment: Assignment, person: User, **fields: Any) -> Answer:
        return client.post(address(assignment), {"form": token(assignment, person)} | fields)

    def test_the_text_is_there_after_signing_in_and_not_submitted(
        self, client: Client, assignment: Assignment, student: User
    ) -> None:
        response = self.post(client, assignment, student, text="mine = 1\r\n")
        assert response.status_code == 302
        page = address(assignment, "assignment")
        assert response["Location"] == f"{reverse('account_login')}?next={page}"
        self.sign_in(client, student)
        for _ in range(2):  # it stays until it is safe elsewhere
            response = client.get(page)
            assert in_editor(response) == "mine = 1\n"
            assert "You had been signed out" in said(response)
            assert "Your code is here and has not been submitted yet." in said(response)
        assert not Submission.objects.exists()
        assert self.post(client, assignment, student, text="mine = 1\r\n").status_code == 303
        assert "You had been signed out" not in said(client.get(page))

    def test_by_the_sign_in_page_itself(self, client: Client, assignment: Assignment) -> None:
        student = enrol(assignment.course, password="a-long-password-for-tests")
        where = self.post(client, assignment, student, text="mine = 1\n")["Location"]
        assert "Your code is kept" in said(client.get(where))
        response = client.post(where, {"login": student.email, "password": "a-long-password-for-tests"})
        assert response.status_code == 302
        assert in_editor(client.get(response["Location"])) == "mine = 1\n"

    def test_a_saved_draft_takes_its_place(
        self, client: Client, assignment: Assignment, student: User
    ) -> None:
        self.post(client, assignment, student, text="mine = 1\n")
        self.sign_in(client, student)
        client.post(address(assignment, "draft"), {"text": "mine = 2\n"})
        response = client.get(address(assignment, "assignment"))
        assert in_editor(response) == "mine = 2\n"
        assert "has not been submitted yet" not in said(response)

    def test_a_draft_from_before_is_handed_out_as_well(
        self, client: Client, assignment: Assignment, student: User
    ) -> None:
        Work.objects.create(assignment=assignment, student=student, draft="older = 1\n", drafted_at=NOON)
        self.post(client, assignment, student, text="mine = 1\n")
        self.sign_in(client, student)
        response = client.get(address(assignment, "assignment"))
        assert in_editor(response) == "mine = 1\n"
        assert "another draft of yours" in said(response)
        assert "older = 1" in said(response)

    def test_a_large_draft_from_before_is_handed_out_plainly(
        self, client: Client, assignment: Assignment, student: User
    ) -> None:
        """Colouring a megabyte would take ten seconds."""
        draft = "\nx = '<b>'\n" * 90_000
        Work.objects.create(assignment=assignment, student=student, draft=draft, drafted_at=NOON)
        self.post(client, assignment, student, text="mine = 1\n")
        self.sign_in(client, student)
        page = client.get(address(assignment, "assignment")).content.decode()
        assert f'aria-label="Your other draft">\n{html_module.escape(draft)}</textarea>' in page

    @pytest.mark.parametrize(("name", "data"), [("a.py", "mine = 1\n"), ("a.txt", "mine = 1\n")])
    def test_a_file(
        self, client: Client, assignment: Assignment, student: User, name: str, data: str
    ) -> None:
        self.post(client, assignment, student, file=upload(name, data))
        self.sign_in(client, student)
        response = client.get(address(assignment, "assignment"))
        if name == "a.py":
            assert in_editor(response) == "mine = 1\n"
        else:
            assert "Choose your file once more" in said(response)

    def test_another_person_does_not_find_it_and_it_is_dropped(
        self, client: Client, assignment: Assignment, student: User
    ) -> None:
        self.post(client, assignment, student, text="mine = 1\n")
        client.get(reverse("account_login"))
        self.sign_in(client, enrol(assignment.course))
        response = client.get(address(assignment, "assignment"))
        assert "mine = 1" not in said(response)
        assert "signed out" not in said(response)
        assert "rescued" not in client.session

    def test_only_a_form_of_this_site_is_kept_and_others_are_handed_back(
        self, client: Client, assignment: Assignment
    ) -> None:
        response = client.post(address(assignment), {"form": "made up", "text": "mine = 1\n"})
        assert response.status_code == 403
        assert "mine = 1" in said(response)
        assert "sessionid" not in client.cookies
        assert client.post(address(assignment), {"form": "made up"}).status_code == 302

    def test_too_much_is_handed_back(self, client: Client, assignment: Assignment, student: User) -> None:
        response = self.post(client, assignment, student, text="x" * 1_000_001)
        assert (response.status_code, "x" * 1000 in said(response)) == (403, True)
        assert self.post(client, assignment, student, text="x" * (13 << 20)).status_code == 302

    def test_five_assignments_at_most(self, client: Client) -> None:
        course = make_course()
        student = enrol(course)
        assignments = [make_assignment(course=course) for _ in range(7)]
        for number, each in enumerate(assignments):
            self.post(client, each, student, text=f"number = {number}\n")
        assert list(client.session["rescued"]["texts"].values()) == [f"number = {n}\n" for n in range(2, 7)]


@pytest.mark.django_db
class TestForgery:
    def test_another_sign_in_hands_the_text_back_and_it_can_be_sent_again(
        self, assignment: Assignment
    ) -> None:
        student = enrol(assignment.course)
        client = Client(enforce_csrf_checks=True)
        client.force_login(student)
        fields = {
            "form": token(assignment, student),
            "text": CODE,
            "csrfmiddlewaretoken": "of another sign-in",
        }
        refused = client.post(address(assignment), fields, headers={"Origin": "http://testserver"})
        assert refused.status_code == 403
        assert not Submission.objects.exists()
        html = refused.content.decode()
        assert f'<form method="post" action="{address(assignment)}">' in html
        assert html.count("<textarea") == 1, "the code, and not what else the form holds"
        again = {
            name: html_module.unescape(value)
            for name, value in re.findall(r'<input type="hidden" name="([^"]*)" value="([^"]*)">', html)
        }
        assert again["text"] == CODE
        assert client.post(address(assignment), again).status_code == 303

    @pytest.mark.parametrize("origin", ["https://elsewhere.example", "null", None])
    def test_a_form_of_another_site_cannot_be_sent_again(
        self, assignment: Assignment, student: User, origin: str | None
    ) -> None:
        client = Client(enforce_csrf_checks=True)
        client.force_login(student)
        response = client.post(
            address(assignment), {"text": CODE}, headers={"Origin": origin} if origin else {}
        )
        assert response.status_code == 403
        assert "<form" not in response.content.decode()
        assert not Submission.objects.exists()

    def test_neither_passwords_nor_files_are_put_into_a_page(self, client: Client) -> None:
        client = Client(enforce_csrf_checks=True)
        secret = "correct horse battery staple, and longer than forty characters"
        for fields in ({"login": "a@example.org", "password": secret}, {"file": upload("a.py", CODE)}):
            response = client.post(reverse("account_login"), fields, headers={"Origin": "http://testserver"})
            assert response.status_code == 403
            assert secret not in response.content.decode()
            assert "<form" not in response.content.decode()


@pytest.mark.django_db(transaction=True)
def test_fifty_posts_with_one_attempt_left() -> None:
    assignment = make_assignment(attempts=1)
    student = enrol(assignment.course)
    signed_in = Client()
    signed_in.force_login(student)

    def post(number: int) -> int:
        client = Client()
        client.cookies = signed_in.cookies
        try:
            fields = {"form": token(assignment, student), "text": f"number = {number}\n"}
            return client.post(address(assignment), fields).status_code
        finally:
            connection.close()

    with ThreadPoolExecutor(50) as pool:
        statuses = sorted(pool.map(post, range(50)))
    assert statuses == [303] + [409] * 49
    assert Submission.objects.count() == 1


def test_the_stream_of_a_large_body_is_read_away() -> None:
    """Else a browser, which is still sending, shows a broken connection instead of the page."""
    from django.core.handlers.wsgi import WSGIRequest

    from softmark.submissions.reading import parse_body

    body = BytesIO(b"x" * (23 << 20))
    environ = {
        "REQUEST_METHOD": "POST", "PATH_INFO": "/", "CONTENT_LENGTH": str(23 << 20), "wsgi.input": body,
        "CONTENT_TYPE": "application/x-www-form-urlencoded",
    }  # fmt: skip
    assert not parse_body(WSGIRequest(environ))
    assert body.read() == b""
