"""What staff do with a lesson: trying it, its variants, copying it, setting it up; and links to other items."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from softmark.accounts.models import User
from softmark.courses.models import Course, Role, Schedule
from softmark.home.lessons import all_lessons
from softmark.lessons import authoring, library
from softmark.lessons.actions import Refused, begin, look
from softmark.lessons.compiled import compiled
from softmark.lessons.importing import publish
from softmark.lessons.models import Lesson, Prediction, Reading, Revisit
from tests.factories import (
    ROOT,
    enrol,
    make_assignment,
    make_course,
    make_lesson,
    make_lesson_version,
    make_schedule,
    make_user,
    shipped_lessons,
)
from tests.lessons.db.steps import read_to_the_end
from tests.lessons.small_lesson import STOPS, canary, small_lesson

pytestmark = pytest.mark.django_db

VARIED = """\
---
id: varied
title: A varied lesson
minutes: 3
---
Words.

::::{predict} bank-least
---
type: token
tokens: [the, river, bank]
given: {tokens: [the, river, bank], q: [2, 2], keys: {the: [0, 0], river: [2, 0], bank: [1, 1]}, d_k: 4}
answer: {ref: least_attended}
variants: {gen: small_integer_keys, count: 20}
---
Which token, with the query {{ q }}?
+++ reveal
The scores are {{ scores }}: **{{ key }}**.
+++ if answer=most-attended
The other end.
::::

