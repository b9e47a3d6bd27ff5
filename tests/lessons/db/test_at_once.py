"""However many come at the same time: one reading, one draw, one prediction."""

from __future__ import annotations

from datetime import timedelta

import pytest

from softmark.lessons.actions import Committed, begin, commit, look, save_draft, settle
from softmark.lessons.importing import place
from softmark.lessons.models import Draw, Lesson, Prediction, Reading
from softmark.lessons.questions import Invalid
from tests.factories import enrol, make_course, make_lesson, make_lesson_version, make_reading
from tests.lessons.db.steps import NOON, at_once, draw_at, hearing
from tests.lessons.test_source import DATA, LESSON

pytestmark = pytest.mark.django_db(transaction=True)


def test_fifty_predictions_are_one() -> None:
    reading = make_reading()
    look(reading, NOON)
    with hearing() as heard:
        results = at_once(50, lambda index: commit(reading, "how-many", [str(index)], None, NOON))
    done = [each for each in results if isinstance(each, Committed)]
    assert len(done) == 50
    (won,) = [each.prediction for each in done if each.is_new]
    assert {each.prediction for each in done} == {won} == set(heard)
    assert Prediction.objects.get().posted == won.posted


def test_two_tabs_in_which_one_types_nonsense() -> None:
    reading = make_reading()
    look(reading, NOON)
    results = at_once(20, lambda index: commit(reading, "how-many", ["7" if index % 2 else "x"], None, NOON))
    assert sum(isinstance(each, Committed) and each.is_new for each in results) == 1
    assert all(isinstance(each, Committed | Invalid) for each in results)
    assert Prediction.objects.get().posted == ["7"]


def test_learners_do_not_share_theirs() -> None:
    lesson = make_lesson()
    readings = [make_reading(lesson) for _ in range(10)]
    for each in readings:
        look(each, NOON)
    results = at_once(30, lambda index: commit(readings[index % 10], "how-many", ["7"], None, NOON))
    assert sum(isinstance(each, Committed) and each.is_new for each in results) == 10


def test_it_is_begun_and_drawn_once() -> None:
    lesson = make_lesson(version=make_lesson_version(LESSON, DATA))
    learner = enrol(lesson.course)
    readings = at_once(20, lambda _: begin(lesson, learner, NOON))
    assert Reading.objects.count() == len(set(readings)) == 1
    reading = Reading.objects.get()
    draws = at_once(20, lambda _: draw_at(reading, "bank-least"))
    assert Draw.objects.count() == len(set(draws)) == 1


def test_a_time_limit_runs_out_once() -> None:
    reading = make_reading(started_at=NOON, minutes=10)
    look(reading, NOON)
    save_draft(reading, "how-many", ["7"], NOON)
    end = NOON + timedelta(minutes=10)
    with hearing() as heard:
        results = at_once(20, lambda index: look(reading, end) if index % 2 else settle(reading, end))
    assert len(results) == 20
    assert len(heard) == Prediction.objects.count() == 3


def test_an_import_makes_one_lesson() -> None:
    course, version = make_course(), make_lesson_version()
    at_once(10, lambda _: place(course, version))
    assert Lesson.objects.count() == course.items.count() == 1
