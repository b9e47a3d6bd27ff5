"""Speed and memory checks, on a clock and scales that say what the test wants, and in this very process."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from decimal import Decimal
from itertools import count, cycle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.assignment import CheckSpec
from grader.checks import Call, Check, Draw, Failed, LocalStudent, Result, memory_check, speed_check
from grader.checks import measured as module
from grader.checks.student import Measurable
from grader.checks.yardstick import yardstick
from grader.compare import Answers
from grader.interface import ONE_ARRAY, Returns
from grader.judge import BrokenAssignment, Bundle, load_checks, run
from grader.reference import Expected, expected_attention
from grader.report import Verdict, Visibility

BANDS = ((2.2, 1), (4, 0.5))
MB = 1 << 20
Times = Iterator[float]


def attention(q: np.ndarray, k: np.ndarray, v: np.ndarray) -> np.ndarray:
    scores = q @ k.swapaxes(-1, -2) / np.sqrt(np.float32(q.shape[-1]))
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return np.asarray(weights / weights.sum(-1, keepdims=True) @ v)


def blocked(q: np.ndarray, k: np.ndarray, v: np.ndarray) -> np.ndarray:
    return np.concatenate([attention(q[a : a + 64], k, v) for a in range(0, len(q), 64)])


class Scripted(LocalStudent):
    """Answers rightly or not, in times and with an amount of memory that the test says.

    The channel takes 1, the two matmuls 10 besides: a student that takes 11 takes once as long.
    """

    def __init__(
        self, function: Callable[..., Any] = attention, student: Times | None = None,
        matmuls: Times | None = None, nothing: Times | None = None, taken: int = 0,
    ) -> None:  # fmt: skip
        super().__init__(function)
        self._times = {
            "student": student or cycle([11.0]),
            "matmuls": matmuls or cycle([11.0]),
            "nothing": nothing or cycle([1.0]),
        }
        self._taken = taken
        self.asked: list[str] = []

    def timed(self, call: Call, shapes: Sequence[tuple[int, ...]]) -> tuple[Answers, float]:
        self.asked.append("student")
        return super().timed(call, shapes)[0], next(self._times["student"])

    def yardstick(self, call: Call, shapes: Sequence[tuple[int, ...]]) -> float:
        super().yardstick(call, shapes)
        self.asked.append(str(call.args[0]))
        return next(self._times[self.asked[-1]])

    def weighed(
        self, call: Call, shapes: Sequence[tuple[int, ...]], nothing: Call
    ) -> tuple[Answers, int]:  # fmt: skip
        return super().weighed(call, shapes, nothing)[0], self._taken

    @property
    def rounds(self) -> int:
        return self.asked.count("student")


def inputs(draw: Draw) -> Call:
    return Call(*(draw.normal(2, 16, 8) for _ in range(3)))


def fast(**options: Any) -> Check:
    check = speed_check("fast", expected_attention, **({"bands": BANDS} | options))(inputs)
    assert check.timed
    return check


def result_of(student: Measurable, check: Check | None = None) -> Result:
    result = (check or fast()).run(student, 7)
    assert result is not None
    return result


def failure_of(student: Measurable, check: Check | None = None) -> Failed:
    with pytest.raises(Failed) as caught:
        (check or fast()).run(student, 7)
    return caught.value


def at(ratio: float) -> Times:
    return cycle([1 + 10 * ratio])


@pytest.mark.parametrize(
    ("ratio", "share"), [(0.8, 1), (1.0, 1), (2.19, 1), (2.21, 0.5), (3.99, 0.5)], ids=str
)
def test_a_band_gives_its_share_and_says_why(ratio: float, share: float) -> None:
    result = result_of(Scripted(student=at(ratio)))
    assert (result.verdict, result.share, result.flag) == (Verdict.PASSED, share, "")
    assert result.message == (
        f"It takes {ratio:.2f} times as long as the two bare matmuls; full points up to 2.2 times, 50% up to 4."
    )


def test_beyond_the_last_band_the_time_is_up() -> None:
    failed = failure_of(Scripted(student=at(4.1)))
    assert failed.verdict is Verdict.TIME_LIMIT
    assert failed.message.startswith("It takes 4.10 times as long")
    assert failed.observations == ()


def test_rounds_are_interleaved_with_new_numbers_in_each() -> None:
    seen: list[bytes] = []

    def student(q: np.ndarray, k: np.ndarray, v: np.ndarray) -> np.ndarray:
        seen.append(q.tobytes())
        return attention(q, k, v)

    scripted = Scripted(student)
    result_of(scripted)
    assert scripted.rounds == module.ROUNDS == 9
    for start in range(0, len(scripted.asked), 3):
        assert sorted(scripted.asked[start : start + 3]) == ["matmuls", "nothing", "student"]
    assert len(set(seen)) == len(seen) == module.ROUNDS + 2
    orders = {tuple(scripted.asked[start : start + 3]) for start in range(0, 27, 3)}
    assert len(orders) > 1


def test_a_wrong_answer_is_never_timed() -> None:
    student = Scripted(lambda q, k, v: 2 * attention(q, k, v), student=at(100))
    failed = failure_of(student)
    assert failed.verdict is Verdict.WRONG_ANSWER
    assert failed.observations == ()  # known mistakes would take long on inputs as long as these
    assert student.asked == []


SMALL = {"small": lambda draw: Call(*(draw.normal(2, 3, 8) for _ in range(3)))}
WITH_SMALL = {
    "speed": fast(**SMALL),
    "memory": memory_check("memory", expected_attention, most_mb=1, **SMALL)(inputs),
}  # fmt: skip


@pytest.mark.parametrize("check", WITH_SMALL.values(), ids=WITH_SMALL)
def test_what_is_wrong_with_small_calls_is_told_and_can_be_named_before_a_long_one_is_asked(
    check: Check,
) -> None:
    lengths: list[int] = []

    def doubled(q: np.ndarray, k: np.ndarray, v: np.ndarray) -> np.ndarray:
        lengths.append(q.shape[-2])
        return 2 * attention(q, k, v)

    failed = failure_of(Scripted(doubled), check)
    assert failed.verdict is Verdict.WRONG_ANSWER
    assert len(failed.observations) == 2
    assert lengths == [3, 3]


@pytest.mark.parametrize("check", WITH_SMALL.values(), ids=WITH_SMALL)
def test_small_calls_that_are_right_are_followed_by_long_ones(check: Check) -> None:
    check.run(Scripted(), 7)
    wrong_if_long = Scripted(lambda q, k, v: attention(q, k, v) * (q.shape[-2] == 3))
    assert failure_of(wrong_if_long, check).observations == ()


@pytest.mark.parametrize("wrong", range(9))
def test_of_the_answers_that_were_timed_the_fastest_is_checked(wrong: int) -> None:
    """A wrong one would best be fast, whichever of them it is."""
    calls = count(-2)

    def student(q: np.ndarray, k: np.ndarray, v: np.ndarray) -> np.ndarray:
        return attention(q, k, v) * (next(calls) != wrong)

    seconds = iter([20.0 - (index == wrong) for index in range(9)])
    failed = failure_of(Scripted(student, student=seconds))
    assert failed.verdict is Verdict.WRONG_ANSWER
    assert failed.observations == ()  # known mistakes would take long on inputs as long as these


def test_any_other_is_checked_as_well() -> None:
    """Wrong in the fourth of those that were timed, though not fast: that is found once in eight times."""

    def is_found() -> bool:
        calls = count(-2)
        student = Scripted(lambda *inputs: attention(*inputs) * (next(calls) != 3))
        with suppress(Failed):
            return fast().run(student, 7) is None
        return True

    found = [is_found() for _ in range(60)]
    assert True in found
    assert False in found


def test_a_replayed_answer_is_wrong() -> None:
    answers: list[np.ndarray] = []

    def student(q: np.ndarray, k: np.ndarray, v: np.ndarray) -> np.ndarray:
        answers.append(attention(q, k, v))
        return answers[min(len(answers), 3) - 1]  # the third one for ever

    assert failure_of(Scripted(student)).verdict is Verdict.WRONG_ANSWER


NOISE = [11.0, 12.0, 30.0, 11.0, 45.0, 12.0, 35.0, 11.0, 90.0]


def test_a_noisy_machine_costs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PATIENCE_SECONDS", 0.0)
    student = Scripted(student=at(10), matmuls=cycle(NOISE))
    result = result_of(student)
    assert (result.verdict, result.share, result.flag) == (Verdict.NOT_MEASURED, 1, "")
    assert "too busy" in result.message
    assert "costs nothing" in result.message
    assert student.rounds == 9


def test_a_noisy_machine_is_given_more_rounds() -> None:
    noisy_at_first = Scripted(student=at(3), matmuls=iter([*NOISE, *[11.0] * 18]))
    assert result_of(noisy_at_first).share == 0.5
    assert 9 < noisy_at_first.rounds < 27
    always = Scripted(student=at(10), matmuls=cycle(NOISE))
    assert result_of(always).verdict is Verdict.NOT_MEASURED
    assert always.rounds == module.MOST_ROUNDS == 27


def test_what_no_noise_can_explain_is_slow_on_any_machine() -> None:
    student = Scripted(student=at(40), matmuls=cycle(NOISE))
    assert failure_of(student).verdict is Verdict.TIME_LIMIT
    assert student.rounds == 3


def test_noise_is_no_question_where_there_are_all_points() -> None:
    student = Scripted(student=cycle([20.0]), matmuls=cycle(NOISE))
    result = result_of(student)
    assert (result.verdict, result.share) == (Verdict.PASSED, 1)
    assert student.rounds == 9


def test_a_student_makes_no_noise() -> None:
    """Whatever times it takes, whether anything can be measured is up to the yardstick."""
    times = cycle([12.0, 500.0, 3.0, 900.0, 50.0])
    assert failure_of(Scripted(student=times)).verdict is Verdict.TIME_LIMIT


def test_where_there_is_no_hope_there_are_few_rounds() -> None:
    student = Scripted(student=at(40))
    assert failure_of(student).verdict is Verdict.TIME_LIMIT
    assert student.rounds == 3


def test_too_little_work_is_not_measured() -> None:
    result = result_of(Scripted(student=at(3), matmuls=cycle([1.5])))
    assert result.verdict is Verdict.NOT_MEASURED
    assert "too little work" in result.message


@pytest.mark.parametrize(
    ("ratio", "below", "flagged"), [(0.69, 0.7, True), (0.71, 0.7, False), (0.36, 0.35, False), (0.3, 0.35, True)]
)  # fmt: skip
def test_what_is_too_fast_is_flagged_and_loses_nothing(ratio: float, below: float, flagged: bool) -> None:
    result = result_of(Scripted(student=at(ratio)), fast(suspicious_below=below))
    assert (result.verdict, result.share) == (Verdict.PASSED, 1)
    assert bool(result.flag) is flagged
    assert "should" not in result.message


def test_nothing_is_taken_for_faster_than_nothing() -> None:
    result = result_of(Scripted(student=cycle([0.5])))
    assert result.message.startswith("It takes 0.00 times")


def late(rounds: int) -> Times:
    yield from [11.0] * rounds
    raise Failed(Verdict.TIME_LIMIT, "One call may take 2 s.")


def test_a_limit_on_the_wall_clock_is_no_loss_on_a_crowded_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    student = Scripted(student=late(2))
    assert failure_of(student).message == "One call may take 2 s."
    monkeypatch.setattr(module, "CROWDED", 0.0)  # of any machine
    assert result_of(Scripted(student=late(2))).verdict is Verdict.NOT_MEASURED


def test_whether_a_machine_is_crowded_is_found_out_where_it_is_not_known_yet() -> None:
    student = Scripted(student=late(0))
    assert failure_of(student).verdict is Verdict.TIME_LIMIT
    assert student.asked.count("matmuls") == 3


def test_other_failures_in_the_middle_are_failures() -> None:
    calls = count()

    def student(q: np.ndarray, k: np.ndarray, v: np.ndarray) -> np.ndarray:
        if next(calls) == 5:
            raise ValueError
        return attention(q, k, v)

    assert failure_of(Scripted(student)).verdict is Verdict.EXCEPTION


@pytest.mark.parametrize(
    "bands",
    [
        [],
        [(2.2, 0.5)],
        [(2.2, 1), (2.2, 0.5)],
        [(4, 1), (2.2, 0.5)],
        [(2.2, 1), (4, 1)],
        [(0, 1)],
        [(2, 1), (3, 0)],
    ],
)  # fmt: skip
def test_bands_are_in_order(bands: list[tuple[float, float]]) -> None:
    with pytest.raises(ValueError, match="bands of fast"):
        fast(bands=bands)


# -- memory


def weighed(function: Callable[..., Any], taken: int) -> None:
    memory_check("small", expected_attention, most_mb=24)(inputs).run(Scripted(function, taken=taken), 7)


def test_memory_has_a_limit() -> None:
    weighed(attention, 24 * MB)
    with pytest.raises(Failed) as caught:
        weighed(attention, 24 * MB + 1)
    assert caught.value.verdict is Verdict.MEMORY_LIMIT
    assert "more than the 24 MB that it may take beside its inputs and its result." in caught.value.message
    with pytest.raises(Failed) as caught:
        weighed(attention, 70 * MB)
    assert "about 3 times as much" in caught.value.message


@pytest.mark.parametrize("wrong", [0, 1])
def test_a_wrong_answer_is_wrong_whatever_it_weighs(wrong: int) -> None:
    calls = count()
    with pytest.raises(Failed) as caught:
        weighed(lambda *inputs: attention(*inputs) * (next(calls) != wrong), 100 * MB)
    assert caught.value.verdict is Verdict.WRONG_ANSWER
    assert caught.value.observations == ()  # known mistakes would take long on inputs as long as these


def test_a_memory_check_is_not_timed() -> None:
    assert not memory_check("small", expected_attention, most_mb=24)(inputs).timed


# -- in this process, for real


def test_no_square_array_can_be_asked_for() -> None:
    @memory_check("no-square", expected_attention, most_mb=2)
    def long(draw: Draw) -> Call:
        return Call(*(draw.normal(1024, 8) for _ in range(3)))

    assert long.run(LocalStudent(blocked), 0) is None
    assert failure_of(LocalStudent(attention), long).verdict is Verdict.MEMORY_LIMIT


@given(megabytes=st.integers(0, 6))
def test_what_is_taken_is_told(megabytes: int) -> None:
    def takes(x: np.ndarray) -> np.ndarray:
        np.ones(megabytes << 17)
        return np.ones(1 << 17)

    x = np.zeros(3)
    answers, taken = LocalStudent(takes).weighed(Call(x), [(1 << 17,)], Call("nothing", "[]", x))
    assert answers.parts[0].array is not None
    assert abs(taken - max(0, megabytes - 1) * MB) < MB // 10


def test_what_is_returned_of_the_inputs_takes_nothing() -> None:
    x = np.ones(1 << 20)
    _, taken = LocalStudent(lambda x: x).weighed(Call(x), [x.shape], Call("nothing", "[]", x))
    assert taken == 0


def test_a_solution_gets_its_points_without_a_sandbox() -> None:
    """Or is not measured, which costs nothing; with bands as wide as a machine may be busy."""

    @speed_check("fast", expected_attention, bands=((1000, 1),))
    def square(draw: Draw) -> Call:
        return Call(*(draw.normal(2, 256, 16) for _ in range(3)))

    assert result_of(LocalStudent(attention), square).share == 1
    with pytest.raises(Failed):
        square.run(LocalStudent(lambda q, k, v: v), 0)


# -- the yardstick


@pytest.mark.parametrize(
    ("q", "k", "v"),
    [
        ((5, 4), (7, 4), (7, 3)),
        ((2, 3, 5, 4), (2, 3, 7, 4), (2, 3, 7, 3)),
        ((2, 6, 5, 4), (2, 2, 7, 4), (2, 2, 7, 3)),  # grouped heads
        ((2, 6, 5, 4), (7, 4), (7, 3)),
        ((1, 5, 4), (3, 7, 4), (3, 7, 3)),
    ],
)
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_the_yardstick_takes_all_shapes_and_gives_back_what_is_asked(
    q: tuple[int, ...], k: tuple[int, ...], v: tuple[int, ...], dtype: str
) -> None:
    arrays = [np.ones(shape, dtype) for shape in (q, k, v)]
    for what in ("matmuls", "nothing"):
        one = yardstick(what, json.dumps([[dtype, [2, 3]]]), *arrays, None, causal=True)
        assert (one.shape, one.dtype, one.all()) == ((2, 3), dtype, True)
        two = yardstick(what, json.dumps([[dtype, [2]], ["float64", []]]), *arrays)
        assert [(each.shape, each.dtype) for each in two] == [((2,), dtype), ((), "float64")]


def test_the_yardstick_gives_back_only_what_must_be_returned() -> None:
    """Who returns the weights as well takes the time for it: or leaving them out at times would pay."""
    asked: list[Call] = []
    returns = Returns(("output", "weights"), 1)

    class Noting(Scripted):
        def yardstick(self, call: Call, shapes: Sequence[tuple[int, ...]]) -> float:
            asked.append(call)
            assert list(shapes) == [(2, 16, 8)]
            return super().yardstick(call, shapes)

    def both(q: np.ndarray, k: np.ndarray, v: np.ndarray) -> dict[str, Expected]:
        output = expected_attention(q, k, v)
        weights = expected_attention(q, k, np.broadcast_to(np.eye(16, dtype=np.float32), (2, 16, 16)))
        return {"output": output, "weights": weights}

    student = Noting(attention)
    student.returns = returns
    check = speed_check("fast", both, bands=BANDS)(inputs)
    assert result_of(student, check).share == 1
    assert {call.args[1] for call in asked} == {'[["float32", [2, 16, 8]]]'}


# -- in the judge

CHECKS = """
from grader.checks import Call, memory_check, speed_check, property_check
from grader.reference import expected_attention

