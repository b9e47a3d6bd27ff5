"""The demo's people read lessons: their predictions, drafts that a time limit takes, and those who leave half-way."""

from __future__ import annotations

from datetime import datetime, timedelta
from zlib import crc32

from django.db import transaction
from django.utils import timezone

from softmark.accounts.models import User
from softmark.config.demo.answers import texts_of
from softmark.config.demo.script import Walk
from softmark.lessons.actions import begin, commit, look, settle
from softmark.lessons.compiled import compiled
from softmark.lessons.drawing import seal
from softmark.lessons.models import Lesson
from softmark.lessons.queries import counted


@transaction.atomic
def read(walk: Walk, lesson: Lesson, learner: User, begins: datetime) -> None:
    """Predicts what was not predicted before, at the instants of the script."""
    reading = begin(lesson, learner, begins)
    content, done = compiled(reading.version), counted(reading).predictions
    at = begins
    for (stop, question), (answer, sure) in zip(content.questions.items(), walk.predictions, strict=False):
        turn = crc32(f"{walk.student}/{stop}".encode())
        shown, at = at, at + timedelta(seconds=40 + turn % 200)
        if stop in done:
            continue
        look(reading, shown)
        draw = counted(reading).draws[stop]
        texts = texts_of(question, draw, seal(reading, stop, draw.number), answer == "r", turn)
        commit(reading, stop, texts, sure, at)
    settle(reading, timezone.now())