::::{predict} the-same
---
type: choice
options: {one: The *first*, two: The second}
answer: two
---
Which one?
+++ reveal
That one.
::::
"""


@pytest.fixture
def lesson() -> Lesson:
    return make_lesson(make_course(slug="attention"))


@pytest.fixture
def ta(lesson: Lesson) -> User:
    return enrol(lesson.course, role=Role.TA)


@pytest.fixture
def ruth(lesson: Lesson) -> User:
    return enrol(lesson.course, role=Role.INSTRUCTOR)


def address(lesson: Lesson, name: str = "lesson", *more: str) -> str:
    return reverse(f"lessons:{name}", args=[lesson.course.slug, lesson.item.slug, *more])


def text_of(response: HttpResponse) -> str:
    return response.content.decode()


def answer(client: Client, lesson: Lesson, stop: str, text: str) -> HttpResponse:
    return client.post(address(lesson, "predict", stop), {"answer": text}, follow=True)


# -- trying a lesson


def test_staff_try_a_lesson_as_a_student_does(client: Client, lesson: Lesson, ta: User) -> None:
    """Stop by stop, with real commits, also of a hidden lesson and outside of its dates."""
    now = timezone.now()
    make_schedule(lesson.item, opens_at=now - timedelta(days=9), closes_at=now - timedelta(days=8))
    lesson.item.visible = False
    lesson.item.save()
    client.force_login(ta)
    page = text_of(client.get(address(lesson, "trial")))
    assert "You are trying this as a student" in page
    assert "Nothing counts" in page
    assert "Start over" not in page
    assert canary("part-1") not in page
    page = text_of(client.post(address(lesson, "begin"), follow=True))
    assert canary("part-1") in page
    assert canary("part-2") not in page
    assert canary("reveal-how-many") not in page
    assert "Start over" in page
    assert 'href="/courses/attention/lessons/listening/" aria-current' not in page
    page = text_of(answer(client, lesson, "how-many", "8"))
    assert canary("branch-how-many") in page
    assert canary("part-2") in page
    assert canary("part-3") not in page
    reading = Reading.objects.get()
    assert reading.trial
    assert reading.learner == ta
    assert Prediction.objects.get().draw.reading == reading
    assert not Revisit.objects.exists()


def test_staff_who_were_signed_out_come_back_to_their_trial(client: Client, lesson: Lesson, ta: User) -> None:
    client.force_login(ta)
    html = client.post(address(lesson, "begin"), follow=True).content.decode()
    token = re.search(r'name="form_token" value="([^"]+)"', html)
    assert token
    client.logout()
    sent = client.post(address(lesson, "predict", "how-many"), {"answer": "7", "form_token": token[1]})
    assert "What you were sending is kept" in text_of(sent)
    client.force_login(ta)
    back = client.get(address(lesson), follow=True)
    assert back.redirect_chain == [(address(lesson, "trial"), 303)]
    assert 'value="7"' in back.content.decode()
    assert "This is the whole lesson" in text_of(client.get(address(lesson))), "once"


def test_starting_over_is_a_new_trial(client: Client, lesson: Lesson, ta: User) -> None:
    client.force_login(ta)
    for _ in range(2):
        client.post(address(lesson, "begin"), follow=True)
        page = text_of(answer(client, lesson, "how-many", "7"))
        assert canary("part-2") in page
    client.post(address(lesson, "begin"))
    assert canary("part-2") not in text_of(client.get(address(lesson, "trial")))
    assert Reading.objects.filter(trial=True, learner=ta).count() == 3


def test_a_trial_counts_nowhere(lesson: Lesson, ta: User) -> None:
    now = timezone.now()
    read_to_the_end(authoring.begin_trial(lesson, ta, now), now)
    (line,) = all_lessons(lesson.course)
    assert (line.begun, line.finished) == (0, 0)
    enrolment = lesson.course.enrolments.get(user=ta)
    enrolment.role = Role.STUDENT
    enrolment.save()
    (line,) = all_lessons(lesson.course)
    assert (line.begun, line.finished) == (0, 0)
    assert begin(lesson, ta, now).trial is False  # and begins anew, as every student does


def test_students_make_no_trial(client: Client, lesson: Lesson, ta: User) -> None:
    student = enrol(lesson.course)
    client.force_login(student)
    assert client.get(address(lesson, "trial")).status_code == 403
    with pytest.raises(Refused, match="Only the staff"):
        authoring.begin_trial(lesson, student, timezone.now())
    trial = authoring.begin_trial(lesson, ta, timezone.now())
    lesson.course.enrolments.filter(user=ta).update(role=Role.STUDENT)
    look(trial, timezone.now())
    client.force_login(ta)
    assert answer(client, lesson, "how-many", "7").status_code == 409
    assert not Prediction.objects.exists()


def test_staff_do_not_predict_where_it_counts(lesson: Lesson, ta: User) -> None:
    with pytest.raises(Refused, match="Only students"):
        begin(lesson, ta, timezone.now())


def test_a_trial_has_the_time_limit_of_its_lesson(lesson: Lesson, ta: User) -> None:
    lesson.time_limit = 20
    lesson.save()
    now = timezone.now()
    assert authoring.begin_trial(lesson, ta, now).ends_at == now + timedelta(minutes=20)


# -- variants


def test_the_variants_of_a_stop(client: Client, lesson: Lesson, ta: User) -> None:
    varied = make_lesson(lesson.course, version=make_lesson_version(VARIED, {}))
    client.force_login(ta)
    assert f"{address(varied, 'variants')}?stop=bank-least" in text_of(client.get(address(varied)))
    variants = compiled(varied.version).questions["bank-least"].variants
    page = text_of(client.get(address(varied, "variants"), {"stop": "bank-least", "variant": "7"}))
    assert "Variant 7 of 20" in page
    assert "variant=6" in page
    assert "variant=8" in page
    assert "variant=20" in page
    q = ", ".join(str(number) for number in variants[6].given["q"])
    assert f"with the query {q}?" in page
    assert f"<strong>{variants[6].facts['key']}</strong>" in page
    assert "most-attended" in page
    assert "The other end." in page
    page = text_of(client.get(address(varied, "variants"), {"stop": "the-same"}))
    assert "The same for everybody" in page
    assert "<em>first</em>" in page
    assert "variant=2" not in page


@pytest.mark.parametrize(
    "wrong", ["stop=none", "stop=how-many&variant=2", "variant=0", "variant=x", "variant=²"]
)
def test_no_such_variant(client: Client, lesson: Lesson, ta: User, wrong: str) -> None:
    client.force_login(ta)
    assert client.get(f"{address(lesson, 'variants')}?{wrong}").status_code == 404


def test_students_see_no_variants(client: Client, lesson: Lesson) -> None:
    client.force_login(enrol(lesson.course))
    response = client.get(address(lesson, "variants"))
    assert response.status_code == 403
    assert "canary" not in text_of(response)


# -- into another course


def taught(person: User, **fields: Any) -> Course:
    course = make_course(**fields)
    enrol(course, person, Role.INSTRUCTOR)
    return course


def test_copying_a_lesson(client: Client, lesson: Lesson, ruth: User) -> None:
    lesson.counts, lesson.time_limit, lesson.item.points = "correctness", 30, Decimal(12)
    lesson.save()
    lesson.item.save()
    other = taught(ruth, slug="other", title="Another course")
    client.force_login(ruth)
    assert "Another course" in text_of(client.get(address(lesson, "copy")))
    page = text_of(client.post(address(lesson, "copy_to"), {"to": "other"}, follow=True))
    made = Lesson.objects.get(item__course=other)
    assert "is now in Another course as well" in page
    assert address(made, "settings") in page
    assert (made.version, made.item.visible, made.counts) == (lesson.version, False, "correctness")
    assert (made.item.points, made.time_limit, made.item.slug) == (12, 30, lesson.item.slug)
    assert LogEntry.objects.get().user == ruth
    assert "has this lesson already" in page
    assert address(made) in page
    page = client.post(address(lesson, "copy_to"), {"to": "other"})
    assert page.status_code == 409
    assert "has this lesson already" in text_of(page)
    assert Lesson.objects.filter(item__course=other).count() == 1


def test_a_name_that_is_taken(client: Client, lesson: Lesson, ruth: User) -> None:
    other = taught(ruth, slug="other")
    make_assignment(course=other, slug="listening", title="Listen!")
    client.force_login(ruth)
    response = client.post(address(lesson, "copy_to"), {"to": "other"})
    assert response.status_code == 409
    assert "its item “Listen!” is called so" in text_of(response)
    assert "/courses/other/assignments/listening/" in text_of(response)


def test_only_to_courses_that_one_teaches(client: Client, lesson: Lesson, ruth: User) -> None:
    enrol(make_course(slug="assisted"), ruth, Role.TA)
    left = taught(ruth, slug="left")
    left.enrolments.update(active=False)
    make_course(slug="strange")
    client.force_login(ruth)
    assert "You teach no other course" in text_of(client.get(address(lesson, "copy")))
    for to in ("assisted", "left", "strange", "attention", "nowhere", ""):
        assert client.post(address(lesson, "copy_to"), {"to": to}).status_code == 422
    assert Lesson.objects.count() == 1
    with pytest.raises(Refused, match="not an instructor"):
        authoring.add_to(left, lesson.version, ruth)


def test_adding_a_lesson(client: Client, lesson: Lesson, ruth: User) -> None:
    """From a course of one's own, and from the site; not from the courses of others."""
    here = taught(ruth, slug="here")
    make_lesson(make_course(), version=make_lesson_version(VARIED, {}))
    shipped, _ = publish(next(each for each in shipped_lessons() if each.id == "which-meaning"))
    client.force_login(ruth)
    add = reverse("lessons:add", args=["here"])
    page = text_of(client.get(add))
    assert "Listening" in page
    assert "Which meaning?" in page
    assert "A varied lesson" not in page
    offers = {
        each.version.slug: each.stops
        for each in [*library.shipped(), *library.taught_lessons([lesson.course])]
    }
    assert offers == {"which-meaning": len(compiled(shipped).questions), "listening": len(STOPS)}
    take = reverse("lessons:take", args=["here"])
    page = text_of(client.post(take, {"offer": f"lesson {lesson.pk}"}, follow=True))
    assert "hidden from students. Set it up here" in page
    client.post(take, {"offer": f"version {shipped.pk}"})
    made = Lesson.objects.filter(item__course=here)
    assert sorted(each.version.slug for each in made) == ["listening", "which-meaning"]
    assert not any(each.item.visible for each in made)
    page = text_of(client.get(add))
    assert page.count("has this lesson already") == 2
    assert client.post(take, {"offer": f"lesson {lesson.pk}"}).status_code == 409
    for wrong in ("", f"version {lesson.version.pk}", "lesson x"):
        assert client.post(take, {"offer": wrong}).status_code == 422
    assert made.count() == 2


