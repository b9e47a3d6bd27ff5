"""What the tests of predictions share: answering the small lesson, and seeing what can be seen."""

from __future__ import annotations

import pickle
import re
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

from django.db import connection

from softmark.lessons.actions import Committed, Refused, commit, look
from softmark.lessons.models import Draw, Prediction, Reading
from softmark.lessons.questions import Invalid
from softmark.lessons.signals import committed
from softmark.lessons.standing import Answered, Asked, Standing
from tests.lessons.small_lesson import canary

NOON = datetime(2026, 3, 5, 12, 0, tzinfo=UTC)


@contextmanager
def hearing() -> Iterator[list[Prediction]]:
    """What is announced meanwhile."""
    heard: list[Prediction] = []

    def hear(prediction: Prediction, **_: Any) -> None:
        assert connection.in_atomic_block
        heard.append(prediction)

    committed.connect(hear)
    try:
        yield heard
    finally:
        committed.disconnect(hear)


def draw_at(reading: Reading, stop: str, now: datetime = NOON) -> Draw:
    """What is asked at a stop that is reached."""
    look(reading, now)
    return Draw.objects.get(reading=reading, question=stop, number=0)


def waiting(standing: Standing) -> Asked:
    """The stop that waits."""
    stop = standing.parts[-1].stop
    assert isinstance(stop, Asked)
    return stop


def answered(standing: Standing) -> list[Answered]:
    return [part.stop for part in standing.parts if isinstance(part.stop, Answered)]


def option(standing: Standing, text: str) -> str:
    """The opaque id of an option of the stop that waits."""
    return next(each.id for each in waiting(standing).settings.options if each.text == text)


def right_answer(standing: Standing, edit: int = 0) -> str:
    """At whichever stop waits."""
    stop = waiting(standing)
    return {
        "how-many": lambda: "7",
        "which-one": lambda: option(standing, "The latter"),
        "what-prints": lambda: canary("key-what-prints", edit),
        "in-your-words": lambda: "It is a matter of listening to all of them.",
    }[stop.id]()


def predict(reading: Reading, *posted: str, confidence: int | None = None, now: datetime = NOON) -> Committed:
    """Looks at the page, and answers what it asks."""
    stop = waiting(look(reading, now))
    return commit(reading, stop.id, posted, confidence, now)


def read_to_the_end(reading: Reading, now: datetime = NOON) -> list[Prediction]:
    made = []
    while (standing := look(reading, now)).reached is not None:
        made.append(predict(reading, right_answer(standing), now=now).prediction)
    return made


def reachable(standing: Standing) -> set[str]:
    """The canaries that anything can find that gets hold of it."""
    return set(re.findall(r"canary-[\w-]+?-end", pickle.dumps(standing).decode("latin-1")))


def at_once(number: int, act: Callable[[int], object]) -> list[object]:
    """What came of so many threads that started together: the result or the refusal of each."""
    together = threading.Barrier(number)

    def run(index: int) -> object:
        try:
            connection.ensure_connection()
            together.wait(60)
            return act(index)
        except (Refused, Invalid) as refused:
            return refused
        finally:
            connection.close()

    with ThreadPoolExecutor(number) as pool:
        return list(pool.map(run, range(number)))
