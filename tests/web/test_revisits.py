"""The page of predictions to revisit: what is due, one at a time, with nothing of its answer before it is committed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from softmark.accounts.models import User
from softmark.courses.models import Role
from softmark.lessons.actions import commit, look
from softmark.lessons.compiled import Unshowable, compiled
from softmark.lessons.drawing import frozen
from softmark.lessons.models import Draw, Lesson, Prediction, Reading, Revisit
from softmark.lessons.pages.inputs import FORM
from tests.factories import (
    PASSWORD,
    enrol,
    make_course,
    make_lesson,
    make_lesson_version,
    make_reading,
    make_schedule,
)
from tests.lessons.db.steps import draw_at
from tests.lessons.small_lesson import canary, small_data, small_lesson
from tests.lessons.test_source import DATA, LESSON
from tests.web.test_lesson_page import check_form, words

NOON = datetime(2026, 3, 5, 12, 0, tzinfo=UTC)
DAY = timedelta(days=1)

pytestmark = pytest.mark.django_db


@pytest.fixture
def lesson() -> Lesson:
    return make_lesson()


@pytest.fixture
def student(client: Client, lesson: Lesson) -> User:
    """They missed how-many at noon. It is the next day, and they are signed in."""
    student = enrol(lesson.course, password=PASSWORD)
    miss(make_reading(lesson, student, started_at=NOON))
    client.force_login(student)
    return student


@pytest.fixture(autouse=True)
def the_next_day() -> Iterator[None]:
    with time_machine.travel(NOON + DAY, tick=False):
        yield


def miss(reading: Reading) -> None:
    look(reading, NOON)
    commit(reading, "how-many", ["8"], None, NOON)


def address(lesson: Lesson, view: str = "revisits", *more: int) -> str:
    return reverse(f"lessons:{view}", args=[lesson.course.slug, *more])


def page(client: Client, lesson: Lesson) -> str:
    response = client.get(address(lesson))
    assert response.status_code == 200
    assert "no-store" in response["Cache-Control"]
    html = response.content.decode()
    check_form(html)
    return html


def post(client: Client, lesson: Lesson, draw: Draw, view: str = "revisit", **fields: Any) -> HttpResponse:
    return client.post(address(lesson, view, draw.pk), fields)  # type: ignore[return-value]


def newest() -> Draw:
    return Draw.objects.filter(number__gte=1).latest("pk")


class TestPractice:
    def test_from_the_page_to_the_reveal_and_on(self, client: Client, lesson: Lesson, student: User) -> None:
        html = page(client, lesson)
        assert "1 due now." in words(html)
        assert "never counts" in words(html)
        assert "From the lesson “Listening”" in words(html)
        assert "How many are there?" in html
        assert "canary" not in html
        assert newest().number == 1
        response = post(client, lesson, newest(), answer="7", sure="3")
        assert response.status_code == 303
        assert response["Location"] == f"{address(lesson, 'revisited', newest().pk)}#revealed-how-many"
        html = client.get(response["Location"]).content.decode()
        check_form(html)
        assert "Your prediction 7 The answer 7 Right How sure you were: rather sure" in words(html)
        assert canary("reveal-how-many") in html
        assert canary("branch-how-many") not in html
        assert re.search(r"This one comes back on .*?8 Mar 2026, 13:00 CET", words(html))
        assert "Nothing is due now" in html
        assert "The next one comes back on" in page(client, lesson)

    def test_a_miss_opens_the_text_for_it_and_next_leads_on(
        self, client: Client, lesson: Lesson, student: User
    ) -> None:
        other = make_lesson(
            lesson.course, version=make_lesson_version(small_lesson(id="more", title="More of it"))
        )
        miss(make_reading(other, student, started_at=NOON))
        assert "2 due now." in words(page(client, lesson))
        response = post(client, lesson, newest(), answer="8")
        html = client.get(response["Location"]).content.decode()
        assert canary("branch-how-many") in html
        assert "Next 1 more due now" in words(html)
        html = page(client, lesson)
        assert "From the lesson “More of it”" in words(html)
        assert "1 due now; the next one after that on" in words(html)

    def test_without_a_miss_it_says_what_will_be_here(self, client: Client, lesson: Lesson) -> None:
        client.force_login(enrol(lesson.course))
        assert "A prediction that you miss in a lesson comes back here" in page(client, lesson)

    def test_the_first_stays(self, client: Client, lesson: Lesson, student: User) -> None:
        page(client, lesson)
        draw = newest()
        post(client, lesson, draw, answer="8")
        assert post(client, lesson, draw, answer="8").status_code == 303, "a double click"
        response = post(client, lesson, draw, answer="7")
        html = response.content.decode()
        check_form(html)
        assert response.status_code == 409
        told = words(html[html.index('id="stop-how-many"') : html.index("lesson-answers")])
        assert "the first answer stays" in told
        assert "Copy it to a safe place. 7" in told
        assert html.count('id="not-taken"') == 1
        assert "Your prediction 8" in words(html)
        assert Prediction.objects.filter(draw=draw).count() == 1

    def test_after_the_lesson_has_closed_and_been_changed(
        self, client: Client, lesson: Lesson, student: User
    ) -> None:
        make_schedule(lesson.item, due_at=NOON, closes_at=NOON)
        lesson.version = make_lesson_version(small_lesson(1), small_data(1))
        lesson.save()
        page(client, lesson)
        response = post(client, lesson, newest(), answer="7")
        assert canary("reveal-how-many") in client.get(response["Location"]).content.decode()

    def test_the_number_of_queries(
        self, client: Client, lesson: Lesson, student: User, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        page(client, lesson)
        with django_assert_num_queries(7):
            client.get(address(lesson))
        for number in range(3):
            text = small_lesson(id=f"more-{number}", title=f"More {number}")
            other = make_lesson(lesson.course, version=make_lesson_version(text))
            miss(make_reading(other, student, started_at=NOON))
        with django_assert_num_queries(7) as ran:
            client.get(address(lesson))
        fetched = [each["sql"] for each in ran if '"lessons_revisit"."card"' in each["sql"]]
        assert len(fetched) == 1
        assert fetched[0].endswith("LIMIT 1"), "however many are planned"
        draw = newest()
        post(client, lesson, draw, answer="7")
        with django_assert_num_queries(8) as ran:
            client.get(address(lesson, "revisited", draw.pk))
        assert not any('"lessons_revisit"."card"' in each["sql"] for each in ran)


class TestNothingBefore:
    def test_no_fact_of_the_new_draw_is_in_any_response(
        self, client: Client, lesson: Lesson, student: User
    ) -> None:
        reading = Reading.objects.get()
        question = compiled(reading.version).questions["how-many"]
        columns = frozen(question, question.variants[0])
        planted = {
            "facts": {"key": canary("fact"), "score": canary("score")},
            "mistakes": {canary("mistake"): columns["key"]},
        }
        draw = Draw.objects.create(
            reading=reading, question="how-many", number=1, shown_at=NOON, **columns | planted
        )
        responses = [
            client.get(address(lesson)),
            client.get(address(lesson), headers={"HX-Request": "true"}),
            client.get(address(lesson, "revisited", draw.pk)),
            client.get(address(lesson, "revisit", draw.pk)),
            post(client, lesson, draw, answer="3,145"),
            post(client, lesson, draw, answer="7" * 30_000),
            post(client, lesson, draw, "revisit_draft", answer="7"),
            post(client, lesson, draw, "revisit_draft", answer="7" * 30_000),
        ]
        assert [each.status_code for each in responses] == [200, 200, 303, 303, 422, 422, 200, 409]
        for each in responses:
            assert "canary" not in f"{each.headers}{each.content.decode()}"
        html = client.get(post(client, lesson, draw, answer="7")["Location"]).content.decode()
        assert canary("fact") in html

    def test_the_numbers_are_new_ones_and_the_reveal_is_of_them(self, client: Client, lesson: Lesson) -> None:
        varied = make_lesson(lesson.course, version=make_lesson_version(LESSON, DATA))
        reading = make_reading(varied, enrol(lesson.course), started_at=NOON)
        first = draw_at(reading, "bank-least")
        commit(reading, "bank-least", [str((first.key["places"][0] + 1) % 3)], None, NOON)
        client.force_login(reading.learner)
        html = page(client, lesson)
        draw = newest()
        assert draw.given != first.given
        reveal = re.search(r"\+\+\+ reveal\n(.*?)\n(?:\+\+\+|::::)", LESSON, re.DOTALL)
        assert reveal is not None
        begins = re.split(r"\{\{|\*", reveal.group(1))[0].strip()
        assert begins not in html
        response = post(client, lesson, draw, answer=str(draw.key["places"][0]))
        assert begins in client.get(response["Location"]).content.decode()
        assert Prediction.objects.get(draw=draw).is_right


class TestTyped:
    def test_what_is_invalid_costs_nothing_and_stays(
        self, client: Client, lesson: Lesson, student: User
    ) -> None:
        page(client, lesson)
        response = post(client, lesson, newest(), answer="3,145", sure="2")
        html = response.content.decode()
        assert response.status_code == 422
        check_form(html)
        assert 'value="3,145"' in html
        assert '<input type="radio" name="sure" value="2" checked>' in html
        assert "<title>Not taken:" in html
        assert 'value="3,145"' in page(client, lesson), "the draft"
        assert Revisit.objects.get().due_at == NOON + DAY

    def test_a_draft_is_kept_by_itself(self, client: Client, lesson: Lesson, student: User) -> None:
        page(client, lesson)
        draw = newest()
        assert post(client, lesson, draw, "revisit_draft", answer="5").json()["drafted_at"]
        assert 'value="5"' in page(client, lesson)
        client.logout()
        assert post(client, lesson, draw, "revisit_draft", answer="6").status_code == 401

    def test_who_was_signed_out_finds_it_in_the_form_again(
        self, client: Client, lesson: Lesson, student: User
    ) -> None:
        token = re.search(rf'name="{FORM}" value="([^"]+)"', page(client, lesson))
        assert token is not None
        draw = newest()
        client.logout()
        response = post(client, lesson, draw, answer="5", sure="4", **{FORM: token.group(1)})
        assert response.status_code == 401
        client.login(username=student.email, email=student.email, password=PASSWORD)
        html = page(client, lesson)
        assert 'value="5"' in html
        assert '<input type="radio" name="sure" value="4" checked>' in html
        assert "Not taken" not in html
        assert 'value="5"' in page(client, lesson), "it is a draft now"

    def test_a_lesson_that_was_hidden_meanwhile(self, client: Client, lesson: Lesson, student: User) -> None:
        page(client, lesson)
        draw = newest()
        lesson.item.visible = False
        lesson.item.save()
        response = post(client, lesson, draw, answer="so many words")
        html = response.content.decode()
        assert response.status_code == 409
        assert "is hidden at the moment" in html
        assert "so many words</textarea>" in html
        assert "How many" not in html
        assert "A prediction that you miss in a lesson" in page(client, lesson)
        assert client.get(address(lesson, "revisited", draw.pk)).status_code == 404


class TestWho:
    def test_only_their_own(self, client: Client, lesson: Lesson, student: User) -> None:
        page(client, lesson)
        draw = newest()
        counted = Draw.objects.get(number=0)
        assert post(client, lesson, counted, answer="7").status_code == 404
        for person in (enrol(lesson.course), enrol(make_course())):
            client.force_login(person)
            for view in ("revisit", "revisit_draft"):
                assert post(client, lesson, draw, view, answer="7").status_code == 404
            assert client.get(address(lesson, "revisited", draw.pk)).status_code == 404
        client.force_login(enrol(lesson.course, role=Role.TA))
        assert client.get(address(lesson)).status_code == 403
        student.enrolments.update(active=False)
        client.force_login(student)
        assert client.get(address(lesson)).status_code == 404
        assert post(client, lesson, draw, answer="7").status_code == 404
        assert not Prediction.objects.filter(draw__number=1).exists()

    @pytest.mark.parametrize("is_drawn", [False, True])
    def test_a_version_that_cannot_be_shown_is_left_out(
        self, client: Client, lesson: Lesson, student: User, monkeypatch: pytest.MonkeyPatch, is_drawn: bool
    ) -> None:
        if is_drawn:
            page(client, lesson)
        other = make_lesson(
            lesson.course, version=make_lesson_version(small_lesson(id="more", title="More of it"))
        )
        miss(make_reading(other, student, started_at=NOON))

        def refuse(version: Any) -> Any:
            if version.slug == "listening":
                raise Unshowable("It cannot be shown.")
            return compiled(version)

        for module in ("actions", "views.revisits"):
            monkeypatch.setattr(f"softmark.lessons.{module}.compiled", refuse)
        html = page(client, lesson)
        assert "Listening It cannot be shown." in words(html)
        assert "From the lesson “More of it”" in words(html)
        assert "1 due now" in words(html)
