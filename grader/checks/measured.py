"""Checks that measure a right answer: how long it takes, and how much memory.

Time is told as a multiple of the two matmuls that attention cannot do without: they run in a process of their own,
over the same channel, and what the channel costs is taken off both. The student's process rests meanwhile. The rounds
are interleaved in random order, each with new numbers.

In the sandbox it is the processor's time, not the clock on the wall, and what counts is the median: beside other work
both are far steadier than clocks and minima (docs/decisions/2026-11-measuring.md has the figures). Where even the
matmuls' own times are scattered, nothing is measured and nothing lost.
"""

from __future__ import annotations

import json
import math
import random
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from grader.compare import Answers, Call
from grader.reference import Expected
from grader.report import Verdict

from .draw import Draw
from .failure import Failed
from .student import Check, Measurable, Result
from .values import DRAWS, Answered, Right, ask_beside, by_name, check_answers, check_values, shapes_of

ROUNDS = 9
MOST_ROUNDS = 27
PATIENCE_SECONDS = 6.0  # for more than 9 rounds
STEADY = 0.1  # the most that the yardstick may be uncertain by
SMALLEST = 1.0  # of what the channel costs: with less work in the matmuls nothing can be told
FEWEST_ROUNDS = 3
HOPELESS = 3.0  # times over the last band, which no noise can explain
CROWDED = 3.0  # times as long as the processor was at it

_MB = 1 << 20
_dice = random.SystemRandom()

Bands = Sequence[tuple[float, float]]
Make = Callable[[Draw], Call]


def speed_check(
    id: str, expected: Callable[..., Right], *, bands: Bands, suspicious_below: float = 0.7, parts: Sequence[str] = (),
    small: Make | None = None,
) -> Callable[[Make], Check]:  # fmt: skip
    """Decorates `make(draw) -> Call`, a call whose first three arguments are q, k and v.

    Few heads and long sequences measure best: the matmuls' work grows with the square of the length, what has to be
    passed on only with the length. One head of 2048 with d = 64 does well.

    bands:            (2.2, 1), (4, 0.5): all points up to 2.2 times as long as the two matmuls, half of them up to 4.
    suspicious_below: what takes less than so many times as long is flagged for the staff. Causal attention may skip
                      half of the work: 0.35.
    parts:            as in value_check.
    small:            makes a call that is soon answered. Two of these come first, as in a value_check: what is wrong
                      with them already is told at once, and named, and nobody waits for the long ones.

    The answers are right before time is a question: two of them as in a value_check; then, of those that were timed,
    the fastest, as a wrong one would best be fast, and any other.
    Raises ValueError for bands that do not grow in time and shrink in points, from 1.
    """
    times, shares = [most for most, _ in bands], [share for _, share in bands]
    if times != sorted(set(times)) or shares != sorted(set(shares), reverse=True) or shares[:1] != [1]:
        raise ValueError(f"the bands of {id} must grow in time, and shrink in points, from 1")
    if times[0] <= 0 or shares[-1] <= 0:
        raise ValueError(f"the bands of {id} must be above 0")

    def decorate(make: Make) -> Check:
        def run(student: Measurable, seed: int) -> Result:
            _check_small(student, small, seed, id, expected, parts)
            first = [ask_beside(student, make(Draw(seed, id, index)), expected) for index in range(DRAWS)]
            _must_be_right(first, student, parts)
            race = _Race(student, first[0].right)
            try:
                race.run(lambda index: make(Draw(seed, id, DRAWS + index)), bands)
            except Failed as failed:
                if failed.verdict is Verdict.TIME_LIMIT and race.is_crowded():
                    return _not_measured("too busy to measure how fast your code is")
                raise
            timed = [Answered(call, answers, _right(call, expected, student)) for call, answers in race.kept]
            _must_be_right(timed, student, parts)
            return _judged(race, bands, suspicious_below)

        return Check(id, run, timed=True)

    return decorate


