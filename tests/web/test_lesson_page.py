"""The page of a lesson: what it shows to whom and when, and that nothing behind a stop is in any page before."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from html import unescape
from html.parser import HTMLParser
from itertools import pairwise
from typing import Any
from urllib.parse import urlsplit

import pytest
import time_machine
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from softmark.accounts.models import User
from softmark.courses.models import Role
from softmark.lessons import standing
from softmark.lessons.compiled import Unshowable
from softmark.lessons.models import Draw, Lesson, Prediction, Reading
from softmark.lessons.pages.inputs import answer_html
from softmark.lessons.pages.sent import Typed
from tests.factories import (
    enrol,
    make_assignment,
    make_course,
    make_lesson,
    make_lesson_version,
    make_reading,
    make_schedule,
    make_user,
)
from tests.lessons.all_types import ALL_TYPES, STOPS
from tests.lessons.small_lesson import canary, small_data, small_lesson

NOON = datetime(2026, 3, 5, 12, 0, tzinfo=UTC)

# Options that hold what parts options elsewhere, Markdown, and formulas that only their structure tells apart.
WITH_SIGNS = r"""---
id: with-signs
title: With signs
minutes: 1
summary: Two of them.
---
Words to begin with.

::::{predict} some-choices
---
type: choices
options: {right: The score is q · k, wrong: The score is v · k, sum: The score is q + k}
answer: [right, sum]
---
Which ones?
+++ reveal
Those.
::::

::::{predict} an-order
---
type: order
items:
  low: 2*3
  high: 4*5
  root: $\sqrt{d_k}$
  width: $d_k$
  half: $\frac{1}{2}$
  dozen: $12$
  square: $x^2$
  name: x2
  query: "{q}[a vector]"
  key: "{k}[a vector]"
  signs: "3 < 4 & 5"
answer: [low, high]
---
In which order?
+++ reveal
That one.
::::
"""

pytestmark = pytest.mark.django_db


def address(lesson: Lesson, view: str = "lesson", *more: str) -> str:
    return reverse(f"lessons:{view}", args=[lesson.course.slug, lesson.item.slug, *more])


def begun(client: Client, lesson: Lesson) -> User:
    """A student who has begun, and is signed in."""
    student = enrol(lesson.course)
    client.force_login(student)
    assert client.post(address(lesson, "begin")).status_code == 303
    return student


def page(client: Client, lesson: Lesson) -> str:
    response = client.get(address(lesson))
    assert response.status_code == 200
    assert {"no-store", "private"} <= set(re.split(r",\s*", response["Cache-Control"]))
    return response.content.decode()


def post(client: Client, lesson: Lesson, stop: str, **fields: Any) -> HttpResponse:
    return client.post(address(lesson, "predict", stop), fields)  # type: ignore[return-value]


def words(html: str) -> str:
    return " ".join(re.sub(r"<[^>]*>", " ", html).split())


def listed(html: str) -> list[list[str]]:
    """What stands in the lists of options that were picked, or are right."""
    lists = re.findall(r'<ul class="lesson-said lesson-picks">(.*?)</ul>', html, re.DOTALL)
    return [[words(each) for each in re.findall(r"<li.*?</li>", one, re.DOTALL)] for one in lists]


def canaries(text: str) -> set[str]:
    return set(re.findall(r"canary-[\w-]+?-end", text))


def _come_to(client: Client, lesson: Lesson, stop: str) -> str:
    """Answers all the stops before it."""
    for each in STOPS[: STOPS.index(stop)]:
        post(client, lesson, each, **fields_of(each, page(client, lesson)))
    return page(client, lesson)


def check_told_in_its_stop(html: str, sent: str) -> None:
    """That the first answer counts, and what was sent, above the answer that stands there."""
    stop = html[html.index('id="stop-how-many"') : html.index("</section>", html.index('id="stop-how-many"'))]
    told = words(stop[: stop.index("lesson-answers")])
    assert "Not taken You have answered this question already, and the first answer counts." in told
    assert f"Copy it to a safe place. {sent}" in told
    assert html.count('id="not-taken"') == 1


class Elements(HTMLParser):
    """The elements of a page, each with its attributes."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str]]] = []
        self.inside: list[str] = []
        self.labelled: list[bool] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, {name: value or "" for name, value in attrs}))
        self.labelled.append("label" in self.inside)
        if tag == "label":
            self.inside.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag == "label":
            self.inside.pop()

    def of(self, *tags: str) -> Iterator[dict[str, str]]:
        return (attributes for tag, attributes in self.found if tag in tags)

    def with_label(self) -> Iterator[tuple[dict[str, str], bool]]:
        named = {each["for"] for each in self.of("label") if "for" in each}
        for (tag, attributes), inside in zip(self.found, self.labelled, strict=True):
            if tag in ("input", "select", "textarea") and attributes.get("type") != "hidden":
                yield attributes, inside or "aria-label" in attributes or attributes.get("id") in named


