"""Lessons in the gradebook: predictions and marks become events, and grades that everybody sees where they should."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from importlib import import_module
from typing import Any

import pytest
import time_machine
from django.apps import apps
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from softmark.accounts.models import User
from softmark.courses.models import Course, Role
from softmark.courses.queries import enrolment_in
from softmark.gradebook import actions, queries
from softmark.gradebook.actions import Change
from softmark.gradebook.entries import Kind
from softmark.gradebook.grade import Grade, State
from softmark.gradebook.models import Event
from softmark.gradebook.receivers import append_prediction
from softmark.lessons.actions import begin, look, save_draft, settle
from softmark.lessons.authoring import begin_trial
from softmark.lessons.compiled import Compiled, Unshowable
from softmark.lessons.marking import Marking, mark, take_back
from softmark.lessons.models import Draw, Lesson, LessonVersion, Prediction, Reading
from softmark.lessons.signals import committed
from softmark.lessons.tasks import settle_overdue
from tests.factories import (
    enrol,
    make_course,
    make_extension,
    make_lesson,
    make_lesson_version,
    make_reading,
    make_schedule,
)
from tests.lessons.db.steps import NOON, predict, read_to_the_end
from tests.lessons.small_lesson import small_lesson
from tests.web.test_gradebook_pages import signed_in, text_of

pytestmark = pytest.mark.django_db

HOUR = timedelta(hours=1)
SAME = ("kind", "course", "item", "number", "stops", "received_at", "share", "source", "answered")
NOW = NOON


@pytest.fixture(autouse=True)
def now() -> Iterator[None]:
    """For pages and tasks, too."""
    with time_machine.travel(NOW, tick=False):
        yield


@pytest.fixture
def course() -> Course:
    return make_course(slug="attention", title="Attention")


@pytest.fixture
def lesson(course: Course) -> Lesson:
    """The small lesson, of three stops, counted by correctness with 6 points, due in an hour and open for another."""
    made = make_lesson(course, due_at=NOW + HOUR, closes_at=NOW + 2 * HOUR, counts=Lesson.Counts.CORRECTNESS)
    made.item.points = Decimal(6)
    made.item.save()
    return made


def reading_of(lesson: Lesson, **of_student: Any) -> Reading:
    return make_reading(lesson, enrol(lesson.course, **of_student), started_at=NOW - HOUR)


def grade_of(reading: Reading, now: Any = NOW) -> Grade:
    enrolment = enrolment_in(reading.learner, reading.lesson.course.slug)
    assert enrolment is not None
    item = queries.graded_items(reading.lesson.course).get(pk=reading.lesson.item_id)
    return queries.cell(item, enrolment, now)[1]


def places(events: Sequence[Event]) -> list[tuple[int | None, Decimal | None, str]]:
    return [(event.number, event.share, event.source) for event in events]


# -- events


def test_a_prediction_becomes_an_event(lesson: Lesson) -> None:
    reading = reading_of(lesson)
    prediction = predict(reading, "8", now=NOW).prediction
    event = Event.objects.get()
    assert (event.kind, event.prediction, event.student, event.item) == (
        Kind.QUIZ, prediction, reading.learner, lesson.item
    )  # fmt: skip
    assert (event.number, event.stops, event.share, event.source, event.answered, event.received_at) == (
        1, 3, 0, "rule", True, NOW
    )  # fmt: skip
    read_to_the_end(reading, now=NOW)
    assert places(Event.objects.all()) == [(1, 0, "rule"), (2, 1, "rule"), (3, 1, "rule")]


def test_what_staff_try_and_what_comes_back_count_nowhere(lesson: Lesson) -> None:
    read_to_the_end(begin_trial(lesson, enrol(lesson.course, role=Role.TA), NOW), now=NOW)
    assert Prediction.objects.count() == 3
    again = Prediction(draw=Draw(reading=reading_of(lesson), question="how-many", number=1))
    committed.send(sender=Prediction, prediction=again, stops=("how-many",))
    assert not Event.objects.exists()


def test_a_mark_of_staff_becomes_an_event_and_so_does_taking_it_back(lesson: Lesson) -> None:
    reading, tutor = reading_of(lesson), enrol(lesson.course, role=Role.TA)
    first = read_to_the_end(reading, now=NOW)[0]
    made = mark(Marking(first, tutor, 0), Fraction(1, 2), "Half of it.", NOW + HOUR)
    event = Event.objects.latest("pk")
    assert (event.mark, event.actor, event.share, event.source) == (made, tutor, Decimal("0.5"), "ta")
    assert (event.number, event.received_at) == (1, first.committed_at), "as late as the prediction was"
    assert grade_of(reading).points == 5
    ada = enrol(lesson.course, role=Role.INSTRUCTOR)
    with pytest.raises(ValidationError, match="on the page of its prediction"):
        actions.take_back(Change(lesson.item, reading.learner, ada, event.pk), event.pk, "Here it cannot be")
    take_back(Marking(first, tutor, made.pk), NOW + HOUR)
    assert places(Event.objects.filter(prediction=first)) == [
        (1, 1, "rule"), (1, Decimal("0.5"), "ta"), (1, 1, "rule")
    ]  # fmt: skip
    assert grade_of(reading).points == 6


def test_predictions_of_before_become_the_same_events(lesson: Lesson) -> None:
    migration = import_module("softmark.gradebook.migrations.0004_earlier_predictions")
    committed.disconnect(append_prediction)
    try:
        read_to_the_end(reading_of(lesson), now=NOW)
    finally:
        committed.connect(append_prediction)
    migration.append(apps, None)
    before = list(Event.objects.values_list(*SAME))
    read_to_the_end(reading_of(lesson), now=NOW)
    assert list(Event.objects.values_list(*SAME))[3:] == before


def test_the_database_holds_what_an_event_of_a_prediction_is(lesson: Lesson) -> None:
    predict(reading_of(lesson), "7", now=NOW)
    event = Event.objects.get()
    for wrong in ({"share": None}, {"number": 4}, {"source": ""}, {"answered": None}, {}):
        event.pk = None
        for name, value in wrong.items():
            setattr(event, name, value)
        with pytest.raises(IntegrityError), transaction.atomic():
            event.save(force_insert=True)
        event = Event.objects.get()


# -- grades


def test_under_way_then_graded(lesson: Lesson) -> None:
    reading = reading_of(lesson)
    assert grade_of(reading).state is State.NOT_DUE
    predict(reading, "7", now=NOW)
    on_the_way = grade_of(reading)
    assert (on_the_way.state, on_the_way.points, on_the_way.worth) == (State.UNDER_WAY, 2, None)
    assert grade_of(reading, NOW + 3 * HOUR).state is State.GRADED, "it has closed"
    read_to_the_end(reading, now=NOW)
    assert (grade_of(reading).state, grade_of(reading).worth) == (State.GRADED, 6)


def test_what_nobody_could_settle_is_no_zero(course: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    made = make_lesson(course, due_at=NOW - HOUR, closes_at=NOW - HOUR)
    made.item.points = Decimal(6)
    made.item.save()
    reading = make_reading(made, enrol(course), started_at=NOW - 2 * HOUR, minutes=240)
    look(reading, NOW - 2 * HOUR)
    save_draft(reading, "how-many", ["7"], NOW - 2 * HOUR)

    def unreadable(version: LessonVersion) -> Compiled:
        raise Unshowable("It cannot be shown.")

    with monkeypatch.context() as patch:
        patch.setattr("softmark.lessons.actions.compiled", unreadable)
        settle_overdue()
    assert not Prediction.objects.exists()
    assert (grade_of(reading).state, grade_of(reading).worth) == (State.WAITING, None)
    assert grade_of(reading).pending
    seen = Change(made.item, reading.learner, enrol(course, role=Role.INSTRUCTOR), 0)
    by_hand = actions.set_points(seen, Decimal(3), "It could not be shown")
    assert (grade_of(reading).worth, grade_of(reading).pending) == (3, False)
    actions.take_back(replace(seen, seen=by_hand.pk), by_hand.pk, "")
    settle_overdue()
    assert (grade_of(reading).state, grade_of(reading).worth) == (State.GRADED, 2)


def test_the_policy_is_asked_when_the_grade_is(lesson: Lesson) -> None:
    reading = reading_of(lesson)
    predict(reading, "8", now=NOW)
    read_to_the_end(reading, now=NOW)
    assert grade_of(reading).points == 4
    lesson.counts = Lesson.Counts.COMPLETION
    lesson.save()
    assert grade_of(reading).points == 6


def test_dates_extensions_and_late_costs_are_those_of_items(lesson: Lesson) -> None:
    reading = reading_of(lesson)
    make_schedule(lesson.item, due_at=NOW - 2 * HOUR, percent_per_day=10)
    read_to_the_end(reading, now=NOW)
    late = grade_of(reading)
    assert (late.points, late.is_late) == (Decimal("5.4"), True)
    make_extension(lesson.item, reading.learner, NOW + HOUR)
    assert (grade_of(reading).points, grade_of(reading).is_late) == (6, False)


def test_without_full_marks_it_is_not_graded(lesson: Lesson) -> None:
    lesson.item.points = Decimal(0)
    lesson.item.save()
    assert not queries.graded_items(lesson.course).exists()


def test_by_hand_excused_and_taken_back(lesson: Lesson) -> None:
    reading, ada = reading_of(lesson), enrol(lesson.course, role=Role.INSTRUCTOR)
    predict(reading, "7", now=NOW)
    seen = Change(lesson.item, reading.learner, ada, Event.objects.get().pk)
    by_hand = actions.set_points(seen, Decimal(3), "Oral exam")
    assert (grade_of(reading).state, grade_of(reading).points) == (State.GRADED, 3)
    actions.take_back(replace(seen, seen=by_hand.pk), by_hand.pk, "")
    assert grade_of(reading).state is State.UNDER_WAY
    newest = Event.objects.latest("pk").pk
    actions.take_back(replace(seen, seen=newest), seen.seen, "A fault of the lesson")
    assert grade_of(reading).state is State.NO_RESULT


def test_who_never_comes_back_is_settled_and_graded(lesson: Lesson) -> None:
    lesson.time_limit = 10
    lesson.save()
    gone = begin(lesson, enrol(lesson.course), NOW - HOUR)
    predict(gone, "7", now=NOW - HOUR)
    still_there = begin(lesson, enrol(lesson.course), timezone.now())
    settle_overdue()
    assert [(event.answered, event.received_at) for event in Event.objects.filter(student=gone.learner)] == [
        (True, NOW - HOUR), (False, gone.ends_at), (False, gone.ends_at)
    ]  # fmt: skip
    assert (grade_of(gone).state, grade_of(gone).points) == (State.GRADED, 2)
    assert grade_of(still_there).state is State.NOT_DUE
    count = Event.objects.count()
    settle_overdue()
    assert settle(gone, timezone.now()) == ()
    assert Event.objects.count() == count


def test_a_lesson_that_closes_settles_who_is_under_a_time_limit(lesson: Lesson) -> None:
    """But not those with an extension, and nobody without a limit."""
    lesson.time_limit = 100
    lesson.save()
    gone, extended = (begin(lesson, enrol(lesson.course), NOW) for _ in range(2))
    at_leisure = make_reading(lesson, enrol(lesson.course), started_at=NOW)
    make_schedule(lesson.item, due_at=NOW - HOUR, closes_at=NOW - HOUR)
    make_extension(lesson.item, extended.learner, NOW + HOUR)
    settle_overdue()
    assert Reading.objects.exclude(finished_at=None).get() == gone
    assert {extended, at_leisure} == set(Reading.objects.filter(finished_at=None))


def test_what_came_at_the_last_moment_is_committed_before_the_rest_is_settled(lesson: Lesson) -> None:
    """Whoever settles what was left gives it some seconds to wait for its turn."""
    make_reading(lesson, started_at=NOW - HOUR, minutes=60)
    with time_machine.travel(NOW + timedelta(seconds=2), tick=False):
        settle_overdue()
        assert not Prediction.objects.exists()
    with time_machine.travel(NOW + timedelta(seconds=30), tick=False):
        settle_overdue()
    assert Prediction.objects.count() == 3


def test_a_fault_in_one_reading_holds_up_no_other(lesson: Lesson, monkeypatch: pytest.MonkeyPatch) -> None:
    lesson.time_limit = 10
    lesson.save()
    broken, gone = (begin(lesson, enrol(lesson.course), NOW - HOUR) for _ in range(2))

    def broken_for_one(reading: Reading, now: datetime) -> object:
        if reading.pk == broken.pk:
            raise ZeroDivisionError
        return settle(reading, now)

    monkeypatch.setattr("softmark.lessons.actions.settle", broken_for_one)
    settle_overdue()
    assert grade_of(gone).state is State.GRADED
    assert grade_of(broken).state is not State.GRADED


# -- pages


@pytest.fixture
def people(lesson: Lesson) -> dict[str, User]:
    """Emmy is done, late with the last one; Grace is under way; Alan has not begun. Staff: Ada and Tom."""
    emmy, grace = reading_of(lesson, name="Emmy"), reading_of(lesson, name="Grace")
    predict(emmy, "8", now=NOW)
    read_to_the_end(emmy, now=NOW + HOUR + timedelta(minutes=5))
    predict(grace, "7", now=NOW)
    alan = enrol(lesson.course, name="Alan")
    staff = {name: enrol(lesson.course, name=name, role=role) for name, role in
             (("Ada", Role.INSTRUCTOR), ("Tom", Role.TA))}  # fmt: skip
    return {"emmy": emmy.learner, "grace": grace.learner, "alan": alan} | staff


def page(user: User, name: str, *arguments: Any) -> str:
    answer = signed_in(user).get(reverse(f"gradebook:{name}", args=["attention", *arguments]))
    assert answer.status_code == 200
    return text_of(answer.content.decode())


def test_the_grid_and_its_file(people: dict[str, User], lesson: Lesson) -> None:
    said = page(people["Tom"], "grid")
    assert "Listening of 6" in said
    assert "Alan 0 / 0 Not yet due" in said
    assert "Emmy 3.6 / 6 3.6 late" in said
    assert "Grace 0 / 0 2 under way" in said
    assert "Mean of those graded 3.6" in said
    answer = signed_in(people["Tom"]).get(reverse("gradebook:csv", args=["attention"]))
    rows = answer.content.decode("utf-8-sig").splitlines()
    assert [row.split(",")[3:] for row in rows[1:]] == [
        ["", "not yet due", "0", "0"], ["3.6", "graded", "3.6", "6"], ["2", "under way", "0", "0"]
    ]  # fmt: skip


def test_a_cell_opens_into_its_predictions(people: dict[str, User], lesson: Lesson) -> None:
    said = page(people["Tom"], "cell", lesson.item.slug, people["emmy"].pk)
    assert "Predictions count for being right. Predictions" in said
    assert "1 of 3 : read and mark it" in said
    assert "Not right: 0 of 2" in said
    assert "+5 min late, −10 %: 2 → 1.8" in said
    assert "Prediction 3, right" in said
    assert "Attempts" not in said
    assert "Nothing was predicted." in page(people["Tom"], "cell", lesson.item.slug, people["alan"].pk)


def test_own_grades_tell_of_lessons(people: dict[str, User], lesson: Lesson) -> None:
    assert "1 of 3 predictions so far: not in the total yet." in page(people["grace"], "mine")
    assert "Under way 2 / 6" in page(people["grace"], "mine")
    assert "3.6 / 6 60 %" in page(people["emmy"], "mine")


def test_nothing_unreleased_leaks(people: dict[str, User], lesson: Lesson) -> None:
    lesson.item.released = False
    lesson.item.save()
    for name, told in (("grace", "Under way"), ("emmy", "Unreleased")):
        said = page(people[name], "mine")
        assert told in said
        assert "right" not in said.partition("How it came about")[2]
    lesson.item.visible = False
    lesson.item.save()
    assert "Listening" not in page(people["emmy"], "mine")


def test_queries_do_not_grow_with_lessons(
    people: dict[str, User], lesson: Lesson, django_assert_max_num_queries: Any
) -> None:
    for _ in range(3):
        read_to_the_end(reading_of(lesson), now=NOW)
    for user, name, arguments, most in (
        (people["Tom"], "grid", (), 14), (people["Tom"], "csv", (), 11), (people["emmy"], "mine", (), 12),
        (people["Tom"], "cell", (lesson.item.slug, people["emmy"].pk), 12),
    ):  # fmt: skip
        client = Client()
        client.force_login(user)
        with django_assert_max_num_queries(most):
            client.get(reverse(f"gradebook:{name}", args=["attention", *arguments]))


# -- a quiz


def test_a_quiz_is_called_so(course: Course) -> None:
    text = small_lesson(id="check-yourself", title="Check yourself").replace(
        "minutes: 5", "minutes: 5\nkind: quiz"
    )
    quiz = make_lesson(
        course, version=make_lesson_version(text), counts=Lesson.Counts.CORRECTNESS, time_limit=10
    )
    emmy = enrol(course, name="Emmy")
    address = reverse("lessons:lesson", args=["attention", quiz.item.slug])
    client = signed_in(emmy)

    def said() -> str:
        return text_of(client.get(address).content.decode())

    assert "It asks one question after the other." in said()
    assert "The first answer counts, and it is graded by how right it is." in said()
    assert "There is a time limit: 10 minutes." in said()
    client.post(f"{address}begin/")
    assert "Question 1 of 3" in said()
    assert "0 of 3 questions answered." in said()
    assert "rediction" not in said()
    read_to_the_end(Reading.objects.get(), now=timezone.now())
    assert "You have answered the last question." in said()
    assert "What the class answered" in said()
    assert "predicted" not in said()
    for user, name, arguments in (
        (emmy, "mine", ()),
        (enrol(course, role=Role.TA), "cell", (quiz.item.slug, emmy.pk)),
    ):
        grades = page(user, name, *arguments)
        assert "Answers count for being right." in grades
        assert "Question 2, " in grades
        assert "redict" not in grades
    assert "Check yourself Quiz" in text_of(
        client.get(reverse("courses:course", args=["attention"])).content.decode()
    )
    quiz.item.visible = False
    quiz.item.save()
    tutor = signed_in(enrol(course, role=Role.TA))
    assert "Check yourself Quiz" in text_of(
        tutor.get(reverse("courses:course", args=["attention"])).content.decode()
    )
