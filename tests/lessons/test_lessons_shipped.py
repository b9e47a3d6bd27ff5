"""What holds for each lesson that is shipped, and for all of them together."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.assignment.model import Problems
from softmark.lessons.questions import TYPES
from softmark.lessons.written.drawn import Question, read_question
from softmark.lessons.written.lesson import Block, Blocks, Lesson, Text
from softmark.lessons.written.render import named_in
from softmark.lessons.written.source import read_lesson
from softmark.lessons.written.widgets import KINDS

ROOT = Path(__file__).parents[2]
ASSIGNMENTS = {path.name for path in (ROOT / "assignments").iterdir()}
FILES = sorted((ROOT / "fixtures" / "lessons").glob("*.md"))
LESSONS = [path.stem for path in FILES]
WORDS_A_MINUTE = 200
HEADINGS = ["## What a real model does differently", "## What to remember", "## What comes next"]

each_lesson = pytest.mark.parametrize("name", [name for name in LESSONS if not name.startswith("quiz-")])


@pytest.fixture(scope="module")
def shipped() -> dict[str, Lesson]:
    """As they are written; the test of each checks it."""
    read = (read_lesson(path.name, path.read_text("utf-8"), Problems()) for path in FILES)
    return {lesson.id: lesson for lesson in read if lesson is not None}


def questions(lesson: Lesson) -> list[Question]:
    read = (read_question(predict, lesson.file, Problems()) for predict in lesson.predicts)
    return [question for question in read if question is not None]


def read_by_all(lesson: Lesson) -> Iterator[Block]:
    """Without what only those read who gave a certain wrong answer."""
    for part in lesson.parts:
        yield from part.blocks
        if part.predict is not None:
            yield from (*part.predict.prompt, *part.predict.reveal)


def text_of(blocks: Blocks) -> str:
    return "\n\n".join(block.source for block in blocks if isinstance(block, Text))


def test_there_are_six_and_a_quiz(shipped: dict[str, Lesson]) -> None:
    assert list(shipped) == LESSONS
    assert sorted(lesson.kind for lesson in shipped.values()) == ["lesson"] * 6 + ["quiz"]


@each_lesson
def test_predictions_and_minutes(shipped: dict[str, Lesson], name: str) -> None:
    lesson = shipped[name]
    asked = questions(lesson)
    assert 3 <= len(asked) <= 6
    assert any(len(question.variants) > 1 for question in asked)
    minutes = len(text_of(tuple(read_by_all(lesson))).split()) / WORDS_A_MINUTE + len(asked)
    assert 10 <= lesson.minutes <= 20
    assert lesson.minutes == pytest.approx(minutes, abs=2)


@each_lesson
def test_how_it_ends(shipped: dict[str, Lesson], name: str) -> None:
    last = text_of(shipped[name].parts[-1].blocks)
    assert [line for line in last.splitlines() if line in HEADINGS] == HEADINGS
    follows = last.partition(HEADINGS[-1])[2]
    assert {each.name for each in named_in(follows) if each.kind == "item"} & ASSIGNMENTS


def test_links_lead_somewhere(shipped: dict[str, Lesson]) -> None:
    """Names are unique in a course, where lessons and assignments stand together; nothing links to itself."""
    assert not ASSIGNMENTS & set(shipped)
    for lesson in shipped.values():
        linked = {each.name for each in named_in(text_of(tuple(lesson.blocks))) if each.kind == "item"}
        assert linked <= (ASSIGNMENTS | set(shipped)) - {lesson.id}


def test_every_type_and_widget_is_used(shipped: dict[str, Lesson]) -> None:
    asked = {question.type.name for lesson in shipped.values() for question in questions(lesson)}
    assert asked == set(TYPES)
    blocks = [block for lesson in shipped.values() for block in lesson.blocks]
    assert {block.kind for block in blocks if not isinstance(block, Text)} == set(KINDS)


@pytest.mark.parametrize("name", LESSONS)
def test_known_mistakes_are_told_why(shipped: dict[str, Lesson], name: str) -> None:
    """By a text of its own, or by that of another mistake which gives the same answer."""
    for question in questions(shipped[name]):
        told = {branch.answer for branch in question.predict.branches}
        for variant in question.variants:
            answers = [answer for mistake, answer in variant.mistakes.items() if mistake in told]
            untold = [mistake for mistake, answer in variant.mistakes.items() if answer not in answers]
            assert not untold, question.predict.id


@pytest.mark.parametrize("name", LESSONS)
def test_wrong_options_are_told_why(shipped: dict[str, Lesson], name: str) -> None:
    """Of a single choice, each; and the right one is not told by its length."""
    for question in questions(shipped[name]):
        if question.type.name != "choice":
            continue
        right = question.variants[0].key.option
        told = {branch.answer for branch in question.predict.branches}
        assert told == {option.id for option in question.settings.options} - {right}
        lengths = {option.id: len(option.text) for option in question.settings.options}
        assert lengths.pop(right) <= 1.25 * max(lengths.values())
