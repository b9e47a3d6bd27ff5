"""Any way through a lesson, with edits and a clock: predictions stay, in order, and nothing shows through a stop."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from softmark.lessons.actions import Refused, begin, commit, look, save_draft
from softmark.lessons.importing import place
from softmark.lessons.models import Lesson, Prediction, Reading
from softmark.lessons.queries import standing as standing_of
from softmark.lessons.questions import Invalid
from tests.factories import enrol, make_lesson, make_lesson_version
from tests.lessons.answering import posts
from tests.lessons.db.steps import NOON, reachable, right_answer
from tests.lessons.small_lesson import STOPS, canary, small_data, small_lesson

STEPS = st.one_of(
    st.tuples(st.just("begin")),
    st.tuples(st.just("look")),
    st.tuples(st.just("right")),
    st.tuples(st.just("right")),
    st.tuples(st.sampled_from(["commit", "draft"]), st.sampled_from([*STOPS, "no-such"]), posts),
    st.tuples(
        st.sampled_from(["commit", "draft"]), st.just(STOPS[0]), st.sampled_from([["7"], ["8"], ["x"]])
    ),
    st.tuples(st.just("edit")),
    st.tuples(st.just("minutes"), st.integers(1, 8)),
)


class Walk:
    """One learner's, with what they have predicted so far as it must stay."""

    def __init__(self, lesson: Lesson) -> None:
        self.lesson = lesson
        self.learner = enrol(lesson.course)
        self.now = NOON
        self.edits = 0
        self.begun_with = 0
        self.reading: Reading | None = None
        self.seen: dict[str, dict[str, Any]] = {}

    def take(self, step: tuple[Any, ...]) -> None:
        name, *rest = step
        try:
            getattr(self, name)(*rest)
        except (Refused, Invalid):
            pass
        self.check()

    def begin(self) -> None:
        if self.reading is None:
            self.begun_with = self.edits
        self.reading = begin(self.lesson, self.learner, self.now)

    def edit(self) -> None:
        self.edits += 1
        place(self.lesson.course, make_lesson_version(small_lesson(self.edits), small_data(self.edits)))

    def minutes(self, number: int) -> None:
        self.now += timedelta(minutes=number)

    def look(self) -> None:
        self._read(lambda reading: look(reading, self.now))

    def right(self) -> None:
        def answer(reading: Reading) -> None:
            standing = look(reading, self.now)
            if standing.reached is not None:
                done = commit(
                    reading, standing.reached, [right_answer(standing, self.begun_with)], 1, self.now
                )
                assert done.is_new
                assert done.prediction.is_right

        self._read(answer)

    def commit(self, stop: str, posted: list[str]) -> None:
        had = stop in self.seen

        def act(reading: Reading) -> None:
            done = commit(reading, stop, posted, None, self.now)
            assert not (had and done.is_new)

        self._read(act)

    def draft(self, stop: str, posted: list[str]) -> None:
        self._read(lambda reading: save_draft(reading, stop, posted, self.now))

    def _read(self, act: Callable[[Reading], object]) -> None:
        if self.reading is not None:
            act(self.reading)

    def check(self) -> None:
        if self.reading is None:
            return
        rows = {
            row["draw__question"]: row
            for row in Prediction.objects.filter(draw__reading=self.reading).values(
                "id", "draw__question", "posted", "response", "share", "how", "committed_at", "draw__given"
            )
        }
        assert self.seen.items() <= rows.items(), "a prediction has changed or gone"
        self.seen = rows
        done = [stop for stop in STOPS if stop in rows]
        assert done == list(STOPS[: len(done)]), "out of order"
        open_parts = {"part-1"}
        for number, stop in enumerate(done, start=2):
            open_parts |= {
                f"reveal-{stop}",
                f"part-{number}",
                f"data-{number}",
                f"branch-{stop}",
                f"key-{stop}",
            }
        standing = standing_of(self.reading)
        found = reachable(standing)
        assert found <= {canary(where, self.begun_with) for where in open_parts}, "seen through a stop"
        assert canary(f"part-{len(done) + 1}", self.begun_with) in found
        assert (standing.done, standing.reached) == (len(done), [*STOPS, None][len(done)])


@pytest.mark.django_db
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(st.lists(STEPS, max_size=25), st.none() | st.integers(5, 20))
def test_any_way_through_a_lesson(steps: list[tuple[Any, ...]], limit: int | None) -> None:
    with transaction.atomic():
        walk = Walk(make_lesson(time_limit=limit))
        for step in [("begin",), ("look",), *steps]:
            walk.take(step)
        transaction.set_rollback(True)