def test_the_pages_ask_the_same_however_much_there_is(client: Client, lesson: Lesson, ruth: User) -> None:
    here = taught(ruth, slug="here")
    client.force_login(ruth)

    def asked(page: str) -> int:
        client.get(page)
        with CaptureQueriesContext(
            connection,
        ) as queries:
            assert client.get(page).status_code == 200
        return len(queries)

    pages = [reverse("lessons:add", args=["here"]), address(lesson, "copy"), address(lesson, "variants")]
    before = [asked(page) for page in pages]
    for number in range(3):
        other = taught(ruth)
        make_lesson(other, version=make_lesson_version(small_lesson(number + 1, id=f"more-{number}")))
        make_assignment(course=here)
    assert [asked(page) for page in pages] == before


# -- how it is set up


def sent(lesson: Lesson, client: Client, **changed: Any) -> dict[str, Any]:
    """The form as it is shown, with something changed."""
    form = client.get(address(lesson, "settings")).context["form"]
    data: dict[str, Any] = {}
    for bound in form:
        value = (
            bound.field.prepare_value(bound.value())
            if hasattr(bound.field, "prepare_value")
            else bound.value()
        )
        if value not in (None, False):
            data[bound.html_name] = data[bound.html_initial_name] = value
    return data | changed


def test_setting_a_lesson_up(client: Client, lesson: Lesson, ruth: User) -> None:
    client.force_login(ruth)
    data = sent(
        lesson, client, counts="correctness", time_limit="45", points="7.5", due_at="2026-12-01T23:59"
    )
    del data["visible"]
    page = text_of(client.post(address(lesson, "set_up"), data, follow=True))
    assert "Saved." in page
    assert 'value="2026-12-01T23:59"' in page
    lesson = Lesson.objects.select_related("item").get()
    assert (lesson.counts, lesson.time_limit) == ("correctness", 45)
    assert (lesson.item.points, lesson.item.visible) == (Decimal("7.5"), False)
    schedule = Schedule.objects.get()
    assert schedule.due_at == datetime(2026, 12, 1, 22, 59, tzinfo=UTC)
    assert schedule.created_by == ruth
    page = text_of(client.post(address(lesson, "set_up"), sent(lesson, client), follow=True))
    assert "Nothing was changed." in page
    assert Schedule.objects.count() == 1
    client.post(
        address(lesson, "set_up"), sent(lesson, client, closes_at="2026-12-03T23:59", percent_per_day="10")
    )
    newest = Schedule.objects.latest("pk")
    assert (newest.due_at, newest.percent_per_day, Schedule.objects.count()) == (schedule.due_at, 10, 2)
    assert LogEntry.objects.count() == 2


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"time_limit": "0"}, "greater than or equal to 1"),
        ({"points": "-1"}, "greater than or equal to 0"),
        ({"counts": "attendance"}, "not one of the available choices"),
        ({"due_at": "soon"}, "is not a time"),
        ({"due_at": "2026-12-04T12:00", "closes_at": "2026-12-03T12:00"}, "It cannot close before it is due."),
    ],
)  # fmt: skip
def test_settings_that_cannot_be(
    client: Client, lesson: Lesson, ruth: User, wrong: dict[str, str], told: str
) -> None:
    client.force_login(ruth)
    data = sent(lesson, client) | {"points": "9"} | wrong
    response = client.post(address(lesson, "set_up"), data)
    assert response.status_code == 422
    assert told in text_of(response)
    assert "Not saved" in text_of(response)
    assert all(value in text_of(response) for value in wrong.values() if value != "attendance")
    assert not Schedule.objects.exists()
    assert Lesson.objects.get().item.points == lesson.item.points


