"""More time for one student, of time limits and until later due dates: granted on a page, and for what runs by then."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from threading import Barrier, Thread

import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError, connection, transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from softmark.accounts.models import User
from softmark.courses.actions import accommodate, extend
from softmark.courses.models import Accommodation, Course, Extension, Item, Role
from softmark.courses.queries import current_schedule, deadline_for, time_factor_of
from softmark.lessons.actions import begin
from softmark.lessons.models import Reading
from tests.factories import (
    enrol,
    make_course,
    make_item,
    make_lesson,
    make_reading,
    make_schedule,
)

pytestmark = pytest.mark.django_db

NOW = timezone.now()
MINUTE = timedelta(minutes=1)


@pytest.fixture
def course() -> Course:
    return make_course(slug="attention", title="Attention")


@pytest.fixture
def emmy(course: Course) -> User:
    return enrol(course, name="Emmy")


def grant(course: Course, user: User, factor: str, reason: str = "A letter") -> Accommodation:
    return accommodate(course, user, Decimal(factor), reason=reason, by=None, at=NOW)


def ends(reading: Reading) -> timedelta:
    """After its beginning."""
    reading.refresh_from_db()
    assert reading.ends_at is not None
    return reading.ends_at - reading.started_at


# -- the rule


def test_the_newest_counts_and_one_takes_it_back(course: Course, emmy: User) -> None:
    assert time_factor_of(course, emmy) == 1
    grant(course, emmy, "1.5")
    grant(course, emmy, "2")
    assert time_factor_of(course, emmy) == 2
    assert time_factor_of(make_course(), emmy) == 1
    grant(course, emmy, "1")
    assert time_factor_of(course, emmy) == 1


@pytest.mark.parametrize("factor", ["0.99", "10.01", "1.555", "NaN"])
def test_it_is_between_one_and_ten(course: Course, emmy: User, factor: str) -> None:
    with pytest.raises(ValidationError):
        grant(course, emmy, factor)
    assert not Accommodation.objects.exists()


def test_the_database_holds_it(course: Course, emmy: User) -> None:
    granted = grant(course, emmy, "1.5")
    with pytest.raises(IntegrityError, match="never changed"), transaction.atomic():
        granted.save()
    with pytest.raises(IntegrityError, match="gives_time"), transaction.atomic():
        Accommodation.objects.create(course=course, user=emmy, time_factor=Decimal("0.5"), reason="A letter")


# -- lessons


def test_a_reading_that_begins_has_its_readers_time(course: Course, emmy: User) -> None:
    lesson = make_lesson(course, time_limit=60)
    grant(course, emmy, "1.5")
    assert ends(begin(lesson, emmy, NOW)) == 90 * MINUTE
    assert ends(begin(lesson, enrol(course), NOW)) == 60 * MINUTE


def test_what_goes_on_is_prolonged_and_never_cut_short(course: Course, emmy: User) -> None:
    lesson = make_lesson(course, time_limit=60)
    reading = make_reading(lesson, emmy, started_at=NOW - 30 * MINUTE, minutes=60)
    other = make_reading(lesson, started_at=NOW - 30 * MINUTE, minutes=60)
    for factor, minutes in (("2", 120), ("1.5", 120), ("1", 120), ("3", 180)):
        grant(course, emmy, factor)
        assert ends(reading) == minutes * MINUTE
    assert ends(other) == 60 * MINUTE


def test_what_has_ended_stays_ended(course: Course, emmy: User) -> None:
    over = make_reading(make_lesson(course), emmy, started_at=NOW - 60 * MINUTE, minutes=60)
    grant(course, emmy, "2")
    assert ends(over) == 60 * MINUTE


@pytest.mark.django_db(transaction=True)
def test_of_beginning_and_granting_at_once_both_are_done(course: Course, emmy: User) -> None:
    """Whichever is first, the reader has the time that was granted."""
    lesson, start = make_lesson(course, time_limit=60), Barrier(2)

    def at_once(act: object) -> None:
        try:
            start.wait()
            act()  # type: ignore[operator]
        finally:
            connection.close()

    both = [
        Thread(target=at_once, args=[act])
        for act in (lambda: begin(lesson, emmy, NOW + MINUTE), lambda: grant(course, emmy, "1.5"))
    ]
    for each in both:
        each.start()
    for each in both:
        each.join()
    assert ends(Reading.objects.get()) == 90 * MINUTE


# -- pages


@pytest.fixture
def ruth(course: Course, client: Client) -> User:
    made = enrol(course, name="Ruth", role=Role.INSTRUCTOR)
    client.force_login(made)
    return made


def test_an_instructor_grants_it(course: Course, emmy: User, ruth: User, client: Client) -> None:
    page = reverse("courses:extra_time", args=["attention", emmy.pk])
    assert page in client.get(reverse("courses:people", args=["attention"])).content.decode()
    assert "Emmy has the time of the others" in client.get(page).content.decode()
    form = {"time_factor": "1.5", "reason": "Letter of 3 May <b>"}
    done = client.post(f"{page}set/", form, follow=True).content.decode()
    assert "Emmy has 1.5 times the time in this course from now on." in done
    assert "1.5 times the time" in done.partition("<main")[2]
    granted = Accommodation.objects.get()
    assert (granted.time_factor, granted.created_by, granted.reason) == (Decimal("1.5"), ruth, form["reason"])
    assert "Letter of 3 May &lt;b&gt;" in client.get(page).content.decode()


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ({"time_factor": "0.5", "reason": "Mean"}, "Nobody gets less time than the others"),
        ({"time_factor": "11", "reason": "Kind"}, "At most 10 times"),
        ({"time_factor": "half", "reason": "Odd"}, "Enter a number"),
        ({"time_factor": "2", "reason": " "}, "Say why"),
    ],
)
def test_what_cannot_be_granted_stays_typed(
    course: Course, emmy: User, ruth: User, client: Client, typed: dict[str, str], told: str
) -> None:
    answer = client.post(reverse("courses:set_extra_time", args=["attention", emmy.pk]), typed)
    html = answer.content.decode()
    assert answer.status_code == 422
    assert told in html
    assert f'value="{typed["time_factor"]}"' in html
    assert not Accommodation.objects.exists()


def test_only_a_student_of_the_course(course: Course, ruth: User, client: Client) -> None:
    for user in (ruth, enrol(make_course())):
        assert client.get(reverse("courses:extra_time", args=["attention", user.pk])).status_code == 404


def test_teaching_assistants_see_it_and_students_see_their_time(
    course: Course, emmy: User, client: Client
) -> None:
    lesson = make_lesson(course, time_limit=60)
    grant(course, emmy, "1.5", reason="secret reason")
    client.force_login(enrol(course, name="Tom", role=Role.TA))
    people = client.get(reverse("courses:people", args=["attention"])).content.decode()
    assert "1.5 times the time" in people
    assert "/time/" not in people
    client.force_login(emmy)
    begins = client.get(reverse("lessons:lesson", args=["attention", lesson.item.slug])).content.decode()
    assert "90 minutes for you: 60, and half as much again" in begins
    assert "secret reason" not in begins


# -- due dates

DUE = datetime(2027, 3, 1, 22, 59, tzinfo=UTC)  # 23:59 on the clocks of the course
DAY = timedelta(days=1)


@pytest.fixture
def masks(course: Course) -> Item:
    Course.objects.update(time_zone="Europe/Zurich")
    course.refresh_from_db()
    item = make_item(course=course, slug="masks", title="Masks")
    make_schedule(item, due_at=DUE, closes_at=DUE + 2 * DAY, percent_per_day=20)
    return item


def test_an_extension_that_changes_nothing_is_refused(emmy: User, masks: Item) -> None:
    for until in (DUE, None, datetime(9999, 1, 1, tzinfo=UTC)):
        with pytest.raises(ValidationError):
            extend(masks, emmy, until, reason="Ill", by=None)
    assert not Extension.objects.exists()


def test_an_instructor_gives_an_extension_and_takes_it_back(
    course: Course, emmy: User, masks: Item, ruth: User, client: Client
) -> None:
    make_item(course=course, title="Without a date")
    other = enrol(course)
    page = reverse("courses:extra_time", args=["attention", emmy.pk])
    shown = client.get(page).content.decode()
    assert "Mon 1 Mar 2027, 23:59 CET" in shown
    assert "as for the others" in shown
    assert "Without a date" not in shown
    form = {"item": "masks", "due_at": "2027-03-04T12:00", "reason": "Ill <b>"}
    done = client.post(f"{page}extend/", form, follow=True).content.decode()
    assert "Emmy has until Thu 4 Mar 2027, 12:00 CET for “Masks”." in done
    for told in (
        "Mon 1 Mar 2027, 23:59 CET",
        "Sat 6 Mar 2027, 12:00 CET",
        "Extended",
        "Ill &lt;b&gt;",
        "Ruth, ",
    ):
        assert told in done
    deadline = deadline_for(emmy, masks)
    assert deadline.due_at == datetime(2027, 3, 4, 11, tzinfo=UTC)
    schedule = current_schedule(masks)
    assert schedule is not None
    assert deadline.late_policy == schedule.late_policy
    assert deadline_for(other, masks).due_at == DUE
    assert "1 extension" in client.get(reverse("courses:people", args=["attention"])).content.decode()

    done = client.post(f"{page}extend/", form | {"due_at": "", "reason": "A mistake"}, follow=True)
    assert "Emmy has as long as the others for “Masks”." in done.content.decode()
    assert "Masks: taken back" in done.content.decode()
    assert deadline_for(emmy, masks).due_at == DUE
    given = Extension.objects.values_list("created_by", "reason")
    assert list(given) == [(ruth.pk, "Ill <b>"), (ruth.pk, "A mistake")]


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"due_at": "2027-03-01T23:59"}, "who have until Mon 1 Mar 2027, 23:59 CET"),
        ({"due_at": ""}, "Say until when"),
        ({"due_at": "2027-03-28T02:30"}, "does not exist in Europe/Zurich"),
        ({"due_at": "soon"}, "is not a time"),
        ({"item": "elsewhere"}, "Pick what is due"),
        ({"item": ""}, "Pick what is due"),
        ({"reason": " "}, "Say why"),
    ],
)
def test_an_extension_that_cannot_be_given_stays_typed(
    emmy: User, masks: Item, ruth: User, client: Client, changed: dict[str, str], told: str
) -> None:
    make_schedule(make_item(slug="elsewhere"), due_at=DUE)
    typed = {"item": "masks", "due_at": "2027-03-04T12:00", "reason": "Ill since Monday"} | changed
    answer = client.post(reverse("courses:set_extension", args=["attention", emmy.pk]), typed)
    html = answer.content.decode()
    assert answer.status_code == 422
    assert told in html
    assert "Nothing was changed" in html
    assert not typed["due_at"] or f'value="{typed["due_at"]}"' in html
    assert typed["reason"] in html
    assert ('<option value="masks" selected>' in html) == (typed["item"] == "masks")
    assert not Extension.objects.exists()


def test_the_page_asks_as_often_however_much_is_due(
    course: Course,
    emmy: User,
    masks: Item,
    ruth: User,
    client: Client,
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    page = reverse("courses:extra_time", args=["attention", emmy.pk])
    for number in range(4):
        item = make_item(course=course)
        make_schedule(item, due_at=DUE)
        for days in range(1, number + 1):
            extend(item, emmy, DUE + days * DAY, reason="Ill", by=ruth)
    with django_assert_num_queries(9):
        client.get(page)


def test_extensions_are_for_instructors_to_give(
    course: Course, emmy: User, masks: Item, client: Client
) -> None:
    client.force_login(enrol(course, role=Role.TA))
    form = {"item": "masks", "due_at": "2027-03-04T12:00", "reason": "Ill"}
    answer = client.post(reverse("courses:set_extension", args=["attention", emmy.pk]), form)
    assert answer.status_code == 403
    assert "Only instructors give somebody more time." in answer.content.decode()
    assert not Extension.objects.exists()
