"""Facts of references that the lessons on a sentence and on masks fill in."""

from __future__ import annotations

import numpy as np
import pytest

from grader.reference import attention, softmax
from softmark.lessons.variants import GENERATORS, REFERENCES, all_variants, fact, shown


def test_the_parts_of_a_blend_sum_to_it() -> None:
    given = {"q": [1, 1], "keys": {"a": [0, 0], "b": [1, 0]}, "values": {"a": [4, 0], "b": [0, 2]}}
    for found in (
        REFERENCES["blend"](given),
        REFERENCES["blend"]({"shares": {"a": 0.25, "b": 0.75}, "values": given["values"]}),
    ):
        parts = [fact(found.facts, f"{token}.part") for token in "ab"]
        assert np.sum(parts, axis=0) == pytest.approx(found.key)
    assert shown(fact(found.facts, "b.part")) == "0, 1.5"
    first = REFERENCES["blend"](given)
    q, k, v = (np.array(rows, dtype=float) for rows in ([[1, 1]], [[0, 0], [1, 0]], [[4, 0], [0, 2]]))
    assert first.key == pytest.approx(attention(q, k, v)[0])


def test_the_blend_of_an_easy_blend_is_no_value() -> None:
    for variant in all_variants("easy_blend", 100, {"tokens": ["animal", "it", "tired"]}):
        found = REFERENCES["blend"](variant)
        assert found.key not in variant["values"].values()
        wrong = [found.mistakes[name] for name in ("plain-mean", "only-the-largest", "plain-sum")]
        assert found.key not in wrong[:2]
    assert "easy_blend" in GENERATORS


def test_a_causal_row_tells_its_scores() -> None:
    scores = [[0, 5, 5], [1, 1, 9], [0, 0, 0]]
    facts = REFERENCES["causal_row"]({"scores": scores, "position": 2}).facts
    assert facts["position_scores"] == [1, 1, 9]
    assert facts["visible_scores"] == [1, 1]
    assert facts["hidden_scores"] == [9]
    assert facts["not_masked"] == pytest.approx(softmax(np.array([1.0, 1, 9])))
