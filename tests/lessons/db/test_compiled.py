"""Versions are read once a process, also those that cannot be shown."""

from __future__ import annotations

import pytest
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from softmark.courses.models import Role
from softmark.lessons.actions import Refused, begin
from softmark.lessons.authoring import begin_trial
from softmark.lessons.compiled import Unshowable, compiled
from softmark.lessons.models import Lesson, LessonVersion, Reading
from tests.factories import enrol, make_lesson, make_lesson_version
from tests.lessons.small_lesson import STOPS

pytestmark = pytest.mark.django_db


def test_one_that_can_be_shown(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    first = compiled(make_lesson_version())
    assert tuple(first.questions) == STOPS
    version = make_lesson_version()
    with django_assert_num_queries(0):
        assert compiled(version) is first


@pytest.fixture
def unshowable() -> LessonVersion:
    return LessonVersion.objects.create(
        slug="of-a-later-release", digest="f" * 64, title="Of a later release", minutes=5, text="?", data={}
    )


def test_nobody_begins_one_that_cannot(unshowable: LessonVersion) -> None:
    """Its time limit would run, and they would be tied to this version."""
    lesson = make_lesson(time_limit=10)
    Lesson.objects.update(version=unshowable)
    for start, role in ((begin, Role.STUDENT), (begin_trial, Role.TA)):
        with pytest.raises(Refused, match="cannot be shown"):
            start(lesson, enrol(lesson.course, role=role), timezone.now())
    assert not Reading.objects.exists()


def test_one_that_cannot(
    unshowable: LessonVersion, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    with pytest.raises(Unshowable) as first:
        compiled(unshowable)
    with django_assert_num_queries(0), pytest.raises(Unshowable) as again:
        compiled(unshowable)
    assert again.value.args == first.value.args
    assert "import the lesson again" in str(again.value)
