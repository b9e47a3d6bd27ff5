"""Free texts after the commit: their author ticks ideas, staff read and mark them, and both see what was said."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.http import HttpResponse, QueryDict
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from softmark.accounts.models import User
from softmark.courses.models import Role
from softmark.lessons.actions import settle
from softmark.lessons.compiled import Unshowable
from softmark.lessons.marking_queries import desk as desk_of
from softmark.lessons.marking_queries import marking_page, next_to_read
from softmark.lessons.models import Lesson, Prediction, SelfReview, StaffMark
from softmark.lessons.pages.marking import ListFilter, asked_in
from tests.factories import enrol, make_lesson, make_lesson_version, make_reading
from tests.lessons.db.steps import NOON, predict, read_to_the_end
from tests.lessons.small_lesson import canary, small_lesson
from tests.web.test_lesson_page import address, canaries, check_form, words

pytestmark = pytest.mark.django_db

STOP = "in-your-words"
TICK = {"HX-Request": "true"}


@pytest.fixture
def lesson() -> Lesson:
    return make_lesson(version=make_lesson_version(small_lesson(extra=True)))


@pytest.fixture
def student(lesson: Lesson) -> User:
    return enrol(lesson.course, name="Ada Author")


@pytest.fixture
def written(lesson: Lesson, student: User) -> Prediction:
    """A free text, after three predictions of which a rule marked the first as wrong."""
    reading = make_reading(lesson, student, started_at=NOON)
    predict(reading, "8")
    return read_to_the_end(reading)[-1]


@pytest.fixture
def ta(lesson: Lesson) -> User:
    return enrol(lesson.course, role=Role.TA, name="Tom Teacher")


def got(client: Client, url: str, status: int = 200) -> str:
    response = client.get(url)
    assert response.status_code == status
    return response.content.decode()


def desk(prediction: Prediction, view: str = "mark") -> str:
    return address(prediction.draw.reading.lesson, view, str(prediction.pk))


def save(client: Client, prediction: Prediction, query: str = "", **fields: object) -> HttpResponse:
    data = {"seen": 0, "share": "1/3", "comment": "A fair part of it."} | fields
    return client.post(desk(prediction, "save_mark") + query, data)  # type: ignore[return-value]


class TestIdeas:
    def test_they_are_ticked_once(
        self, client: Client, lesson: Lesson, student: User, written: Prediction
    ) -> None:
        client.force_login(student)
        html = got(client, address(lesson))
        check_form(html)
        said = words(html)
        assert "Self-marked" in said
        assert "Counts as made, until staff mark it" in said
        assert "Which of these ideas are in yours?" in said
        assert html.count('name="idea"') == 3
        response = client.post(address(lesson, "tick", STOP), {"idea": ["0", "2"]})
        assert (response.status_code, response["Location"]) == (303, f"{address(lesson)}#ideas-{STOP}")
        html = got(client, address(lesson))
        check_form(html)
        assert "You found 2 of these 3 ideas in yours" in words(html)
        assert "Not found: another idea" in words(html)
        assert 'name="idea"' not in html
        client.post(address(lesson, "tick", STOP), {"idea": ["1"]})
        assert SelfReview.objects.get().ideas == [0, 2]
        assert "the first time counts" in words(got(client, address(lesson)))

    def test_in_place(self, client: Client, lesson: Lesson, student: User, written: Prediction) -> None:
        client.force_login(student)
        html = client.post(address(lesson, "tick", STOP), {"idea": ["1"]}, headers=TICK).content.decode()
        assert html.strip().startswith(f'<div class="lesson-ideas flow" id="ideas-{STOP}">')
        assert "You found 1 of these 3" in words(html)
        assert 'tabindex="-1" autofocus' in html, "the form had the focus, and is gone"
        again = client.post(address(lesson, "tick", STOP), {"idea": ["0"]}, headers=TICK).content.decode()
        assert "You had ticked these before" in again
        client.logout()
        assert client.post(address(lesson, "tick", STOP), headers=TICK)["HX-Refresh"] == "true"

    def test_not_before_the_commit(self, client: Client, lesson: Lesson) -> None:
        reading = make_reading(lesson)
        client.force_login(reading.learner)
        got(client, address(lesson))
        for headers in (None, TICK):
            for stop in (STOP, "how-many", "nowhere"):
                response = client.post(address(lesson, "tick", stop), {"idea": ["0"]}, headers=headers)
                assert canaries(response.content.decode()) <= {canary("part-1")}
                assert response.status_code == (409 if headers is None else 200)
                assert headers is None or response["HX-Refresh"] == "true"
        assert not SelfReview.objects.exists()

    def test_what_is_no_idea(
        self, client: Client, lesson: Lesson, student: User, written: Prediction
    ) -> None:
        client.force_login(student)
        response = client.post(address(lesson, "tick", STOP), {"idea": ["9"]})
        assert response.status_code == 422
        assert "none of the ideas" in words(response.content.decode())
        assert not SelfReview.objects.exists()


class TestTheList:
    def test_what_waits_comes_first(
        self, client: Client, lesson: Lesson, ta: User, written: Prediction
    ) -> None:
        second = read_to_the_end(make_reading(lesson, enrol(lesson.course, name="Ben Before")))[-1]
        StaffMark.objects.create(prediction=written, share=1, by=ta, at=NOON)
        client.force_login(ta)
        html = got(client, address(lesson, "marking"))
        check_form(html)
        said = words(html)
        assert "1 free text to read" in said
        assert said.index("Ben Before") < said.index("Ada Author")
        assert "Marked by staff: 100" in said
        assert "Not right" not in said, "a rule marked it"
        only = words(got(client, address(lesson, "marking") + "?state=waiting"))
        assert "Ben Before" in only
        assert "Ada Author" not in only
        assert "None of these" in got(client, address(lesson, "marking") + "?question=how-many")
        everything = words(got(client, address(lesson, "marking") + "?all=1&question=how-many"))
        assert "Not right" in everything
        assert second.draw.question == STOP

    def test_nothing_yet(self, client: Client, lesson: Lesson, ta: User) -> None:
        client.force_login(ta)
        assert "Nothing to read yet" in got(client, address(lesson, "marking"))

    def test_trials_and_who_has_left_are_not_in_it(self, client: Client, lesson: Lesson, ta: User) -> None:
        tried = read_to_the_end(make_reading(lesson, ta, trial=True))[-1]
        gone = read_to_the_end(make_reading(lesson))[-1]
        gone.draw.reading.learner.enrolments.update(active=False)
        client.force_login(ta)
        assert "Nothing to read yet" in got(client, address(lesson, "marking") + "?all=1")
        for each in (tried, gone):
            got(client, desk(each), 404)
            assert save(client, each).status_code == 404

    def test_the_number_of_queries(
        self, client: Client, lesson: Lesson, ta: User, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        made = [read_to_the_end(make_reading(lesson))[-1] for _ in range(3)]
        StaffMark.objects.create(prediction=made[0], share=1, by=ta, at=NOON)
        client.force_login(ta)
        got(client, address(lesson, "marking"))
        with django_assert_num_queries(10):
            got(client, address(lesson, "marking") + "?all=1")
        with django_assert_num_queries(10):
            got(client, desk(made[1]))


class TestTheDesk:
    @pytest.mark.parametrize(
        "query", ["", "all=1", "state=waiting", "all=1&state=marked", "all=1&question=how-many"]
    )
    def test_its_neighbours_are_those_of_the_list(self, lesson: Lesson, ta: User, query: str) -> None:
        """Also of what was committed at one instant, and of what is not in the list."""
        for number in range(4):
            *_, free = read_to_the_end(make_reading(lesson))
            if number % 2:
                StaffMark.objects.create(prediction=free, share=1, by=ta, at=NOON)
        asked = asked_in(QueryDict(query))
        listed = [row.pk for row in marking_page(lesson, asked, "1").rows]
        around = dict(zip(listed, zip([None, *listed], [*listed[1:], None], strict=False), strict=True))
        found = {}
        for each in Prediction.objects.all():
            one = desk_of(lesson, each.pk, asked)
            assert one is not None
            found[each.pk] = one.before, one.after
        assert found == dict.fromkeys(found, (None, None)) | around

    def test_the_next_to_read_begins_again_after_the_last(self, lesson: Lesson, ta: User) -> None:
        free = [read_to_the_end(make_reading(lesson))[-1] for _ in range(4)]
        StaffMark.objects.create(prediction=free[2], share=1, by=ta, at=NOON)
        following = [next_to_read(lesson, each, ListFilter()) for each in free]
        assert following == [free[1].pk, free[3].pk, free[3].pk, free[0].pk]
        assert next_to_read(lesson, free[0], ListFilter(question="how-many")) is None

    def test_it_says_where_a_mark_changes_no_points(
        self, client: Client, lesson: Lesson, ta: User, written: Prediction
    ) -> None:
        """As the gradebook counts: neither a text, nor what has no answer, nor anything that counts for being right."""
        ruled = Prediction.objects.get(draw__question="how-many")
        over = make_reading(lesson, started_at=NOON, minutes=5)
        settle(over, NOON + timedelta(hours=1))
        missed = Prediction.objects.get(draw__reading=over, draw__question="how-many")
        client.force_login(ta)
        told = "This lesson counts predictions for being made: your mark is shown to the student and changes no points."
        assert [told in words(got(client, desk(each))) for each in (ruled, written, missed)] == [
            True,
            False,
            False,
        ]
        lesson.counts = Lesson.Counts.CORRECTNESS
        lesson.save()
        assert told not in words(got(client, desk(ruled)))

    def test_it_does_not_fetch_the_list(
        self, client: Client, lesson: Lesson, ta: User, django_assert_max_num_queries: DjangoAssertNumQueries
    ) -> None:
        made = [read_to_the_end(make_reading(lesson))[-1] for _ in range(3)]
        client.force_login(ta)
        with django_assert_max_num_queries(60) as ran:
            got(client, desk(made[1]))
            save(client, made[1])
        ordered = [each["sql"] for each in ran if '"committed_at" ASC' in each["sql"]]
        assert ordered
        assert all(each.endswith("LIMIT 1") for each in ordered), "however long the list is"

    def test_a_free_text_is_marked_and_the_next_one_comes(
        self, client: Client, lesson: Lesson, ta: User, student: User, written: Prediction
    ) -> None:
        second = read_to_the_end(make_reading(lesson))[-1]
        client.force_login(student)
        client.post(address(lesson, "tick", STOP), {"idea": ["0"]})
        client.force_login(ta)
        html = got(client, desk(written))
        check_form(html)
        said = words(html)
        assert "Say it in your own words." in said
        assert "It is a matter of listening to all of them." in said
        assert "A model answer, canary-0-model-end." in said
        assert "The student found 1 of 3" in said
        assert re.findall(r'name="share" value="([^"]*)"', html) == ["0", "1/3", "1/2", "2/3", "1"]
        response = save(client, written)
        assert (response.status_code, response["Location"]) == (303, desk(second) + "#answer")
        response = save(client, second, "?state=waiting", share="0", comment="")
        assert response["Location"] == address(lesson, "marking") + "?state=waiting"
        assert "No free text waits" in got(client, address(lesson, "marking"))
        html = got(client, desk(written))
        assert 'value="1/3" required checked' in html
        assert "33\N{NO-BREAK SPACE}% Tom Teacher" in re.sub(r"[ \n]+", " ", re.sub("<[^>]*>", " ", html))
        client.force_login(student)
        html = got(client, address(lesson))
        check_form(html)
        assert "Marked by staff: 33" in html
        assert "A fair part of it." in html
        assert "Tom Teacher" not in html
        assert "Self-marked" not in html

    def test_who_is_slower_sees_what_the_other_said(
        self, client: Client, lesson: Lesson, ta: User, written: Prediction
    ) -> None:
        other = enrol(lesson.course, role=Role.INSTRUCTOR, name="Ruth Rival")
        first = StaffMark.objects.create(prediction=written, share=1, comment="All there.", by=other, at=NOON)
        client.force_login(ta)
        response = save(client, written)
        html = response.content.decode()
        check_form(html)
        assert response.status_code == 409
        assert "Somebody was quicker" in html
        assert re.search("100.%, by Ruth Rival, .*: “All there.”", words(html))
        assert "A fair part of it." in html, "what was typed"
        assert 'value="1/3" required checked' in html
        assert f'name="seen" value="{first.pk}"' in html
        assert StaffMark.objects.count() == 1
        assert save(client, written, seen=first.pk).status_code == 303
        assert [each.by for each in written.staff_marks.all()] == [other, ta]

    def test_taken_back(
        self, client: Client, lesson: Lesson, ta: User, student: User, written: Prediction
    ) -> None:
        client.force_login(ta)
        save(client, written)
        assert "Take the mark back" in got(client, desk(written))
        newest = StaffMark.objects.get().pk
        for seen in ("", "0", "x", "9" * 30):
            response = client.post(desk(written, "take_back"), {"seen": seen})
            assert (response.status_code, response["Location"]) == (303, desk(written) + "#marks")
            assert "too old" in got(client, desk(written))
        assert StaffMark.objects.count() == 1
        client.post(desk(written, "take_back"), {"seen": newest})
        html = got(client, desk(written))
        assert "Self-marked" in html
        assert "Take the mark back" not in html
        assert "1 free text to read" in words(got(client, address(lesson, "marking")))
        client.force_login(student)
        html = got(client, address(lesson))
        assert "Self-marked" in html
        assert "A fair part of it." not in html

    @pytest.mark.parametrize("bad", [{"share": ""}, {"share": "2"}, {"seen": "x"}, {"comment": "a\0b"}])
    def test_what_is_not_taken(
        self, client: Client, ta: User, written: Prediction, bad: dict[str, str]
    ) -> None:
        client.force_login(ta)
        response = save(client, written, **bad)
        assert response.status_code == 422
        assert "Nothing was saved" in response.content.decode()
        assert not StaffMark.objects.exists()

    def test_a_rule_is_overruled(
        self, client: Client, lesson: Lesson, ta: User, student: User, written: Prediction
    ) -> None:
        wrong = Prediction.objects.get(draw__question="how-many")
        client.force_login(ta)
        html = got(client, desk(wrong) + "?all=1")
        assert "The rule of the question marked it." in words(html)
        assert re.findall(r'name="share" value="([^"]*)"', html) == ["0", "1/4", "1/2", "3/4", "1"]
        assert save(client, wrong, "?all=1", share="1", comment="It was unclear.").status_code == 303
        client.force_login(student)
        html = got(client, address(lesson))
        assert "Marked by staff: 100" in html
        assert "It was unclear." in html
        assert canary("branch-how-many") in html, "what is said to those who gave this answer stays"

    def test_without_names(self, client: Client, lesson: Lesson, ta: User, written: Prediction) -> None:
        read_to_the_end(make_reading(lesson, enrol(lesson.course, name="Ben Before")))
        client.force_login(ta)
        listed = got(client, address(lesson, "marking") + "?anonymous=1")
        shown = got(client, desk(written) + "?anonymous=1")
        response = save(client, written, "?anonymous=1", share="")
        failed = response.content.decode()
        for html in (listed, shown, failed):
            check_form(html)
            assert "Ada" not in html
            assert "Ben" not in html
            assert "ada" not in html.lower().replace("data", "")
            assert "Show names" in html
        assert f"{desk(written)}?anonymous=1" in listed
        assert save(client, written, "?anonymous=1")["Location"].endswith("?anonymous=1#answer")

    def test_of_other_lessons_and_courses_there_is_none(
        self, client: Client, lesson: Lesson, ta: User, written: Prediction
    ) -> None:
        text = small_lesson(id="another", title="Another")
        another = make_lesson(lesson.course, version=make_lesson_version(text))
        client.force_login(ta)
        got(client, address(another, "mark", str(written.pk)), 404)
        elsewhere = make_lesson()
        client.force_login(enrol(elsewhere.course, role=Role.INSTRUCTOR))
        got(client, address(elsewhere, "mark", str(written.pk)), 404)
        got(client, desk(written), 404)

    def test_a_version_that_cannot_be_shown(
        self, client: Client, lesson: Lesson, ta: User, written: Prediction, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def unshowable(_: object) -> None:
            raise Unshowable("This lesson cannot be shown.")

        monkeypatch.setattr("softmark.lessons.marking_queries.compiled", unshowable)
        client.force_login(ta)
        assert "Some are left out" in got(client, address(lesson, "marking"))
        for response in (client.get(desk(written)), save(client, written)):
            assert (response.status_code, response["Location"]) == (303, address(lesson, "marking"))

    def test_students_do_not_mark(
        self, client: Client, lesson: Lesson, student: User, written: Prediction
    ) -> None:
        client.force_login(student)
        assert "Only the staff" in got(client, address(lesson, "marking"), 403)
        got(client, desk(written), 403)
        assert save(client, written).status_code == 403
        assert client.post(desk(written, "take_back"), {"seen": 0}).status_code == 403
        assert not StaffMark.objects.exists()


def test_the_staffs_pages_say_what_is_to_be_read(
    client: Client, lesson: Lesson, ta: User, written: Prediction
) -> None:
    client.force_login(ta)
    for url in ("/", reverse("courses:course", args=[lesson.course.slug])):
        html = got(client, url)
        assert f'<a href="{address(lesson, "marking")}">1 free text to read</a>' in html
    save(client, written)
    assert "free text to read" not in got(client, "/")
