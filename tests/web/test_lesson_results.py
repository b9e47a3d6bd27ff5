"""What is seen of a class's predictions: beside an answered stop, by the staff, and by a learner of their own."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from softmark.accounts.models import User
from softmark.courses.models import Course, Item, Role
from softmark.lessons.compiled import compiled
from softmark.lessons.drawing import frozen, variant_for
from softmark.lessons.importing import place
from softmark.lessons.models import Draw, Lesson, Prediction, Reading, StaffMark
from softmark.lessons.questions import Mark
from softmark.lessons.results import answers_of_class, said_by
from tests.factories import enrol, make_course, make_lesson, make_lesson_version, make_reading
from tests.lessons.small_lesson import canary, small_data, small_lesson
from tests.web.test_lesson_page import check_form, words

NOON = datetime(2026, 3, 5, 12, 0, tzinfo=UTC)

pytestmark = pytest.mark.django_db

VARIED = """\
---
id: varied
title: With variants
minutes: 5
---
::::{predict} how-many-vectors
---
type: number
answer: {ref: projections}
variants: {gen: sequence_length, count: 20}
---
A text has {{ length }} tokens. How many vectors?
+++ reveal
They are {{ vectors }}.
::::

::::{predict} say-it
---
type: free_text
model: A model answer.
ideas: [one idea, another idea, a third idea]
min_length: 3
---
Say it in your own words.
+++ reveal
Thank you.
::::
"""


def answer(
    reading: Reading, stop: str, response: dict[str, Any] | None, *, sure: int | None = None, seconds: int = 60,
    number: int = 0, how: Prediction.How = Prediction.How.LEARNER,
) -> Prediction:  # fmt: skip
    """A prediction as `actions.commit` records it, at an instant of the test's own, and without its checks."""
    question = compiled(reading.version).questions[stop]
    values = frozen(question, variant_for(reading, question, number))
    draw = Draw.objects.create(reading=reading, question=stop, number=number, shown_at=NOON, **values)
    kind, mark = question.type, Mark(Fraction(0))
    if response is not None:
        mistakes = {name: kind.key_from_json(each) for name, each in draw.mistakes.items()}
        given = kind.response_from_json(response)
        mark = kind.mark(given, kind.key_from_json(draw.key), question.settings, mistakes)
    return Prediction.objects.create(
        draw=draw, posted=[], response=response, share=round(Decimal(float(mark.share)), 6), error=mark.error or "",
        source=str(mark.source), confidence=sure, how=how, committed_at=NOON + timedelta(seconds=seconds),
    )  # fmt: skip


def number(value: float) -> dict[str, Any]:
    return {"raw": str(value), "value": value}


def klass(lesson: Lesson, answers: Sequence[float], **fields: Any) -> list[Reading]:
    """A student for each answer to the first stop of the small lesson."""
    readings = [make_reading(lesson) for _ in answers]
    for reading, value in zip(readings, answers, strict=True):
        answer(reading, "how-many", number(value), **fields)
    return readings


@pytest.fixture
def lesson() -> Lesson:
    return make_lesson()


def see(client: Client, person: User, name: str, *arguments: Any, **query: str) -> str:
    client.force_login(person)
    response = client.get(reverse(f"lessons:{name}", args=arguments), query)
    assert response.status_code == 200
    html = response.content.decode()
    check_form(html)
    return html


def lesson_page(client: Client, reading: Reading) -> str:
    return see(client, reading.learner, "lesson", reading.lesson.course.slug, reading.lesson.item.slug)


def bars(html: str) -> list[str]:
    return [words(each) for each in re.findall(r'<div class="bar-head">(.*?)</div>', html, re.DOTALL)]


