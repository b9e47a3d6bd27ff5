"""What the worker accepts from a judge: one JSON object per line, checked against the assignment's schema.

The judge runs an instructor's code. It can award false points within the maxima (its author answers for that),
but nothing it says can harm the worker or what stores the report.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import Any, NoReturn

from grader.report import Verdict, printable

LINE_BYTES = 65_536
FLAG_CHARACTERS = 300
ANSWER = struct.Struct("<Q")  # the worker's to a request; to a finished check it is 0
MESSAGE_CHARACTERS = 4_000
MAX_EXPONENT = 40
SINGLES = 3  # calls that may be weighed


class JudgeBroke(Exception):
    """The judge died, went silent or said something impossible; whose fault that is, is found out next."""


@dataclass(frozen=True)
class CheckLine:
    """One finished check, as the judge tells it. flag: for the staff."""

    check: str
    verdict: Verdict
    points: Decimal
    seconds: float
    message: str
    mistake: str | None
    flag: str = ""


@dataclass(frozen=True)
class Naming:
    """Known mistakes are being run, from `on` to not `on`; `broke` says why they could not be."""

    on: bool
    broke: str | None = None


class Request(StrEnum):
    """What a judge may ask of the worker, which answers each with a number."""

    FRESH = "fresh"  # another child in the place of the last: 0
    BENCH = "bench"  # a fresh child with the yardstick, in the place of an earlier one: 0
    SINGLE = "single"  # a fresh child beside the first, for one call: 0
    HOLD = "hold"  # the child rests: its processor time so far in nanoseconds, 0 where it has ended
    RELEASE = "release"  # it goes on: the same
    TIME_BENCH = "time bench"  # the same of the yardstick's child
    WEIGH_BENCH = "weigh bench"  # that child is ended: the most bytes that it held
    WEIGH_SINGLE = "weigh single"  # the same of the other


class Final:
    """The judge has run every check."""


_KEYS = {"check", "verdict", "points", "seconds", "message", "mistake"}  # and, where there is one, "flag"


def parse(
    raw: bytes, maxima: Mapping[str, Decimal], mistakes: frozenset[str]
) -> CheckLine | Naming | Request | Final:
    """One line. maxima: points by check id. Raises JudgeBroke; the order of lines is for the caller to watch."""
    if len(raw) > LINE_BYTES:
        _no("a line is too long")
    try:
        told: Any = json.loads(
            raw, parse_float=_exact, parse_constant=lambda _: _no("a number is not finite")
        )
    except (ValueError, RecursionError):
        _no("a line is not JSON")
    if told == {"final": True}:
        return Final()
    if isinstance(told, dict) and set(told) == {"ask"}:
        if not isinstance(told["ask"], str) or told["ask"] not in set(Request):
            _no("it asks for something that does not exist")
        return Request(told["ask"])
    if isinstance(told, dict) and set(told) == {"naming"}:
        if isinstance(told["naming"], str):
            return Naming(True, printable(told["naming"][:MESSAGE_CHARACTERS]))
        return Naming(told["naming"] is True)
    if isinstance(told, dict) and set(told) == {"broken"}:
        _no(printable(str(told["broken"])[:MESSAGE_CHARACTERS]))
    if not isinstance(told, dict) or set(told) - {"flag"} != _KEYS:
        _no("a line has other keys than it should")
    check, points, seconds, message, mistake = (
        told[k] for k in ("check", "points", "seconds", "message", "mistake")
    )
    if not isinstance(check, str) or check not in maxima:
        _no("it names a check that the assignment does not have")
    if not isinstance(told["verdict"], str) or told["verdict"] not in set(Verdict):
        _no("it gives a verdict that does not exist")
    if type(points) not in (int, Decimal) or not 0 <= points <= maxima[check]:
        _no(f"it awards points that check {check} does not have")
    if type(seconds) not in (int, Decimal) or not 0 <= seconds < 1_000_000:
        _no("its seconds are impossible")
    flag = told.get("flag", "")
    if not isinstance(message, str) or not isinstance(flag, str):
        _no("its message or flag has the wrong form")
    if mistake is not None and (not isinstance(mistake, str) or mistake not in mistakes):
        _no("its mistake has the wrong form")
    verdict = Verdict(told["verdict"])
    if verdict is Verdict.PLATFORM_FAULT:
        _no("only the worker can tell a platform fault")
    if (
        points
        and verdict is not Verdict.PASSED
        and verdict not in (Verdict.WRONG_ANSWER, Verdict.NOT_MEASURED)
    ):
        _no("it awards points without an answer")
    return CheckLine(
        check, verdict, Decimal(points), float(seconds), printable(message[:MESSAGE_CHARACTERS]), mistake,
        printable(flag[:FLAG_CHARACTERS]),
    )  # fmt: skip


def _exact(digits: str) -> Decimal:
    """A number as it was written. Exponents are bounded: writing out 1e-999999999 would fill the memory."""
    try:
        value = Decimal(digits)
    except ArithmeticError:  # more digits in the exponent than a decimal can hold; not a ValueError
        _no("a number is out of range")
    exponent = value.as_tuple().exponent
    if not isinstance(exponent, int) or abs(exponent) > MAX_EXPONENT:
        _no("a number is out of range")
    return value


def _no(why: str) -> NoReturn:
    raise JudgeBroke(why)