def memory_check(
    id: str,
    expected: Callable[..., Right],
    *,
    most_mb: float,
    parts: Sequence[str] = (),
    small: Make | None = None,
) -> Callable[[Make], Check]:
    """Decorates `make(draw) -> Call`: what it takes at most, beside its inputs and its results, in MB of 2**20 bytes.

    Two answers are right before memory is a question, the one that is weighed and another. What is weighed is a fresh
    process that loads the file and makes one call, so nothing can have been kept for it, and what loading takes counts.
    It is exact to about 2 MB. Code that overwrites what the interpreter itself holds can hide some 30 MB there: ask for
    what is well above that, as a whole matrix of scores is. `small` as in speed_check.
    """

    def decorate(make: Make) -> Check:
        def run(student: Measurable, seed: int) -> None:
            _check_small(student, small, seed, id, expected, parts)
            call, another = (make(Draw(seed, id, index)) for index in range(DRAWS))
            first = ask_beside(student, another, expected)
            answers, taken = student.weighed(
                call, shapes_of(first.right), _nothing(call, first.right, student)
            )
            weighed = Answered(call, answers, _right(call, expected, student))
            _must_be_right([first, weighed], student, parts)
            if taken > most_mb * _MB:
                raise Failed(Verdict.MEMORY_LIMIT, _too_much(taken / _MB, most_mb))

        return Check(id, run, weighs=True)

    return decorate


def _check_small(
    student: Measurable, small: Make | None, seed: int, id: str, expected: Callable[..., Right], parts: Sequence[str]
) -> None:  # fmt: skip
    if small is not None:
        calls = [small(Draw(seed, id, index)) for index in range(DRAWS)]
        check_values(student, calls, expected, parts=parts)


def _must_be_right(answered: Sequence[Answered], student: Measurable, parts: Sequence[str]) -> None:
    """Raises Failed, without what a name is found by: known mistakes would be run on inputs as long as these."""
    try:
        check_answers(answered, student.returns, parts)
    except Failed as failed:
        raise Failed(failed.verdict, failed.message, failed.detail) from None


def _right(call: Call, expected: Callable[..., Right], student: Measurable) -> Mapping[str, Expected]:
    return by_name(expected(*call.args, **call.kwargs), student.returns)


def _required(right: Mapping[str, Expected], student: Measurable) -> list[Expected]:
    """What every answer holds. Who returns more takes the time and the memory for it."""
    return list(right.values())[: student.returns.required]


def _nothing(call: Call, right: Mapping[str, Expected], student: Measurable) -> Call:
    return _yardstick("nothing", call, _required(right, student))


def _yardstick(what: str, call: Call, results: Sequence[Expected]) -> Call:
    """The call of `yardstick.yardstick` that takes the same arguments."""
    described = json.dumps([[each.dtype.name, each.value.shape] for each in results])
    return Call(what, described, *call.args, **call.kwargs)