class TestBesideAnAnsweredStop:
    def test_nothing_before_ones_own_commit(self, client: Client, lesson: Lesson) -> None:
        klass(lesson, [7] * 6 + [8] * 6)
        html = lesson_page(client, make_reading(lesson))
        assert "Commit" in html
        assert "What the class predicted" not in html
        assert "bar-head" not in html
        assert " 12 " not in words(html)

    def test_nothing_of_fewer_than_ten(self, client: Client, lesson: Lesson) -> None:
        mine = klass(lesson, [7] * 5 + [8] * 4)[0]
        html = lesson_page(client, mine)
        assert "Shown once 10 have predicted." in html
        assert bars(html) == []
        assert " 9 " not in words(html)

    def test_bars_with_ones_own(self, client: Client, lesson: Lesson) -> None:
        readings = klass(lesson, [7, 7, 7, 7, 8, 8, 8, 9, 1, 2, 3])
        assert bars(lesson_page(client, readings[0])) == [
            "7 Right Yours 4 (36 %)".replace(" %", "&nbsp;%"),
            "8 3 (27&nbsp;%)",
            "Other answers 4 (36&nbsp;%)",
        ]
        html = lesson_page(client, readings[-1])
        assert "Other answers Yours 4 (36&nbsp;%)" in bars(html)
        assert "11 have answered." in html
        assert 'viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true"><rect width="27"' in html

    def test_no_bars_where_they_would_tell_of_one(self, client: Client, lesson: Lesson) -> None:
        mine = klass(lesson, [7] * 10 + [8])[0]
        html = lesson_page(client, mine)
        assert bars(html) == []
        assert "bars would tell who said what" in html

    def test_only_students_of_the_course_in_the_lesson_itself(self, client: Client, lesson: Lesson) -> None:
        """No trial, no staff, nobody who left, no other course, no other version, no practice, no missing answer."""
        readings = klass(lesson, [7] * 6 + [8] * 3)
        course = lesson.course
        trial = make_reading(lesson, enrol(course, role=Role.TA), trial=True)
        left = make_reading(lesson, enrol(course, active=False))
        elsewhere = make_reading(make_lesson(version=lesson.version))
        other = make_reading(
            lesson, version=make_lesson_version(small_lesson(1), small_data(1)), learner=enrol(course)
        )
        for each in (trial, left, elsewhere, other):
            answer(each, "how-many", number(8))
        answer(make_reading(lesson), "how-many", None, how=Prediction.How.TIME_LIMIT)
        answer(readings[0], "how-many", number(8), number=1)
        html = lesson_page(client, readings[0])
        assert "Shown once 10 have predicted." in html
        answer(make_reading(lesson), "how-many", number(8))
        assert bars(lesson_page(client, readings[0])) == [
            "7 Right Yours 6 (60&nbsp;%)",
            "8 4 (40&nbsp;%)",
        ]
        assert "Shown once 10 have predicted." in lesson_page(client, other)

    def test_with_variants_no_raw_value(self, client: Client) -> None:
        lesson = make_lesson(version=make_lesson_version(VARIED, {}))
        readings = [make_reading(lesson) for _ in range(12)]
        for place_, reading in enumerate(readings):
            variant = variant_for(reading, compiled(reading.version).questions["how-many-vectors"], 0)
            right = variant.facts["vectors"]
            said = [right, right // 3, 987_654][place_ % 3]
            answer(reading, "how-many-vectors", number(said))
        html = lesson_page(client, readings[0])
        assert sorted(bars(html)) == [
            "One per token 4 (33&nbsp;%)",
            "Other wrong answers 4 (33&nbsp;%)",
            "Right Yours 4 (33&nbsp;%)",
        ]
        assert "987" not in html

    def test_a_text_has_none(self, client: Client) -> None:
        lesson = make_lesson(version=make_lesson_version(VARIED, {}))
        reading = make_reading(lesson)
        answer(reading, "how-many-vectors", number(3))
        answer(reading, "say-it", {"text": "because"})
        assert lesson_page(client, reading).count("What the class predicted") == 1

    def test_one_query_for_all_stops(
        self, client: Client, lesson: Lesson, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        reading = klass(lesson, [7] * 10)[0]
        answer(reading, "which-one", {"option": "first"})
        with django_assert_num_queries(1):
            assert set(answers_of_class(reading, ["how-many", "which-one"])) == {"how-many", "which-one"}
        with django_assert_num_queries(0):
            answers_of_class(reading, [])


class TestCalibration:
    def page(self, client: Client, learner: User, course: Course) -> str:
        return words(see(client, learner, "calibration", course.slug))

    def test_before_there_is_any(self, client: Client, lesson: Lesson) -> None:
        learner = enrol(lesson.course)
        assert "After 10 of them this page shows" in self.page(client, learner, lesson.course)

    def test_how_many_are_missing(self, client: Client, lesson: Lesson) -> None:
        reading = make_reading(lesson)
        answer(reading, "how-many", number(7), sure=4)
        answer(reading, "which-one", {"option": "first"})
        html = self.page(client, reading.learner, lesson.course)
        assert "of 1 prediction how sure" in html
        assert "After 9 more" in html

    def test_what_is_counted(self, client: Client, django_assert_num_queries: DjangoAssertNumQueries) -> None:
        course = make_course()
        learner = enrol(course)
        for edit in range(6):
            version = make_lesson_version(small_lesson(edit, id=f"listening-{edit}"), small_data(edit))
            reading = make_reading(make_lesson(course, version=version), learner)
            answer(reading, "how-many", number(7 if edit < 2 else 8), sure=4)
            answer(reading, "which-one", {"option": "second"}, sure=1)
            answer(reading, "how-many", number(7), sure=4, number=1)  # practice
        elsewhere = make_lesson()
        enrol(elsewhere.course, learner)
        answer(make_reading(elsewhere, learner), "how-many", number(7), sure=2)
        hidden = make_lesson(course, version=make_lesson_version(small_lesson(7, id="hidden"), small_data(7)))
        answer(make_reading(hidden, learner), "how-many", number(7), sure=2)
        hidden.item.visible = False
        hidden.item.save()
        html = self.page(client, learner, course)
        assert "Predictions 12 " in html
        html = html.replace("\xa0", " ").replace("&nbsp;", " ")
        assert "On the whole your words stood for 60 %, and 67 % were right." in html
        assert "A guess 25 % 6 of 6 100 % 61 to 100 % Not sure enough" in html
        assert "Certain 95 % 2 of 6 33 % 10 to 70 % Too sure" in html
        assert "Rather sure 75" not in html
        assert "certain for 95 %" in html
        with django_assert_num_queries(4):
            client.get(reverse("lessons:calibration", args=[course.slug]))

    def test_what_staff_say_counts(self, client: Client, lesson: Lesson) -> None:
        reading = make_reading(lesson)
        given = answer(reading, "how-many", number(8), sure=4)
        tutor = enrol(lesson.course, role=Role.TA)
        assert [each.right for each in said_by(reading.learner, lesson.course)] == [False]
        StaffMark.objects.create(prediction=given, share=1, by=tutor, at=NOON)
        assert [each.right for each in said_by(reading.learner, lesson.course)] == [True]
        Item.objects.update(released=False)
        assert [each.right for each in said_by(reading.learner, lesson.course)] == [False], (
            "not before a release"
        )
        Item.objects.update(released=True)
        StaffMark.objects.create(prediction=given, share=None, by=tutor, at=NOON)
        assert [each.right for each in said_by(reading.learner, lesson.course)] == [False]


class TestForTheStaff:
    def results(self, client: Client, lesson: Lesson, **query: str) -> str:
        tutor = enrol(lesson.course, role=Role.TA)
        return see(client, tutor, "results", lesson.course.slug, lesson.item.slug, **query)

    def test_before_anybody_predicted(self, client: Client, lesson: Lesson) -> None:
        make_reading(lesson)
        html = self.results(client, lesson)
        assert "No predictions yet" in html
        assert "1 of 1 student has begun, and 0 came to its end." in words(html)

    def test_question_by_question(self, client: Client, lesson: Lesson) -> None:
        readings = klass(lesson, [7] * 6 + [8] * 3 + [1.5], sure=3)
        for place_, reading in enumerate(readings):
            answer(reading, "which-one", {"option": "second" if place_ < 6 else "first"}, seconds=30 + place_)
        slow = make_reading(lesson)
        answer(slow, "how-many", None, seconds=9_999, how=Prediction.How.TIME_LIMIT)
        answer(make_reading(lesson, enrol(lesson.course, role=Role.TA), trial=True), "how-many", number(9))
        html = self.results(client, lesson)
        said = words(html).replace("&nbsp;", " ").replace("\xa0", " ")
        assert "11 of 11 students have begun" in said
        assert bars(html)[:3] == ["7 Right 6 (60&nbsp;%)", "8 3 (30&nbsp;%)", "1.5 1 (10&nbsp;%)"], (
            "none is merged"
        )
        # answers, all right, mean share, sure, time, discrimination, the commonest wrong answer
        assert "1. how-many 10 + 1 none 60 % 60 % 75 % 1 min 1.00 8 (3)" in said
        assert "2. which-one 10 60 % 60 % – 34 s 1.00 The former (4)" in said
        assert "3. what-prints 0 – – – – – –" in said
        assert "Brier score 0.26." in said
        assert "On the whole the words of the class stood for 75 %, and 60 % were right." in said

    def test_wrong_answers_have_their_name_and_an_example(self, client: Client) -> None:
        lesson = make_lesson(version=make_lesson_version(VARIED, {}))
        reading = make_reading(lesson)
        variant = variant_for(reading, compiled(reading.version).questions["how-many-vectors"], 0)
        vectors = variant.facts["vectors"]
        answer(reading, "how-many-vectors", number(vectors // 3))
        answer(reading, "say-it", {"text": "because of <b>that</b>"})
        html = self.results(client, lesson)
        assert bars(html) == ["One per token 1 (100&nbsp;%)"]
        assert f"For example {vectors // 3}, where {vectors} is right." in html
        assert "1 wrote a text of their own." in html
        assert "in the first of 20 variants" in html
        html = see(
            client,
            enrol(lesson.course, role=Role.TA),
            "answers",
            lesson.course.slug,
            lesson.item.slug,
            "say-it",
        )
        assert "because of &lt;b&gt;that&lt;/b&gt;" in html
        assert "Made, self-marked" in html

    def test_what_the_figures_rest_on(self, client: Client) -> None:
        lesson = make_lesson(version=make_lesson_version(VARIED, {}))
        readings = [make_reading(lesson) for _ in range(3)]
        for reading in readings:
            given = answer(reading, "how-many-vectors", number(1))
        tutor = enrol(lesson.course, role=Role.TA)
        StaffMark.objects.create(prediction=given, share=1, by=tutor, at=NOON)
        for reading in readings:
            text = answer(reading, "say-it", {"text": "because"})
        StaffMark.objects.create(prediction=text, share=Decimal("0.5"), by=tutor, at=NOON)
        said = words(self.results(client, lesson)).replace("&nbsp;", " ").replace("\xa0", " ")
        assert "1. how-many-vectors 3 33 % 33 %" in said
        assert "Staff have marked 1 of these otherwise. The bars go by the key" in said
        assert "2. say-it 3 0 % of 1 50 % of 1" in said
        assert said.count("marked 1 of these otherwise") == 1, "a text has no bars"
        names = [lesson.course.slug, lesson.item.slug]
        said = words(see(client, tutor, "answers", *names, "how-many-vectors"))
        assert "This is the first of 20 variants." in said
        assert "Right here" in said
        said = words(see(client, tutor, "answers", *names, "say-it"))
        assert "A model answer: A model answer." in said
        assert "Right here" not in said

    def test_wrong_outputs_by_what_was_typed(self, client: Client, lesson: Lesson) -> None:
        for text in ("2\n3", "2\n3 ", "<4>"):
            answer(make_reading(lesson), "what-prints", {"text": text})
        html = self.results(client, lesson)
        assert bars(html) == ["2 3 2 (67&nbsp;%)", "&lt;4&gt; 1 (33&nbsp;%)"]
        assert html.count("2<br>3") == 2, "the bar, and the commonest wrong answer"

    def test_who_ran_out_of_time_came_to_no_end(self, client: Client, lesson: Lesson) -> None:
        for how in Prediction.How.values:
            reading = make_reading(lesson, finished_at=NOON)
            answer(reading, "how-many", number(7), how=Prediction.How(how))
        make_reading(lesson)
        said = words(self.results(client, lesson))
        assert "3 of 3 students have begun, 1 came to its end, and 1 ran out of time before that." in said

    def test_versions_are_counted_apart(self, client: Client, lesson: Lesson) -> None:
        old = klass(lesson, [8] * 3)[0]
        place(lesson.course, make_lesson_version(small_lesson(1), small_data(1)))
        lesson.refresh_from_db()
        klass(lesson, [7] * 2)
        html = self.results(client, lesson)
        assert bars(html) == ["7 Right 2 (100&nbsp;%)"]
        assert "2 of 5 students have begun the current version" in words(html)
        assert f"?version={old.version.called}" in html
        html = self.results(client, lesson, version=old.version.called)
        assert bars(html) == ["8 3 (100&nbsp;%)"]
        assert "3 of 5 students have begun this earlier version" in words(html)
        assert f"/how-many/?version={old.version.called}" in html
        assert bars(self.results(client, lesson, version="nonsense")) == ["7 Right 2 (100&nbsp;%)"]

    def test_who_answered_what(
        self, client: Client, lesson: Lesson, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        ada = make_reading(lesson, enrol(lesson.course, name="Ada", section="Tuesday"))
        ben = make_reading(lesson, enrol(lesson.course, name="Ben"))
        cleo = make_reading(lesson, enrol(lesson.course, name="Cleo"))
        answer(ada, "how-many", number(8), sure=4, seconds=75)
        answer(ben, "how-many", None, how=Prediction.How.TIME_LIMIT)
        marked = answer(cleo, "how-many", number(9), sure=1)
        tutor = enrol(lesson.course, role=Role.TA)
        StaffMark.objects.create(prediction=marked, share=Decimal("0.5"), by=tutor, at=NOON)
        html = see(client, tutor, "answers", lesson.course.slug, lesson.item.slug, "how-many")
        said = words(html).replace("\xa0", " ")
        assert "Right: 7" in said
        assert "Ada Tuesday 8 Mark of Ada: 0 % Certain Thu 5 Mar 2026, 13:01 CET 1 min 15 s" in said
        assert (
            "Ben No answer Mark of Ben: No answer – Thu 5 Mar 2026, 13:01 CET when the time ran out –" in said
        )
        assert "Cleo 9 Mark of Cleo: 50 %, by staff A guess" in said
        address = reverse("lessons:answers", args=[lesson.course.slug, lesson.item.slug, "how-many"])
        klass(lesson, [7] * 5)
        with django_assert_num_queries(8):
            client.get(address)
        assert client.get(address.replace("how-many", "nowhere")).status_code == 404

    def test_the_number_of_queries(
        self, client: Client, lesson: Lesson, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        klass(lesson, [7, 8, 9])
        self.results(client, lesson)
        address = reverse("lessons:results", args=[lesson.course.slug, lesson.item.slug])
        with django_assert_num_queries(8):
            client.get(address)
        klass(lesson, range(20))
        with django_assert_num_queries(8):
            client.get(address)

    def test_another_courses_lesson(self, client: Client, lesson: Lesson) -> None:
        klass(lesson, [7] * 3)
        other = make_lesson(version=lesson.version)
        assert "No predictions yet" in self.results(client, other)


class TestTheFile:
    def rows(self, client: Client, lesson: Lesson) -> list[dict[str, str]]:
        client.force_login(enrol(lesson.course, role=Role.TA))
        response = client.get(reverse("lessons:results_csv", args=[lesson.course.slug, lesson.item.slug]))
        assert response["Content-Type"] == "text/csv; charset=utf-8"
        assert f"predictions-{lesson.course.slug}-" in response["Content-Disposition"]
        assert response.content.startswith(b"\xef\xbb\xbf")
        return list(csv.DictReader(io.StringIO(response.content.decode("utf-8-sig"))))

    def test_a_row_for_each_prediction(
        self, client: Client, lesson: Lesson, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        ada = make_reading(lesson, enrol(lesson.course, name="=Ada", section="Tuesday"))
        answer(ada, "how-many", number(8), sure=4, seconds=75)
        answer(ada, "how-many", number(7), number=1, seconds=90)
        answer(ada, "what-prints", {"text": canary("key-what-prints")}, seconds=80)
        answer(make_reading(lesson), "how-many", None, how=Prediction.How.TIME_LIMIT)
        answer(make_reading(lesson, enrol(lesson.course, role=Role.TA), trial=True), "how-many", number(9))
        place(lesson.course, make_lesson_version(small_lesson(1), small_data(1)))
        rows = self.rows(client, lesson)
        assert len(rows) == 4
        assert rows[0] == {
            "Name": "'=Ada", "Email": ada.learner.email, "Section": "Tuesday", "Question": "how-many", "Type": "number",
            "Version": ada.version.called, "Draw": "0", "Practice": "no", "Given": "{}", "Answer": "8", "Right": "no",
            "Share": "0", "Known mistake": "", "Marked by": "rule", "Sure": "4", "Sure, in words": "Certain",
            "Committed by": "learner", "Committed at": "2026-03-05T12:01:15+00:00",
            "Seconds": "75",
        }  # fmt: skip
        assert (rows[1]["Answer"], rows[1]["Right"]) == (canary("key-what-prints"), "yes")
        assert (rows[2]["Practice"], rows[2]["Draw"], rows[2]["Right"], rows[2]["Sure"]) == (
            "yes",
            "1",
            "yes",
            "",
        )
        empty = rows[3]
        assert (empty["Answer"], empty["Right"], empty["Share"], empty["Seconds"]) == ("", "", "0", "")
        assert empty["Committed by"] == "time limit"
        address = reverse("lessons:results_csv", args=[lesson.course.slug, lesson.item.slug])
        with django_assert_num_queries(8):
            client.get(address)
        klass(lesson, [7] * 5)
        with django_assert_num_queries(8):
            client.get(address)
