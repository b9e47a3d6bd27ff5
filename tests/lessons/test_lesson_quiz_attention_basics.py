"""Every number in the quiz on the basics of attention comes out, in all its variants, and what it claims holds."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path

import numpy as np
import pytest

from grader.assignment.model import Problems
from grader.reference import softmax
from softmark.lessons.written.drawn import Question, read_question
from softmark.lessons.written.folder import check_texts
from softmark.lessons.written.lesson import Lesson

FILE = Path(__file__).parents[2] / "fixtures" / "lessons" / "quiz-attention-basics.md"
SOURCE = FILE.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def quiz() -> Lesson:
    checked = check_texts(FILE.name, SOURCE, {})
    assert not checked.problems
    return checked.lessons[0]


@pytest.fixture(scope="module")
def questions(quiz: Lesson) -> dict[str, Question]:
    read = (read_question(predict, FILE.name, Problems()) for predict in quiz.predicts)
    return {question.predict.id: question for question in read if question is not None}


def test_it_is_a_quiz_of_five_types(quiz: Lesson, questions: dict[str, Question]) -> None:
    assert (quiz.kind, quiz.id) == ("quiz", FILE.stem)
    assert {name: (question.type.name, len(question.variants)) for name, question in questions.items()} == {
        "score-of-a-pair": ("number", 20),
        "who-gets-most": ("order", 20),
        "behind-the-mask": ("vector", 20),
        "why-the-root": ("choice", 1),
        "equal-weights": ("output", 1),
    }


def test_scores_and_their_order(questions: dict[str, Question]) -> None:
    for variant in questions["score-of-a-pair"].variants:
        given = variant.given
        assert variant.key.value == np.dot(given["q"], given["keys"]["cat"])
        assert given["d_k"] == 4, "its reveal says that the root is 2"
        assert variant.mistakes["scaled-already"] == variant.key.value / 2
    for variant in questions["who-gets-most"].variants:
        given = variant.given
        scores = {token: float(np.dot(given["q"], key)) for token, key in given["keys"].items()}
        by_score = sorted(scores, key=scores.__getitem__, reverse=True)
        assert [set(rank) for rank in variant.key.ranks] == [{token} for token in by_score]
        assert scores == {token: variant.facts[token]["score"] for token in scores}
        shares = softmax(np.array([scores[token] for token in by_score]) / given["d_k"] ** 0.5)
        assert np.all(np.diff(shares) < 0), "the softmax keeps the order"


def test_nobody_reckons_the_same_score_twice(questions: dict[str, Question]) -> None:
    first, second = (
        {(*variant.given["q"], *variant.given["keys"]["cat"]) for variant in questions[name].variants}
        for name in ("score-of-a-pair", "who-gets-most")
    )
    assert not first & second


def test_rows_behind_the_mask(questions: dict[str, Question]) -> None:
    for variant in questions["behind-the-mask"].variants:
        row, position = variant.given["scores"][variant.given["position"] - 1], variant.given["position"]
        assert len(set(row[:position])) == 1, "its reveal says that they are all alike"
        seen = softmax(np.array(row[:position], float))
        assert np.allclose([float(value) for value in variant.key.values[0]], [*seen, *[0] * (4 - position)])
        after = np.array(variant.mistakes["masked-after-softmax"])
        assert after.sum() < 0.99, "its row does not sum to 1"


def test_the_spread_of_scores_grows_like_the_root() -> None:
    draw = np.random.default_rng(1)
    for d_k in (4, 64, 256):
        scores = (draw.standard_normal((20_000, d_k)) * draw.standard_normal((20_000, d_k))).sum(axis=1)
        assert scores.std() / np.sqrt(d_k) == pytest.approx(1, abs=0.05)


def test_the_snippet_prints_it(questions: dict[str, Question]) -> None:
    question, said = questions["equal-weights"], io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(question.settings.snippet, {})
    printed = question.type.read([said.getvalue()], question.settings, str)
    assert question.type.grade(printed, question.variants[0].key, question.settings).right
