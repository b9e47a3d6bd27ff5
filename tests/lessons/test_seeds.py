"""Seeds: no two draws share one, nobody foretells them, and a revisit brings another variant."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from grader.assignment.model import Problems
from softmark.lessons.drawing import variant_for
from softmark.lessons.models import LessonVersion, Reading
from softmark.lessons.variants import Stream, number_of, seal_of
from softmark.lessons.variants.seeds import digest
from softmark.lessons.written.drawn import Question, read_question
from softmark.lessons.written.lesson import Lesson
from tests.factories import shipped_lessons

words = st.text(st.characters(), max_size=6)
parts = st.lists(words | st.integers() | st.binary(max_size=6), max_size=4)


@given(parts, parts)
def test_parts_never_run_into_each_other(one: list[Any], other: list[Any]) -> None:
    assume([(type(part), part) for part in one] != [(type(part), part) for part in other])
    assert digest(b"secret", *one) != digest(b"secret", *other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("ab", "c"), ("a", "bc")),
        (("a", ""), ("", "a")),
        (("a",), ("a", "")),
        ((1, 23), (12, 3)),
        (("1",), (1,)),
        (("1",), (b"1",)),
        (("a" * 256,), ("a" * 255, "a")),
    ],
)
def test_parts_that_look_alike_when_joined(one: tuple[Any, ...], other: tuple[Any, ...]) -> None:
    assert digest(b"secret", *one) != digest(b"secret", *other)


def test_opaque_ids() -> None:
    seal = seal_of(b"secret", "draw")
    assert seal("a") == seal_of(b"secret", "draw")("a")
    assert len({seal("a"), seal("b"), seal_of(b"secret", "other")("a"), seal_of(b"other", "draw")("a")}) == 4
    assert len(seal("a")) == 32
    assert set(seal("a")) <= set("0123456789abcdef")


def test_the_numbers_of_a_stream_stay_the_same() -> None:
    """Written down, so that neither a Python nor an edit changes what variants hold."""
    stream = Stream(b"seed")
    assert [stream.below(100) for _ in range(6)] == [13, 23, 86, 28, 4, 96]
    assert Stream(b"seed").of("q").below(10**9) == 216_489_669


def test_parts_of_a_stream_do_not_move_each_other() -> None:
    quiet, busy = Stream(b"seed"), Stream(b"seed")
    for _ in range(10):
        busy.below(10)
        busy.of("keys").below(10)
    assert [quiet.of("q").below(1000) for _ in range(3)] == [busy.of("q").below(1000) for _ in range(3)]
    assert quiet.of("q").below(10**9) != quiet.of("k").below(10**9)


@given(st.binary(max_size=8), st.lists(st.integers(), min_size=1, max_size=8))
def test_draws_from_a_list(seed: bytes, items: list[int]) -> None:
    stream = Stream(seed)
    assert stream.pick(items) in items
    assert sorted(stream.shuffled(items)) == sorted(items)
    assert len(stream.some(items, 1)) == 1
    assert 0 <= stream.below(3) < 3


def test_all_of_a_list_can_come() -> None:
    stream = Stream(b"seed")
    assert {stream.pick("abc") for _ in range(50)} == set("abc")
    assert len({tuple(stream.shuffled("abc")) for _ in range(100)}) == 6


@given(st.integers(0, 10**9), words, st.integers(2, 12))
def test_none_comes_back_before_all_have_come_nor_twice_running(
    learner: int, question: str, count: int
) -> None:
    drawn = [number_of(b"secret", learner, 1, question, "v1", draw, count) for draw in range(4 * count)]
    for start in range(0, len(drawn), count):
        assert sorted(drawn[start : start + count]) == list(range(count))
    assert all(one != next for one, next in itertools.pairwise(drawn))


def test_the_first_variant_depends_on_everything() -> None:
    def first(
        secret: bytes = b"secret", lesson: int = 1, question: str = "bank", version: str = "v1"
    ) -> list[int]:
        return [number_of(secret, learner, lesson, question, version, 0, 20) for learner in range(400)]

    assert set(first()) == set(range(20))
    others = [first(b"another"), first(lesson=2), first(question="bunk"), first(version="v2")]
    assert first() not in others


def test_one_variant_is_that_one() -> None:
    assert [number_of(b"secret", 1, 1, "bank", "v1", draw, 1) for draw in range(3)] == [0, 0, 0]


def test_the_same_lesson_in_another_course_has_numbers_of_its_own() -> None:
    """Who has seen every key in one course is asked something else in the other."""
    varied = [each for lesson in shipped_lessons() for each in _questions(lesson) if len(each.variants) > 1]
    here, there = (Reading(lesson_id=lesson, version=LessonVersion(digest="d")) for lesson in (1, 2))
    same = 0
    for learner in range(20):
        here.learner_id = there.learner_id = learner
        same += sum(variant_for(here, each, 0) == variant_for(there, each, 0) for each in varied)
    assert same / (20 * len(varied)) < 0.2


def _questions(lesson: Lesson) -> list[Question]:
    read = (read_question(predict, lesson.file, Problems()) for predict in lesson.predicts)
    return [question for question in read if question is not None]
