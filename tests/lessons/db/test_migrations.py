"""What was predicted before predictions counted, and before anything followed a commit, is brought up to date."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

import pytest
from django.apps.registry import Apps
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from softmark.gradebook.models import Event
from softmark.lessons.models import Draw, LessonVersion, Reading
from tests.lessons.db.steps import NOON
from tests.lessons.small_lesson import small_lesson

pytestmark = pytest.mark.django_db(transaction=True)

BEFORE = [("lessons", "0002_frozen"), ("courses", "0003_lessons"), ("gradebook", "0002_append_only")]


def migrate(to: list[tuple[str, str]]) -> Apps:
    executor = MigrationExecutor(connection)
    executor.migrate(to)
    return executor.loader.project_state(to).apps


def test_rows_of_before() -> None:
    newest = MigrationExecutor(connection).loader.graph.leaf_nodes()
    try:
        learner, reading = _predicted(migrate(BEFORE))
    finally:
        migrate(newest)
    kept = Reading.objects.get(pk=reading)
    assert (kept.limit, kept.trial, kept.version.kind) == (10, False, LessonVersion.Kind.LESSON)
    assert Draw.objects.get().shown_at == NOON, "that of its reading is the nearest"
    event = Event.objects.get()
    assert (event.student_id, event.number, event.stops, event.share) == (learner, 2, 3, Decimal("0.5"))
    assert (event.source, event.answered, event.received_at) == ("rule", True, NOON + timedelta(minutes=1))


def _predicted(old: Apps) -> tuple[int, int]:
    """By a learner in a reading under a limit, as the rows were then."""
    course = old.get_model("courses", "Course").objects.create(slug="old", title="Old")
    item = old.get_model("courses", "Item").objects.create(
        course=course, slug="listening", title="Listening", kind="lesson", points=3
    )
    learner = old.get_model("accounts", "User").objects.create(email="ada@example.org", name="Ada")
    version = old.get_model("lessons", "LessonVersion").objects.create(
        slug="listening", digest="0" * 64, title="Listening", minutes=5, text=small_lesson()
    )
    lesson = old.get_model("lessons", "Lesson").objects.create(item=item, version=version, time_limit=10)
    reading = old.get_model("lessons", "Reading").objects.create(
        lesson=lesson, learner=learner, version=version, started_at=NOON, ends_at=NOON + timedelta(minutes=10)
    )
    draw = old.get_model("lessons", "Draw").objects.create(
        reading=reading,
        question="which-one",
        given={},
        facts={},
        key={"option": "latter"},
        reference_version=1,
    )
    old.get_model("lessons", "Prediction").objects.create(
        draw=draw, posted=["x"], response={"option": "former"}, share=Decimal("0.5"), source="rule",
        committed_at=NOON + timedelta(minutes=1),
    )  # fmt: skip
    return learner.pk, reading.pk