def test_two_who_set_it_up_keep_what_the_other_changed(client: Client, lesson: Lesson, ruth: User) -> None:
    client.force_login(ruth)
    first, second = sent(lesson, client, time_limit="45"), sent(lesson, client, points="9")
    client.post(address(lesson, "set_up"), first)
    client.post(address(lesson, "set_up"), second)
    lesson = Lesson.objects.select_related("item").get()
    assert (lesson.time_limit, lesson.item.points) == (45, 9)


# -- links to other items


LINKED = small_lesson().replace(
    "Words canary",
    "See [the masks](item:masks), [the other](item:other) and [the secret](item:hidden-one). Words canary",
)


def test_links_lead_to_what_the_reader_sees(client: Client) -> None:
    """Of items that are hidden, or that the course does not have, the words stay and nothing else."""
    lesson = make_lesson(version=make_lesson_version(LINKED))
    course = lesson.course
    make_assignment(course=course, slug="masks")
    make_assignment(course=course, slug="hidden-one", visible=False)
    make_assignment(course=make_course(), slug="other")
    student, ta = enrol(course), enrol(course, role=Role.TA)
    look(begin(lesson, student, timezone.now()), timezone.now())
    masks, hidden = (
        reverse("submissions:assignment", args=[course.slug, slug]) for slug in ("masks", "hidden-one")
    )
    client.force_login(student)
    page = text_of(client.get(address(lesson)))
    assert f'<a href="{masks}"' in page
    assert ">the masks</a>" in page
    assert "the other and the secret." in page
    assert "hidden-one" not in page
    assert "item:" not in page
    client.force_login(ta)
    page = text_of(client.get(address(lesson)))
    assert f'<a href="{masks}"' in page
    assert f'<a href="{hidden}"' in page
    assert "the other and" in page


def test_the_shipped_lessons_link_to_what_there_is() -> None:
    """Every name is that of an assignment or a lesson of this repository."""
    names = {path.name for path in (ROOT / "assignments").iterdir()}
    texts = {path.stem: path.read_text() for path in (ROOT / "fixtures" / "lessons").glob("*.md")}
    linked = {part.partition(")")[0] for text in texts.values() for part in text.split("](item:")[1:]}
    assert linked
    assert linked <= names | set(texts)


def test_a_stranger_gets_nothing(client: Client, lesson: Lesson) -> None:
    client.force_login(make_user())
    for name in ("trial", "variants", "copy", "settings"):
        assert client.get(address(lesson, name)).status_code == 404
