"""What a class's predictions say of the questions."""

from __future__ import annotations

from itertools import count

import pytest
from django.utils.safestring import SafeString
from hypothesis import given
from hypothesis import strategies as st

from softmark.lessons.item_analysis import LEAST, Made, discrimination, items_of
from softmark.lessons.pages.results import QuestionResult

shares = st.sampled_from([0.0, 0.25, 0.5, 1.0])
classes = st.lists(st.dictionaries(st.sampled_from("abcd"), shares, max_size=4), max_size=30)


def made(student: int, question: str, share: float, **fields: object) -> Made:
    return Made(student, question, True, True, share, **fields)  # type: ignore[arg-type]


def by_student(rows: list[dict[str, float]]) -> dict[int, dict[str, float]]:
    return dict(zip(count(), rows, strict=False))


class TestItems:
    def test_of_nothing(self) -> None:
        assert items_of([]) == {}

    def test_what_is_counted(self) -> None:
        item = items_of(
            [
                made(1, "a", 1, seconds=10, confidence=4),
                made(2, "a", 0.5, seconds=30, confidence=4),
                made(3, "a", 0, seconds=None),
                Made(4, "a", answered=False, judged=True, share=0),
                Made(5, "a", answered=True, judged=False, share=1, confidence=1, seconds=90),
            ]
        )["a"]
        assert (item.answers, item.unanswered, item.judged) == (4, 1, 3)
        assert item.share == 0.5
        assert item.right == pytest.approx(1 / 3)
        assert item.seconds == 30
        assert item.calibration is not None
        assert item.calibration.count == 2, "only what is judged, and has a word"
        assert item.calibration.right == 0.5

    def test_less_than_all_never_looks_like_all(self) -> None:
        item = items_of([made(student, "a", float(student > 0)) for student in range(250)])["a"]
        result = QuestionResult("a", 1, SafeString(), 1, item, (), (), None, False, 0)
        figures = dict(result.figures)
        assert figures["All right"] == figures["Mean share"] == "99\N{NO-BREAK SPACE}%"

    def test_a_text_that_nobody_judged(self) -> None:
        item = items_of([Made(1, "a", answered=True, judged=False, share=1)])["a"]
        assert (item.answers, item.share, item.right, item.calibration) == (1, None, None, None)


class TestDiscrimination:
    def test_who_is_good_elsewhere_is_good_here(self) -> None:
        rows = [{"a": share, "b": share, "c": share} for share in [0.0, 1.0] * 6]
        assert discrimination("a", by_student(rows)) == pytest.approx(1)

    def test_a_wrong_key(self) -> None:
        rows = [{"a": 1 - share, "b": share} for share in [0.0, 1.0] * 6]
        assert discrimination("a", by_student(rows)) == pytest.approx(-1)

    def test_by_hand(self) -> None:
        """The point-biserial correlation: (1 - 0.4) / s * sqrt(p q), with s the deviation of the others' means."""
        rows = (
            [dict.fromkeys("abc", 1.0)] * 5
            + [{"a": 0.0, "b": 1.0, "c": 0.0}] * 4
            + [dict.fromkeys("abc", 0.0)]
        )
        others = [1.0] * 5 + [0.5] * 4 + [0.0]
        mean = sum(others) / 10
        deviation = (sum((each - mean) ** 2 for each in others) / 10) ** 0.5
        assert discrimination("a", by_student(rows)) == pytest.approx((1 - 0.4) / deviation * 0.5)

    @pytest.mark.parametrize(
        "rows",
        [
            [{"a": share, "b": share} for share in [0.0, 1.0, 1.0] * 3],
            [{"a": 1.0, "b": share} for share in [0.0, 1.0] * 6],
            [{"a": share, "b": 0.1} for share in [0.0, 1.0] * 6],
            [{"a": share} for share in [0.0, 1.0] * 6],
            [],
        ],
        ids=["too few", "all the same here", "all the same elsewhere", "nothing elsewhere", "nobody"],
    )
    def test_where_there_is_none(self, rows: list[dict[str, float]]) -> None:
        assert discrimination("a", by_student(rows)) is None

    @given(classes)
    def test_what_holds_of_every_class(self, rows: list[dict[str, float]]) -> None:
        found = discrimination("a", by_student(rows))
        assert found == pytest.approx(discrimination("a", by_student(rows[::-1])))
        if found is None:
            return
        assert -1 <= found <= 1
        assert sum("a" in row and len(row) > 1 for row in rows) >= LEAST
        turned = [row | {"a": 1 - row["a"]} if "a" in row else row for row in rows]
        assert discrimination("a", by_student(turned)) == pytest.approx(-found)