class _Race:
    """The rounds, and what they gave.

    kept: the calls and answers that are still to be checked: the fastest, and any other.
    """

    def __init__(self, student: Measurable, right: Mapping[str, Expected]) -> None:
        self._student = student
        self._shapes = shapes_of(right)
        self._required = _required(right, student)
        self._students: list[float] = []
        self._matmuls: list[float] = []
        self._nothing: list[float] = []
        self._crowding: list[float] = []
        self._fastest: tuple[float, Call, Answers] | None = None
        self._any: tuple[float, Call, Answers] | None = None

    def run(self, make: Callable[[int], Call], bands: Bands) -> None:
        """As many rounds as it takes. Raises Failed where an answer does not come."""
        started = time.monotonic()
        for index in range(MOST_ROUNDS):
            self._round(make(index))
            if self._is_over(bands, time.monotonic() - started):
                return

    def _round(self, call: Call) -> None:
        self._call = call
        turns: list[Callable[[Call], None]] = [
            self._time_student,
            partial(self._time_yardstick, "matmuls", self._matmuls),
            partial(self._time_yardstick, "nothing", self._nothing),
        ]
        _dice.shuffle(turns)
        for turn in turns:
            turn(call)

    def _time_student(self, call: Call) -> None:
        answers, seconds = self._student.timed(call, self._shapes)
        self._students.append(seconds)
        answered = (seconds, call, answers)
        slower = answered
        if self._fastest is None or seconds < self._fastest[0]:
            slower, self._fastest = self._fastest or answered, answered
        # Which of the others is checked too is decided now, after the answer: each is as likely.
        if slower is not self._fastest and not _dice.randrange(max(1, len(self._students) - 1)):
            self._any = slower

    def _time_yardstick(self, what: str, times: list[float], call: Call) -> None:
        started = time.monotonic()
        asked = _yardstick(what, call, self._required)
        times.append(self._student.yardstick(asked, [each.value.shape for each in self._required]))
        if what == "matmuls":
            self._crowding.append((time.monotonic() - started) / max(times[-1], 1e-9))

    def _is_over(self, bands: Bands, seconds: float) -> bool:
        rounds, ratio = len(self._students), self.ratio
        if rounds < ROUNDS:
            return rounds >= FEWEST_ROUNDS and ratio is not None and _is_hopeless(ratio, bands)
        has_all_points = ratio is not None and ratio <= bands[0][0]
        return has_all_points or self.is_steady or seconds > PATIENCE_SECONDS

    @property
    def kept(self) -> list[tuple[Call, Answers]]:
        return [(call, answers) for _, call, answers in filter(None, (self._fastest, self._any))]

    @property
    def ratio(self) -> float | None:
        """How many times as long as the two matmuls; None where they are too little work to tell."""
        channel = statistics.median(self._nothing)
        matmuls = statistics.median(self._matmuls) - channel
        if matmuls < SMALLEST * channel or matmuls <= 0:
            return None
        return max(0.0, statistics.median(self._students) - channel) / matmuls

    @property
    def is_steady(self) -> bool:
        """Whether the yardstick's own times, which no student can disturb, lie close together, or are many."""
        channel, matmuls = _quartiles(self._nothing), _quartiles(self._matmuls)
        scattered = channel[2] - channel[0] + matmuls[2] - matmuls[0]
        return scattered / math.sqrt(len(self._matmuls)) <= STEADY * (matmuls[1] - channel[1])

    def is_crowded(self) -> bool:
        """Whether a process gets so little of a processor here that a limit on the wall clock says nothing."""
        while len(self._crowding) < FEWEST_ROUNDS:
            self._time_yardstick("matmuls", self._matmuls, self._call)
        return statistics.median(self._crowding) > CROWDED


def _is_hopeless(ratio: float, bands: Bands) -> bool:
    return ratio > HOPELESS * bands[-1][0]


def _quartiles(times: list[float]) -> list[float]:
    return statistics.quantiles(times, n=4, method="inclusive")


def _judged(race: _Race, bands: Bands, suspicious_below: float) -> Result:
    """What a right answer's time is worth. Raises Failed where it is nothing."""
    ratio = race.ratio
    if ratio is None:
        return _not_measured(
            "unable to tell: beside passing the arrays on, the two matmuls are too little work"
        )
    share = next((share for most, share in bands if ratio <= most), 0.0)
    if share < 1 and not race.is_steady and not _is_hopeless(ratio, bands):
        return _not_measured("too busy to measure how fast your code is")
    message = f"It takes {ratio:.2f} times as long as the two bare matmuls; {_in_words(bands)}."
    if not share:
        raise Failed(Verdict.TIME_LIMIT, message)
    flag = ""
    if ratio < suspicious_below and race.is_steady:
        flag = f"Faster than it should be able to be: {ratio:.2f} times as long as the two bare matmuls."
    return Result(share=share, message=message, flag=flag)


def _not_measured(why: str) -> Result:
    return Result(Verdict.NOT_MEASURED, message=f"The machine was {why}. It costs nothing.")


def _in_words(bands: Bands) -> str:
    (first, _), *others = bands
    return ", ".join(
        [f"full points up to {first:g} times", *(f"{share:.0%} up to {most:g}" for most, share in others)]
    )


def _too_much(taken: float, most: float) -> str:
    times = round(taken / most)
    about = f", about {times} times as much" if times > 1 else ""
    return (
        f"The call takes more than the {most:g} MB that it may take beside its inputs and its result{about}. Is there "
        "an array for all pairs of a query and a key?"
    )
