"""How answers are counted together, and that a class sees nothing by which one of it is known."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.assignment.model import Problems
from softmark.lessons.histogram import LEAST, SMALL, Alike, Bin, bins_of, has_bins, merged
from softmark.lessons.written.drawn import Question, read_question
from softmark.lessons.written.source import read_lesson

counts = st.lists(st.integers(1, 12), max_size=10)


def question(values: str) -> Question:
    problems = Problems()
    head = "---\nid: a\ntitle: A\nminutes: 1\n---\n"
    text = f"{head}::::{{predict}} a\n---\n{values}\n---\nWhat?\n+++ reveal\nThat.\n::::\n"
    lesson = read_lesson("a.md", text, problems)
    assert lesson is not None
    found = read_question(lesson.predicts[0], "a.md", problems)
    assert not problems.sorted()
    assert found is not None
    return found


NUMBER = question("type: number\nanswer: 7\natol: 0.5")
CHOICE = question("type: choice\noptions: {one: The first, two: The second}\nanswer: two")
TOKEN = question("type: token\ntokens: [the, river, bank]\nanswer: [river, bank]")
ORDER = question("type: order\nitems: {low: Low, high: High}\nanswer: [low, high]")
VECTOR = question("type: vector\nshape: 2\nanswer: [1, 2]\natol: 0")
OUTPUT = question("type: output\nsnippet: print(1)\nanswer: '1'")
WORDS = question("type: free_text\nmodel: m\nideas: [a, b, c]")
VARIED = question(
    "type: number\nanswer: {ref: projections}\nvariants: {gen: sequence_length, count: 5}"
)  # fmt: skip


def told(question: Question, *answers: Alike) -> list[tuple[str, int, bool, str]]:
    between = question.type.between
    return [
        (between.join(each.answer), each.count, each.right, each.error) for each in bins_of(question, answers)
    ]


def number(raw: str, value: float | str, right: bool = False, **fields: Any) -> Alike:
    return Alike({"raw": raw, "value": value}, right, **fields)


def grid(raw: list[str], values: list[float], right: bool = False, **fields: Any) -> Alike:
    return Alike({"raw": [raw], "values": [values]}, right, **fields)


class TestBins:
    def test_numbers_by_their_value(self) -> None:
        assert told(
            NUMBER, number("1.5", 1.5), number("3/2", 1.5, count=3), number("7", 7, True), number("7.2", 7.2, True),
            number("−2", -2),
        ) == [("1.5", 4, False, ""), ("7", 2, True, ""), ("−2", 1, False, "")]  # fmt: skip

    def test_choices_by_what_was_picked(self) -> None:
        assert told(
            CHOICE, Alike({"option": "one"}, False, count=2), Alike({"option": "two"}, True, count=5)
        ) == [("The second", 5, True, ""), ("The first", 2, False, "")]
        both = question("type: choices\noptions: {one: The a · b, two: The c}\nanswer: [one, two]")
        (found,) = bins_of(both, [Alike({"options": ["one", "two"]}, True)])
        assert found.answer == ("The a · b", "The c")

    def test_several_tokens_may_be_right(self) -> None:
        found = told(TOKEN, Alike({"place": 1}, True), Alike({"place": 2}, True), Alike({"place": 0}, False))
        assert found == [("bank", 1, True, ""), ("river", 1, True, ""), ("the", 1, False, "")]

    def test_an_order_with_its_mistake(self) -> None:
        answer = Alike({"items": ["high", "low"]}, False, error="reversed")
        assert told(ORDER, answer) == [("High → Low", 1, False, "reversed")]

    @pytest.mark.parametrize("asked", [VECTOR, OUTPUT, VARIED], ids=lambda each: each.type.name)
    def test_what_has_too_many_answers_by_its_mark(self, asked: Question) -> None:
        answers = [
            Alike({}, True, count=3), Alike({}, False, error="transposed", count=2), Alike({}, False, partly=True),
            Alike({}, False), Alike({}, False),
        ]  # fmt: skip
        found = bins_of(asked, answers)
        assert [(each.count, each.right, each.error, each.partly) for each in found] == [
            (3, True, "", False),
            (2, False, "transposed", False),
            (2, False, "", False),
            (1, False, "", True),
        ]
        assert {each.answer for each in found} == {()}

    def test_the_staff_see_every_way_to_be_wrong(self) -> None:
        answers = [
            grid(["1", "2"], [1, 2], right=True), grid(["1.1", "2"], [1.1, 2], right=True),
            grid(["0.5", "2"], [0.5, 2], count=2), grid(["1/2", "2"], [0.5, 2]),
            grid(["2", "1"], [2, 1], error="turned"),
        ]  # fmt: skip
        found = bins_of(VECTOR, answers, each_way=True)
        assert [(each.answer, each.count, each.right, each.error) for each in found] == [
            (("[0.5, 2]",), 3, False, ""),
            (("[1, 2]",), 2, True, ""),
            (("[2, 1]",), 1, False, "turned"),
        ]
        lines = [Alike({"text": text}, right=False) for text in ("(1,2)\n3", "( 1, 2)\n3 ", "(1,2) 3")]
        assert [(each.answer, each.count) for each in bins_of(OUTPUT, lines, each_way=True)] == [
            (("( 1, 2)\n3",), 2),
            (("(1,2) 3",), 1),
        ]
        lines = [Alike({"text": "a\nb"}, right=True), Alike({"text": "right"}, right=False)]
        right, wrong = bins_of(OUTPUT, lines, each_way=True)
        assert (right.right, wrong.right, wrong.answer) == (True, False, ("right",))
        assert bins_of(VARIED, [number("5", 5)], each_way=True) == bins_of(VARIED, [number("5", 5)])

    def test_a_text_has_none(self) -> None:
        assert not has_bins(WORDS)
        assert all(map(has_bins, (NUMBER, CHOICE, TOKEN, ORDER, VECTOR, OUTPUT, VARIED)))

    def test_ones_own_is_known_among_others(self) -> None:
        found = bins_of(NUMBER, [number("1", 1), number("1.0", 1, mine=True), number("2", 2, count=3)])
        assert [(each.answer, each.mine) for each in found] == [(("2",), False), (("1",), True)]

    @given(st.permutations([number(str(each), each % 4, each % 4 == 3) for each in range(12)]))
    def test_the_order_of_answers_does_not_matter(self, answers: list[Alike]) -> None:
        assert bins_of(NUMBER, answers) == bins_of(NUMBER, answers[::-1])


def bins(numbers: list[int]) -> list[Bin]:
    return [Bin(str(name), count, answer=(str(name),)) for name, count in enumerate(numbers)]


class TestWhatAClassSees:
    @pytest.mark.parametrize(
        ("numbers", "seen"),
        [
            ([], []),
            ([9], []),
            ([5, 4], []),
            ([10], [10]),
            ([7, 3], [7, 3]),
            ([9, 1, 1, 1], [9, 3]),
            ([9, 4, 1], [9, 5]),
            ([9, 1], [10]),
            ([8, 1, 1], [10]),
            ([1] * 12, [12]),
        ],
    )
    def test_small_ones_become_one(self, numbers: list[int], seen: list[int]) -> None:
        assert [each.count for each in merged(bins(numbers))] == seen

    def test_what_became_one_says_so(self) -> None:
        first, last = merged([Bin("a", 9), Bin("b", 2, right=True), Bin("c", 1, mine=True)])
        assert (first.merged, first.right, first.mine) == (False, False, False)
        assert (last.merged, last.right, last.mine, last.answer) == (True, True, True, ())

    @given(counts)
    def test_nobody_is_known_by_it(self, numbers: list[int]) -> None:
        seen = merged(bins(numbers))
        if sum(numbers) < LEAST:
            assert seen == ()
            return
        assert sum(each.count for each in seen) == sum(numbers)
        assert all(each.count >= SMALL for each in seen)
        assert [each.merged for each in seen[:-1]] == [False] * (len(seen) - 1)

    @given(counts)
    def test_it_tells_as_much_as_it_may(self, numbers: list[int]) -> None:
        """Nothing is merged where nothing is small, and large ones are only as far as it takes."""
        seen = merged(bins(numbers))
        small = [each for each in numbers if each < SMALL]
        if sum(numbers) < LEAST:
            return
        apart = [each for each in seen if not each.merged]
        large = len(numbers) - len(small)
        assert len(apart) == large if not small or sum(small) >= SMALL else len(apart) == large - 1

    @given(counts, st.randoms())
    def test_the_order_of_bins_does_not_matter(self, numbers: list[int], random: Any) -> None:
        some = bins(numbers)
        shuffled = list(some)
        random.shuffle(shuffled)
        assert merged(some) == merged(shuffled)