@speed_check("a", expected_attention, bands=((2.2, 1), (4, 0.5)))
def a(draw):
    return Call(*(draw.normal(2, 16, 8) for _ in range(3)))
"""


def bundle(*, timed: bool, checks: str = CHECKS) -> Bundle:
    spec = CheckSpec("a", "A", Decimal("2.5"), Visibility.PUBLIC, timed)
    return Bundle("attention", "attention(q, k, v)", (spec,), (), {"checks/public.py": checks}, ONE_ARRAY)


def line_of(student: LocalStudent) -> dict[str, Any]:
    lines: list[dict[str, Any]] = []
    run(bundle(timed=True), lambda: student, seed=1, emit=lines.append)
    line = lines[0]
    assert line.pop("seconds") >= 0
    return line


def test_what_a_result_is_on_the_wire() -> None:
    slow = line_of(Scripted(student=at(3)))
    assert slow == {
        "check": "a", "verdict": "passed", "points": 1.25, "mistake": None,
        "message": "It takes 3.00 times as long as the two bare matmuls; full points up to 2.2 times, 50% up to 4.",
    }  # fmt: skip
    assert line_of(Scripted(student=at(0.1)))["flag"].startswith(
        "Faster than it should be able to be: 0.10 times"
    )
    assert line_of(Scripted(student=at(9)))["points"] == 0


def test_the_manifest_says_which_checks_are_timed() -> None:
    assert load_checks(bundle(timed=True))["a"].timed
    with pytest.raises(BrokenAssignment, match=r'a is a speed check: .* needs "timed = true"'):
        load_checks(bundle(timed=False))
    plain = CHECKS.replace('@speed_check("a", expected_attention, bands=((2.2, 1), (4, 0.5)))', "@plain")
    for decorator in ('property_check("a")', 'memory_check("a", expected_attention, most_mb=1)'):
        text = plain.replace("\n@plain", f"\nplain = {decorator}\n@plain")
        with pytest.raises(BrokenAssignment, match='a is no speed check: take "timed" out'):
            load_checks(bundle(timed=True, checks=text))
        assert not load_checks(replace(bundle(timed=False, checks=text)))["a"].timed


def test_wrong_bands_are_told_when_the_file_is_loaded() -> None:
    with pytest.raises(BrokenAssignment, match=r"checks/public\.py: ValueError: the bands of a must grow"):
        load_checks(bundle(timed=True, checks=CHECKS.replace("(4, 0.5)", "(1, 0.5)")))