def check_form(html: str) -> None:
    """What holds of every page: labelled inputs, headings in order, ids once, nothing that the CSP would refuse."""
    elements = Elements(html)
    assert [each for each, has_label in elements.with_label() if not has_label] == []
    levels = [int(tag[1]) for tag, _ in elements.found if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    assert [each for _, each in elements.found if "style" in each] == []
    assert [name for _, each in elements.found for name in each if name.startswith("on")] == []
    scripts = [each for each in elements.of("script") if each.get("type") != "application/json"]
    assert [each for each in scripts if "src" not in each] == []
    assert not list(elements.of("style"))
    ids = [each["id"] for _, each in elements.found if "id" in each]
    assert len(set(ids)) == len(ids)
    for _, each in elements.found:
        for name in ("aria-describedby", "aria-labelledby"):
            assert set(each.get(name, "").split()) <= set(ids), each


def option(html: str, text: str) -> str:
    """The value of an option by what is read beside it."""
    inputs = re.findall(r'name="answer" value="([^"]*)"[^>]*><span>(.*?)</span>', html)
    for value, shown in inputs + re.findall(r'<option value="([^"]+)"[^>]*>(.*?)</option>', html):
        if words(shown) == text:
            return str(value)
    raise AssertionError(f"no option {text}")


def fields_of(stop: str, html: str) -> dict[str, Any]:
    """An answer as a browser would post it."""
    return {
        "a-number": lambda: {"answer": "3", "sure": "4"},
        "a-vector": lambda: {"answer": ["1", "2"], "pasted": ""},
        "a-matrix": lambda: {"answer": ["", "", "", ""], "pasted": "[[1, 3], [2, 4]]"},
        "a-choice": lambda: {"answer": option(html, "The first"), "sure": "1"},
        "some-choices": lambda: {"answer": [option(html, "The first"), option(html, "The third")]},
        "an-order": lambda: {
            "place": [option(html, "The low one"), option(html, "The high one"), ""]
        },
        "a-token": lambda: {"answer": option(html, "river")},
        "an-output": lambda: {"answer": "0\r\n1\r\n"},
        "some-words": lambda: {"answer": "Words of my own, <b>several</b> of them."},
    }[stop]()  # fmt: skip


@pytest.fixture
def lesson() -> Lesson:
    return make_lesson()


@pytest.fixture
def all_types() -> Lesson:
    return make_lesson(version=make_lesson_version(ALL_TYPES, {}))


class TestReading:
    def test_before_it_is_begun(self, client: Client, all_types: Lesson) -> None:
        client.force_login(enrol(all_types.course))
        html = page(client, all_types)
        check_form(html)
        assert "All the types" in html
        assert "One of each." in html
        assert "about 1 minute." in words(html)
        assert address(all_types, "begin") in html
        assert "Words to begin with" not in html
        assert not Reading.objects.exists()

    def test_from_the_first_word_to_the_last(self, client: Client, all_types: Lesson) -> None:
        begun(client, all_types)
        for number, stop in enumerate(STOPS):
            html = page(client, all_types)
            check_form(html)
            assert f"{number} of 9 predictions made" in words(html)
            left = len(STOPS) - number
            assert f"{left} more part{'' if left == 1 else 's'}" in words(html)
            assert f"canary-{stop}-end" not in html
            response = post(client, all_types, stop, **fields_of(stop, html))
            assert response.status_code == 303
            assert response["Location"] == f"{address(all_types)}#revealed-{stop}"
            html = page(client, all_types)
            assert f"canary-{stop}-end" in html
            assert f'id="revealed-{stop}" tabindex="-1"' in html
        check_form(html)
        assert "read this lesson to its end" in html
        assert "5 of 8 right . 1 in your own words counts as made, until staff mark it." in words(html)
        assert (
            f'What that earns stands in <a href="{reverse("gradebook:mine", args=[all_types.course.slug])}">'
            in html
        )
        assert "canary-last-part-end" in html
        assert "Commit" not in html
        assert {each.draw.question: (each.share, each.confidence) for each in Prediction.objects.all()} == {
            "a-number": (1, 4),
            "a-vector": (1, None),
            "a-matrix": (0, None),
            "a-choice": (0, 1),
            "some-choices": (0, None),
            "an-order": (1, None),
            "a-token": (1, None),
            "an-output": (1, None),
            "some-words": (1, None),
        }

    def test_an_answer_stands_beside_the_truth(self, client: Client, all_types: Lesson) -> None:
        begun(client, all_types)
        for stop in STOPS:
            post(client, all_types, stop, **fields_of(stop, page(client, all_types)))
        html = page(client, all_types)
        said = words(html)
        assert "Your prediction 3 The answer 3 Right How sure you were: certain" in said
        assert "Your prediction [[1, 3], [2, 4]] The answer [[1, 2], [3, 4]] Not right" in said
        assert "rows and columns swapped" in said
        assert "The <em>first</em>" in html
        assert "canary-branch-end" in said
        assert "How sure you were: a guess" in said
        assert "The low one → The high one" in said
        assert "A model answer A model of an answer, canary-model-end." in said
        assert "Self-marked Counts as made, until staff mark it" in said
        assert "canary-idea-end" in said
        assert "&lt;b&gt;several&lt;/b&gt;" in html
        assert "<b>several" not in html

    def test_options_and_rows_stand_below_each_other(self) -> None:
        assert answer_html("choices", ("a *b*.", "q · k", "<c>")) == "a <em>b</em>.<br>q · k<br>&lt;c&gt;"
        assert answer_html("order", ("2*3", "→", "4*5", "=", "a *b*")) == "2*3 → 4*5 = a <em>b</em>"
        assert answer_html("matrix", ("[[1, 2], [3, 4]]",)) == "[[1, 2],<br>[3, 4]]"
        assert answer_html("vector", ("[1, 2]",)) == "[1, 2]"

    def test_whatever_stands_in_options_each_is_shown_by_itself(self, client: Client) -> None:
        """To their reader, and on all the pages of the staff."""
        lesson = make_lesson(version=make_lesson_version(WITH_SIGNS, {}))
        begun(client, lesson)
        html = page(client, lesson)
        picked = [option(html, "The score is v · k"), option(html, "The score is q · k")]
        post(client, lesson, "some-choices", answer=picked)
        html = page(client, lesson)
        post(client, lesson, "an-order", place=[option(html, "4*5"), option(html, "2*3")])
        html = page(client, lesson)
        picks = ["The score is q · k Right", "The score is v · k Not right"]
        keys = ["The score is q · k", "The score is q + k"]
        assert listed(html) == [picks, keys]
        assert "4*5 → 2*3" in html
        assert "2*3 → 4*5" in html

        client.force_login(enrol(lesson.course, role=Role.TA))
        desks = [address(lesson, "mark", str(each.pk)) for each in Prediction.objects.order_by("pk")]
        html = client.get(desks[0]).content.decode()
        check_form(html)
        assert listed(html) == [picks, keys]
        assert "4*5 → 2*3" in client.get(desks[1]).content.decode()
        both = "The score is q · k<br>The score is v · k"
        results = client.get(address(lesson, "results")).content.decode()
        who = client.get(address(lesson, "answers", "some-choices")).content.decode()
        assert both in results
        assert "4*5 → 2*3" in results
        assert both in who
        assert "<b>The score is q · k<br>The score is q + k</b>" in who
        variants = client.get(address(lesson, "variants"), {"stop": "some-choices"}).content.decode()
        assert "The score is q · k<br>The score is q + k</td>" in variants
        assert "The score is q · k · The score is v · k" in client.get(
            address(lesson, "results_csv")
        ).content.decode("utf-8-sig")

    def test_items_are_told_apart_where_no_formula_can_be_shown(self, client: Client) -> None:
        lesson = make_lesson(version=make_lesson_version(WITH_SIGNS, {}))
        begun(client, lesson)
        post(client, lesson, "some-choices", answer=option(page(client, lesson), "The score is q + k"))
        html = page(client, lesson)
        plain = {
            "2*3", "4*5", r"\sqrt{d_k}", "d_k", r"\frac{1}{2}", "12", "x^2", "x2", "a vector (q)", "a vector (k)",
            "3 < 4 & 5",
        }  # fmt: skip
        elements = Elements(html)
        assert {each["data-name"] for each in elements.of("li") if "data-name" in each} == plain
        moves = {each["aria-label"] for each in elements.of("button") if each.get("data-move") == "up"}
        assert moves == {f"Move {each} up" for each in plain}
        select = html[html.index("<select") : html.index("</select>")]
        assert {unescape(each) for each in re.findall(r'<option value=".+?">(.*?)</option>', select)} == plain
        assert html.count("<msqrt>") == 1, "what is read has its formulas"

    def test_a_branch_is_for_those_who_answered_so(self, client: Client, lesson: Lesson) -> None:
        begun(client, lesson)
        page(client, lesson)
        post(client, lesson, "how-many", answer="7")
        assert canary("branch-how-many") not in page(client, lesson)

    def test_what_is_said_to_an_answer_stands_before_the_explanation(
        self, client: Client, all_types: Lesson
    ) -> None:
        begun(client, all_types)
        html = _come_to(client, all_types, "a-choice")
        post(client, all_types, "a-choice", answer=option(html, "The first"))
        html = page(client, all_types)
        assert html.index("canary-branch-end") < html.index("canary-a-choice-end")

    def test_widgets_have_their_tables(self, client: Client, all_types: Lesson) -> None:
        client.force_login(enrol(all_types.course, role=Role.TA))
        said = words(page(client, all_types))
        assert "The table by hand, with two tokens." in said
        assert "river [2, 0] [4, 0] 4 2 7.39 0.88 [3.52, 0]" in said
        assert "Llama-3.1-8B at 200 000 tokens" in said
        assert "Cache for each token 131 072 bytes" in said
        assert "not a supported context" in said

    def test_the_number_of_queries(
        self, client: Client, all_types: Lesson, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        begun(client, all_types)
        for stop in STOPS[:6]:
            post(client, all_types, stop, **fields_of(stop, page(client, all_types)))
        page(client, all_types)
        with django_assert_num_queries(12):
            client.get(address(all_types))


class TestTyped:
    @pytest.mark.parametrize(
        ("stop", "bad", "kept"),
        [
            ("a-number", {"answer": "3,145"}, 'value="3,145"'),
            ("a-vector", {"answer": ["1", "x7"], "pasted": ""}, 'value="x7"'),
            ("a-matrix", {"answer": [""] * 4, "pasted": "[[1, 2]]"}, "\n[[1, 2]]</textarea>"),
            ("a-choice", {}, ""),
            ("some-choices", {}, ""),
            ("an-order", {"place": ["", "", ""]}, ""),
            ("a-token", {"answer": "99"}, ""),
            ("an-output", {"answer": "\r\n"}, ""),
            ("some-words", {"answer": "Too\nshort"}, "\nToo\nshort</textarea>"),
        ],
    )
    def test_what_is_invalid_costs_nothing_and_stays(
        self, client: Client, all_types: Lesson, stop: str, bad: dict[str, Any], kept: str
    ) -> None:
        begun(client, all_types)
        html = page(client, all_types)
        for before in STOPS[: STOPS.index(stop)]:
            post(client, all_types, before, **fields_of(before, html))
            html = page(client, all_types)
        response = post(client, all_types, stop, **bad, sure="3")
        html = response.content.decode()
        assert response.status_code == 422
        assert "no-store" in response["Cache-Control"]
        check_form(html)
        assert re.search(rf'id="problem-{stop}" role="alert"', html)
        assert re.search(rf'aria-describedby="[^"]*problem-{stop}"', html)
        assert '<input type="radio" name="sure" value="3" checked>' in html
        assert kept in html
        assert "<title>Not taken: All the types" in html
        again = page(client, all_types)
        assert kept in again, "the draft"
        assert "It is not committed yet." in again
        assert not Prediction.objects.filter(draw__question=stop).exists()
        assert f"canary-{stop}-end" not in html

    def test_a_choice_stays_picked(self, client: Client, all_types: Lesson) -> None:
        begun(client, all_types)
        html = page(client, all_types)
        for before in STOPS[:5]:
            post(client, all_types, before, **fields_of(before, html))
            html = page(client, all_types)
        twice = option(html, "The high one")
        html = post(client, all_types, "an-order", place=[twice, twice, ""]).content.decode()
        assert "One of them came twice" in html
        assert html.count(f'<option value="{twice}" selected>') == 2

    def test_cells_and_what_was_pasted(self, client: Client, all_types: Lesson) -> None:
        begun(client, all_types)
        page(client, all_types)
        post(client, all_types, "a-number", answer="3")
        page(client, all_types)
        response = post(client, all_types, "a-vector", answer=["1", "5"], pasted="[1, 2]")
        html = response.content.decode()
        assert response.status_code == 422
        assert 'value="5"' in html
        assert "\n[1, 2]</textarea>" in html

    def test_it_is_not_said_how_sure(self, client: Client, lesson: Lesson) -> None:
        begun(client, lesson)
        page(client, lesson)
        response = post(client, lesson, "how-many", answer="7", sure="9")
        assert response.status_code == 422
        assert "how sure you are" in response.content.decode()

    def test_nothing_that_is_typed_becomes_markup(self, client: Client, lesson: Lesson) -> None:
        begun(client, lesson)
        page(client, lesson)
        html = post(client, lesson, "how-many", answer='"><script>alert(1)</script>').content.decode()
        assert "<script>alert" not in html

    def test_what_is_too_long_to_be_kept_is_handed_back(self, client: Client, lesson: Lesson) -> None:
        begun(client, lesson)
        page(client, lesson)
        html = post(client, lesson, "how-many", answer="7" * 30_000).content.decode()
        assert "7" * 30_000 in html


class TestInPlace:
    """What htmx gets for a commit: what takes the place of what waited."""

    @staticmethod
    def post(client: Client, lesson: Lesson, stop: str, **fields: Any) -> HttpResponse:
        headers = {"HX-Request": "true"}
        return client.post(address(lesson, "predict", stop), fields, headers=headers)  # type: ignore[return-value]

    def test_the_answer_and_the_next_part(self, client: Client, lesson: Lesson) -> None:
        begun(client, lesson)
        page(client, lesson)
        response = self.post(client, lesson, "how-many", answer="8")
        html = response.content.decode()
        assert response.status_code == 200
        assert {"no-store", "private"} <= set(re.split(r",\s*", response["Cache-Control"]))
        assert opened(html) == {
            canary(where) for where in ("reveal-how-many", "branch-how-many", "part-2", "data-2")
        }
        assert "<html" not in html
        assert "<title>Listening · Softmark</title>" in html
        assert html.count('id="ahead"') == 1
        assert 'id="revealed-how-many" tabindex="-1"' in html
        assert 'href="#part-2"' in html
        assert 'id="part-2" tabindex="-1"' in html
        assert 'hx-swap-oob="innerHTML"><p> 1 of 3 predictions made.' in " ".join(html.split()).replace(
            "> <", "><"
        )
        assert words(html).endswith("and 2 more parts, locked")
        assert [each["aria-current"] for each in Elements(html).of("a") if "aria-current" in each] == ["step"]

    def test_what_is_invalid(self, client: Client, lesson: Lesson) -> None:
        begun(client, lesson)
        page(client, lesson)
        response = self.post(client, lesson, "how-many", answer="3,145", sure="2")
        html = response.content.decode()
        assert response.status_code == 422
        assert "<title>Not taken: Listening · Softmark</title>" in html
        assert 'id="problem-how-many" role="alert"' in html
        assert 'value="3,145"' in html
        assert '<input type="radio" name="sure" value="2" checked>' in html
        assert canaries(html) == set()
        form = next(Elements(html).of("form"))
        assert {"hx-status:422", "hx-status:409"} <= set(form), "else htmx would not show it"

    def test_it_was_answered_before_in_another_tab(self, client: Client, lesson: Lesson) -> None:
        begun(client, lesson)
        page(client, lesson)
        post(client, lesson, "how-many", answer="7")
        response = self.post(client, lesson, "how-many", answer="8")
        html = response.content.decode()
        assert response.status_code == 409
        assert "<title>Not taken: Listening · Softmark</title>" in html
        check_told_in_its_stop(html, "8")
        assert "Your prediction 7 The answer 7 Right" in words(html)
        assert canary("part-2") in html
        again = self.post(client, lesson, "how-many", answer="7")
        assert again.status_code == 200
        assert "Not taken" not in again.content.decode(), "a double click"

    def test_the_lesson_closed_meanwhile(self, client: Client, lesson: Lesson) -> None:
        begun(client, lesson)
        page(client, lesson)
        now = timezone.now()
        make_schedule(lesson.item, due_at=now - timedelta(2), closes_at=now - timedelta(1))
        response = self.post(client, lesson, "how-many", answer="so many words")
        html = response.content.decode()
        assert response.status_code == 409
        assert 'id="not-taken" role="alert"' in html
        assert ">so many words</textarea>" in html
        assert canaries(html) == set()

    def test_time_had_run_out(self, client: Client) -> None:
        lesson = make_lesson(time_limit=10)
        with time_machine.travel(NOON, tick=False):
            student = begun(client, lesson)
            assert 'data-ends-at="2026-03-05T12:10:00+00:00"' in page(client, lesson)
        with time_machine.travel(NOON + timedelta(minutes=11), tick=False):
            client.force_login(student)
            html = self.post(client, lesson, "how-many", answer="7").content.decode()
            assert words(html).count("No answer: your time had run out.") == 3
            assert canary("part-4") in html
            assert 'id="time-left" hx-swap-oob="delete"' in html

    def test_a_page_that_is_none_any_more_is_loaded_again(self, client: Client, lesson: Lesson) -> None:
        client.force_login(enrol(lesson.course))
        response = self.post(client, lesson, "how-many", answer="7")
        assert response["HX-Refresh"] == "true"
        assert "You have not begun this lesson" in client.get(address(lesson)).content.decode()

    def test_signed_out(self, client: Client, lesson: Lesson) -> None:
        response = self.post(client, lesson, "how-many", answer="7")
        assert response.status_code == 401
        assert response["HX-Redirect"] == f"{reverse('account_login')}?next={address(lesson)}"


class TestRail:
    def test_open_parts_by_name_and_locked_ones_as_a_count(self, client: Client, all_types: Lesson) -> None:
        begun(client, all_types)
        html = page(client, all_types)
        rail = html[html.index('id="rail"') : html.index("</nav>", html.index('id="rail"'))]
        assert words(rail).removeprefix('id="rail">').strip() == (
            "Prediction 1 (waits for your prediction) and 9 more parts, locked"
        )
        post(client, all_types, "a-number", answer="3")
        html = page(client, all_types)
        rail = html[html.index('id="rail"') : html.index("</nav>", html.index('id="rail"'))]
        assert "Prediction 1 (answered) Next (waits for your prediction) and 8 more" in words(rail)
        ids = {each["id"] for _, each in Elements(html).found if "id" in each}
        assert set(re.findall(r'href="#([^"]+)"', rail)) <= ids


class TestDraft:
    def test_it_is_kept_and_commits_nothing(
        self, client: Client, all_types: Lesson, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        begun(client, all_types)
        page(client, all_types)
        response = client.post(address(all_types, "draft", "a-number"), {"answer": "3,1"})
        kept = Draw.objects.get()
        assert kept.draft == ["3,1"]
        assert datetime.fromisoformat(response.json()["drafted_at"]).replace(microsecond=0) == (
            kept.drafted_at.replace(microsecond=0)
        )
        assert 'value="3,1"' in page(client, all_types)
        assert not Prediction.objects.exists()
        with django_assert_num_queries(13):
            client.post(address(all_types, "draft", "a-number"), {"answer": "3,14"})

    def test_why_it_is_not(self, client: Client, lesson: Lesson) -> None:
        draft = address(lesson, "draft", "how-many")
        assert client.get(draft).status_code == 303
        response = client.post(draft, {"answer": "7"})
        assert (response.status_code, response.json()) == (401, {"error": "You are signed out."})
        client.force_login(enrol(lesson.course))
        response = client.post(draft, {"answer": "7"})
        assert response.status_code == 409
        assert "not begun" in response.json()["error"]
        begun(client, lesson)
        page(client, lesson)
        assert "too long" in client.post(draft, {"answer": "7" * 30_000}).json()["error"]
        post(client, lesson, "how-many", answer="7")
        response = client.post(draft, {"answer": "8"})
        assert (response.status_code, canaries(response.content.decode())) == (409, set())
        assert "first answer counts" in response.json()["error"]


class TestSignedOut:
    """Whoever commits after their session has ended finds it in the form when they are back."""

    @staticmethod
    def token(html: str) -> str:
        found = re.search(r'name="form_token" value="([^"]+)"', html)
        assert found
        return found[1]

    def test_nobody_else_gets_it(self, client: Client, all_types: Lesson) -> None:
        begun(client, all_types)
        token = self.token(page(client, all_types))
        client.logout()
        response = post(client, all_types, "a-number", answer="7", form_token=token)
        assert response.status_code == 401
        assert "What you were sending is kept" in response.content.decode()
        begun(client, all_types)
        assert 'value="7"' not in page(client, all_types)
        assert not Prediction.objects.exists()

    def test_its_reader_has_it_again(self, client: Client, all_types: Lesson) -> None:
        student = begun(client, all_types)
        token = self.token(page(client, all_types))
        client.logout()
        post(client, all_types, "a-number", answer="7", sure="3", form_token=token)
        client.force_login(student)
        html = page(client, all_types)
        assert 'value="7"' in html
        assert '<input type="radio" name="sure" value="3" checked>' in html
        assert "It is not committed yet." in html
        assert "<title>All the types" in html
        assert 'value="7"' in page(client, all_types), "the draft"
        assert not Prediction.objects.exists()

    @pytest.mark.parametrize(
        "fields", [{"answer": "7", "form_token": "forged"}, {}, {"answer": "7" * 30_000}]
    )
    def test_what_is_not_kept(self, client: Client, all_types: Lesson, fields: dict[str, str]) -> None:
        begun(client, all_types)
        token = self.token(page(client, all_types))
        client.logout()
        response = post(client, all_types, "a-number", **({"form_token": token} | fields))
        html = response.content.decode()
        assert response.status_code == 401
        assert "is kept" not in html
        assert "unsent_prediction" not in client.session
        assert f">{fields['answer']}</textarea>" in html if fields else "<textarea" not in html, "handed back"


class TestLate:
    """What late costs is said before it does."""

    def test_it_is_said_before_one_begins_and_while_one_reads(self, client: Client, lesson: Lesson) -> None:
        make_schedule(lesson.item, due_at=NOON, closes_at=NOON + timedelta(9), grace_minutes=15)
        rule = "Late work loses 10\xa0% of the points for each day begun, but keeps at least 50\xa0%."
        now = "The deadline has passed. Answering now keeps 80\xa0% of the points."
        with time_machine.travel(NOON - timedelta(1), tick=False):
            client.force_login(enrol(lesson.course))
            html = words(page(client, lesson))
            assert rule.replace("\xa0", " ") in html
            assert "The first 15 minutes cost nothing." in html
            assert "Nothing is taken after Sat 14 Mar 2026, 13:00 CET" in html
            assert "The deadline has passed" not in html
        with time_machine.travel(NOON + timedelta(days=1, minutes=20), tick=False):
            student = enrol(lesson.course)
            client.force_login(student)
            assert now in page(client, lesson)
            client.post(address(lesson, "begin"))
            assert now in page(client, lesson)
            assert "Nothing is taken after Sat 14 Mar 2026, 13:00 CET" in words(page(client, lesson))
        with time_machine.travel(NOON + timedelta(10), tick=False):
            client.force_login(student)
            assert "Answering now" not in words(page(client, lesson)), "it is closed"

    @pytest.mark.parametrize("due_at", [None, NOON])
    def test_an_end_is_told_whatever_is_due(
        self, client: Client, lesson: Lesson, due_at: datetime | None
    ) -> None:
        """Also where late costs nothing, for nothing is graded."""
        lesson.item.points = 0
        lesson.item.save()
        make_schedule(lesson.item, due_at=due_at, closes_at=NOON)
        with time_machine.travel(NOON - timedelta(1), tick=False):
            client.force_login(enrol(lesson.course))
            assert "Nothing is taken after" in words(page(client, lesson))
            client.post(address(lesson, "begin"))
            assert "Nothing is taken after" in words(page(client, lesson))

    def test_what_is_not_graded_costs_nothing(self, client: Client, lesson: Lesson) -> None:
        lesson.item.points = 0
        lesson.item.save()
        make_schedule(lesson.item, due_at=NOON)
        client.force_login(enrol(lesson.course))
        assert "Due on" in page(client, lesson)
        assert "Late work" not in page(client, lesson)
        assert "deadline has passed" not in page(client, lesson)


class TestRefused:
    def test_the_first_answer_counts(self, client: Client, lesson: Lesson) -> None:
        begun(client, lesson)
        page(client, lesson)
        post(client, lesson, "how-many", answer="8")
        response = post(client, lesson, "how-many", answer="7")
        html = response.content.decode()
        assert response.status_code == 409
        check_form(html)
        check_told_in_its_stop(html, "7")
        assert "Your prediction 8 The answer 7 Not right" in words(html)
        assert "Why" in words(html)
        assert Prediction.objects.count() == 1
        again = client.post(address(lesson, "predict", "how-many"), {"answer": "8"}, follow=True)
        assert again.redirect_chain == [(f"{address(lesson)}#revealed-how-many", 303)]
        assert "Not taken" not in again.content.decode(), "a double click"

    def test_a_stop_that_is_not_reached(self, client: Client, lesson: Lesson) -> None:
        begun(client, lesson)
        page(client, lesson)
        response = post(client, lesson, "what-prints", answer="so many words")
        html = response.content.decode()
        assert response.status_code == 409
        assert "not come to such a question yet" in html
        assert ">so many words</textarea>" in html
        assert canaries(html) == {canary("part-1")}
        other = post(client, lesson, "no-such-stop", answer="so many words")
        assert (other.status_code, words(other.content.decode())) == (409, words(html))

    def test_it_is_not_begun(self, client: Client, lesson: Lesson) -> None:
        client.force_login(enrol(lesson.course))
        response = post(client, lesson, "how-many", answer="so many words")
        assert response.status_code == 409
        assert "You have not begun this lesson" in response.content.decode()
        assert ">so many words</textarea>" in response.content.decode()
        assert not Reading.objects.exists()

    def test_the_lesson_has_closed(self, client: Client, lesson: Lesson) -> None:
        with time_machine.travel(NOON, tick=False):
            begun(client, lesson)
            make_schedule(lesson.item, due_at=NOON + timedelta(1), closes_at=NOON + timedelta(2))
            assert "Due on" in page(client, lesson)
        with time_machine.travel(NOON + timedelta(3), tick=False):
            client.force_login(Reading.objects.get().learner)
            html = page(client, lesson)
            assert "Commit</button>" not in html
            assert "This lesson closed on" in html
            response = post(client, lesson, "how-many", answer="so many words")
            assert response.status_code == 409
            assert ">so many words</textarea>" in response.content.decode()
            assert canaries(response.content.decode()) == {canary("part-1")}
            client.force_login(enrol(lesson.course))
            assert "You cannot begin now" in page(client, lesson)
            assert client.post(address(lesson, "begin")).status_code == 409

    def test_what_was_picked_is_not_handed_back_as_text(self, client: Client, all_types: Lesson) -> None:
        """The names of options say nothing to anybody; of cells, all of them are one text."""
        begun(client, all_types)
        picked = option(_come_to(client, all_types, "a-choice"), "The first")
        now = timezone.now()
        make_schedule(all_types.item, due_at=now - timedelta(2), closes_at=now - timedelta(1))
        html = post(client, all_types, "a-choice", answer=picked).content.decode()
        assert "This lesson closed on" in html
        assert picked not in html
        assert Typed("a-vector", ("25", "", "50"), None, "").handed_back("vector") == ["25\n50"]

    def test_it_is_not_open_yet(self, client: Client, lesson: Lesson) -> None:
        make_schedule(lesson.item, opens_at=NOON)
        with time_machine.travel(NOON - timedelta(1), tick=False):
            client.force_login(enrol(lesson.course))
            html = page(client, lesson)
        assert "opens on Thu 5 Mar 2026, 13:00 CET" in html
        assert "Begin</button>" not in html

    def test_time_runs_out(self, client: Client) -> None:
        lesson = make_lesson(time_limit=10)
        with time_machine.travel(NOON, tick=False):
            student = begun(client, lesson)
            assert "ends on Thu 5 Mar 2026, 13:10 CET" in words(page(client, lesson))
            post(client, lesson, "how-many", answer="3,145")
        with time_machine.travel(NOON + timedelta(minutes=11), tick=False):
            client.force_login(student)
            html = post(client, lesson, "how-many", answer="7").content.decode()
            assert (
                "Your time had run out before this came, and what was in the form before was no answer."
                in html
            )
            assert ">7</textarea>" in html
            assert words(html).count("No answer: your time had run out.") == 3
            assert canary("part-4") in html
            html = words(page(client, lesson))
            assert "0 of 3 predictions made, 3 without an answer: your time ran out." in html
            assert html.count("(no answer)") == 3
            assert "(answered)" not in html
            assert "0 of 3 right , 3 without an answer." in html

    @pytest.mark.parametrize("closes", [False, True])
    def test_the_time_that_is_left_is_told_until_the_last_question_is_answered(
        self, client: Client, lesson: Lesson, closes: bool
    ) -> None:
        """Also where nothing comes after that, and where the lesson closes before the time limit ends."""
        text = small_lesson()
        ends_with_its_stop = text[: text.index(f"More {canary('part-2')}")]
        lesson = make_lesson(version=make_lesson_version(ends_with_its_stop, {}), time_limit=10)
        told = "ends on Thu 5 Mar 2026, 13:10 CET"
        with time_machine.travel(NOON, tick=False):
            if closes:
                make_schedule(lesson.item, closes_at=NOON + timedelta(minutes=5))
                told = "ends on Thu 5 Mar 2026, 13:06 CET"
            begun(client, lesson)
            html = page(client, lesson)
            assert told in words(html)
            assert 'id="time-left"' in html
            assert "This is the last prediction." in html
            assert "to its end" not in html
            html = client.post(
                address(lesson, "predict", "how-many"), {"answer": "7"}, headers={"HX-Request": "true"}
            ).content.decode()
            assert '<div id="time-left" hx-swap-oob="delete">' in html
            html = page(client, lesson)
            assert "You have read this lesson to its end." in html
            assert 'id="time-left"' not in html
            assert "ends on" not in html

    def test_a_version_that_cannot_be_shown(self, client: Client, lesson: Lesson, monkeypatch: Any) -> None:
        begun(client, lesson)

        def refuse(_: object) -> None:
            raise Unshowable("It cannot be shown.")

        monkeypatch.setattr("softmark.lessons.actions.compiled", refuse)
        assert "It cannot be shown." in page(client, lesson)


class TestWho:
    def test_who_sees_nothing(self, client: Client, lesson: Lesson) -> None:
        posts = [address(lesson, "begin"), address(lesson, "predict", "how-many")]
        for person in (make_user(), enrol(make_course())):
            client.force_login(person)
            for each in (address(lesson), *posts):
                assert client.get(address(lesson)).status_code == 404
                assert client.post(each).status_code in (404, 405)
        client.force_login(enrol(lesson.course))
        lesson.item.visible = False
        lesson.item.save()
        assert client.get(address(lesson)).status_code == 404
        assert [client.post(each).status_code for each in posts] == [404, 404]

    def test_a_lesson_of_another_course_and_an_assignment_are_none(
        self, client: Client, lesson: Lesson
    ) -> None:
        other = make_course()
        assignment = make_assignment(course=lesson.course)
        client.force_login(enrol(other, enrol(lesson.course)))
        assert client.get(reverse("lessons:lesson", args=[other.slug, lesson.item.slug])).status_code == 404
        of_assignment = reverse("lessons:lesson", args=[lesson.course.slug, assignment.item.slug])
        assert client.get(of_assignment).status_code == 404

    def test_what_others_predicted_is_theirs(self, client: Client, lesson: Lesson) -> None:
        begun(client, lesson)
        page(client, lesson)
        post(client, lesson, "how-many", answer="7")
        begun(client, lesson)
        assert canaries(page(client, lesson)) == {canary("part-1")}

    def test_staff_read_all_of_it_and_commit_nothing(self, client: Client, lesson: Lesson) -> None:
        lesson.item.visible = False
        lesson.item.save()
        for role in (Role.TA, Role.INSTRUCTOR):
            client.force_login(enrol(lesson.course, role=role))
            html = page(client, lesson)
            check_form(html)
            for where in ("part-1", "reveal-how-many", "branch-how-many", "key-what-prints", "part-4"):
                assert canary(where) in html
            assert "This is the whole lesson, with the first variant of each stop" in html
            assert "it is hidden" in html
            assert "Commit</button>" not in html
            assert post(client, lesson, "how-many", answer="7").status_code == 409  # no trial was begun
        assert not Reading.objects.exists()


# -- nothing that is behind a stop is anywhere before


def crawl(client: Client, start: str) -> str:
    """The text of every page that links lead to from there, within the course, with all headers."""
    seen: dict[str, str] = {}
    waiting = [start, "/"]
    while waiting:
        at = waiting.pop()
        if at in seen:
            continue
        response = client.get(at)
        body = (
            b"".join(response.streaming_content) if response.streaming else response.content  # type: ignore[attr-defined]
        ).decode(errors="replace")  # fmt: skip
        seen[at] = f"{response.headers}{body}"
        for each in re.findall(r'(?:href|src|action|data-[\w-]+)="([^"#]+)', body):
            found = urlsplit(each).path
            if found.startswith(("/courses/", start)):
                waiting.append(found)
    return "".join(seen.values())


def opened(text: str) -> set[str]:
    """The canaries, and those within pictures that are part of the page."""
    inside = "".join(
        base64.b64decode(each).decode() for each in re.findall(r"base64,([A-Za-z0-9+/=]+)", text)
    )  # fmt: skip
    return canaries(text + inside)


STEPS = (
    ({"part-1"}, "how-many", "7"),
    ({"reveal-how-many", "part-2", "data-2"}, "which-one", "The latter"),
    ({"reveal-which-one", "part-3"}, "what-prints", "something else"),
    ({"key-what-prints", "reveal-what-prints", "part-4", "data-4"}, "", ""),
)


def crawled(client: Client, lesson: Lesson) -> Iterator[tuple[set[str], set[str]]]:
    """Before each commit: what may be found by then, and what a crawl finds."""
    course = reverse("courses:course", args=[lesson.course.slug])
    may: set[str] = set()
    for opens, stop, answer in STEPS:
        may |= {canary(where) for where in opens}
        yield may, opened(crawl(client, course))
        if stop:
            value = option(page(client, lesson), answer) if stop == "which-one" else answer
            assert post(client, lesson, stop, answer=value).status_code == 303


def test_a_crawl_finds_nothing_before_its_commit(client: Client, lesson: Lesson) -> None:
    make_assignment(course=lesson.course)
    begun(client, lesson)
    for may, found in crawled(client, lesson):
        assert found == may


def test_the_crawl_finds_a_leak_that_was_planted(
    client: Client, lesson: Lesson, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun(client, lesson)
    lesson.item.title = f"Listening {canary('reveal-how-many')}"
    lesson.item.save()
    may, found = next(crawled(client, lesson))
    assert found - may == {canary("reveal-how-many")}
    lesson.item.title = "Listening"
    lesson.item.save()

    def leaky(question: Any, draw: Any, sealed: Any) -> Any:
        return standing.replace(asked(question, draw, sealed), prompt=question.predict.reveal)

    asked = standing._asked
    monkeypatch.setattr(standing, "_asked", leaky)
    may, found = next(crawled(client, lesson))
    assert found - may == {canary("reveal-how-many")}


def test_the_opaque_ids_of_one_are_not_those_of_another(client: Client, lesson: Lesson) -> None:
    values = []
    for _ in range(2):
        begun(client, lesson)
        page(client, lesson)
        post(client, lesson, "how-many", answer="7")
        html = page(client, lesson)
        assert "second" not in re.findall(r'value="([^"]*)"', html)
        values.append(option(html, "The latter"))
    assert values[0] != values[1]


def test_readers_of_an_older_version_read_theirs(client: Client, lesson: Lesson) -> None:
    student = enrol(lesson.course)
    make_reading(lesson, student)
    lesson.version = make_lesson_version(small_lesson(1), small_data(1))
    lesson.save()
    client.force_login(student)
    assert canaries(page(client, lesson)) == {canary("part-1", 0)}


def test_the_page_of_the_course_leads_to_it(client: Client, lesson: Lesson) -> None:
    course = lesson.course
    for person in (enrol(course), enrol(course, role=Role.TA)):
        client.force_login(person)
        html = client.get(reverse("courses:course", args=[course.slug])).content.decode()
        assert f'href="{address(lesson)}"' in html
        assert reverse("submissions:assignment", args=[course.slug, lesson.item.slug]) not in html


def test_how_a_lesson_stands_on_the_course_page(client: Client, lesson: Lesson) -> None:
    course = reverse("courses:course", args=[lesson.course.slug])
    student = enrol(lesson.course)
    client.force_login(student)
    assert "5 minutes Not begun" in words(client.get(course).content.decode())
    client.post(address(lesson, "begin"))
    page(client, lesson)
    post(client, lesson, "how-many", answer="7")
    assert "1 prediction made" in words(client.get(course).content.decode())
    post(client, lesson, "which-one", answer=option(page(client, lesson), "Neither"))
    page(client, lesson)
    post(client, lesson, "what-prints", answer="anything")
    assert "Read to its end" in words(client.get(course).content.decode())
    client.force_login(enrol(lesson.course, role=Role.TA))
    assert "1 of 1 1 of 1" in words(client.get(course).content.decode())
