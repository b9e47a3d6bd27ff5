"""What the worker takes from a judge, line by line: the schema's own words, or JudgeBroke, and nothing else."""

from __future__ import annotations

import json
import tracemalloc
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from grader.report import CheckResult, Report, Verdict, Visibility, number, printable, shown_points
from grader.sandbox.judge_lines import (
    FLAG_CHARACTERS,
    LINE_BYTES,
    MESSAGE_CHARACTERS,
    CheckLine,
    Final,
    JudgeBroke,
    Naming,
    Request,
    parse,
)

MAXIMA = {"a": Decimal(1), "b": Decimal("2.5"), "nothing": Decimal(0)}
MISTAKES = frozenset({"scale", "mask"})
RIGHT: dict[str, Any] = {
    "check": "a", "verdict": "passed", "points": 1, "seconds": 0.25, "message": "", "mistake": None,
}  # fmt: skip


def parsed(raw: bytes) -> CheckLine | Naming | Request | Final | None:
    """None where the line is refused; any other exception is the worker's end."""
    try:
        return parse(raw, MAXIMA, MISTAKES)
    except JudgeBroke as broke:
        words = str(broke)
    assert printable(words) == words
    assert len(words) <= MESSAGE_CHARACTERS
    return None


def is_in_order(line: CheckLine | Naming | Request | Final | None) -> None:
    """What was taken can be stored, shown and added up."""
    if isinstance(line, Naming):
        assert line.broke is None or (
            len(line.broke) <= MESSAGE_CHARACTERS and printable(line.broke) == line.broke
        )
    if not isinstance(line, CheckLine):
        return
    assert 0 <= line.points <= MAXIMA[line.check]
    assert 0 <= line.seconds < 1_000_000
    assert line.mistake is None or line.mistake in MISTAKES
    assert printable(line.message) == line.message
    assert len(line.message) <= MESSAGE_CHARACTERS
    assert printable(line.flag) == line.flag
    assert len(line.flag) <= FLAG_CHARACTERS
    assert line.verdict is not Verdict.PLATFORM_FAULT
    assert not (line.verdict.is_fault and line.points)
    row = CheckResult(
        line.check, "title", line.verdict, line.points, MAXIMA[line.check], Visibility.PUBLIC, line.message,
        line.mistake, line.seconds, flag=line.flag,
    )  # fmt: skip
    report = Report("slug", "version", line.verdict, 1, 0.0, (row, row))
    assert len(report.to_json().encode()) < 100_000
    assert len(shown_points(report.points)) < 200
    assert 0 <= number(report.points) <= 5


_scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30)
_json = st.recursive(
    _scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=12,
)
_lines = st.fixed_dictionaries(
    {
        "check": st.sampled_from(sorted(MAXIMA)) | _json,
        "verdict": st.sampled_from([str(verdict) for verdict in Verdict]) | _json,
        "points": st.integers(-1, 3) | st.floats() | _json,
        "seconds": st.floats() | st.integers() | _json,
        "message": st.text(max_size=200) | _json,
        "mistake": st.none() | st.sampled_from(sorted(MISTAKES)) | _json,
    },
    optional={"more": _json, "flag": st.text(max_size=2 * FLAG_CHARACTERS) | _json},
)
_short = st.sampled_from(["ask", "final", "naming", "broken", "check"])


@given(raw=st.binary(max_size=300))
@example(raw=b"")
@example(raw=b"[" * 60_000)
@example(raw=b'{"a":' * 10_000)
@example(raw="{}".encode("utf-16"))
@example(raw="{}".encode("utf-32"))
@example(raw=b"\xef\xbb\xbf{}")
@example(raw=b'{"final": true}\r')
@example(raw=b'{"broken": ' + b"[" * 980 + b"]" * 980 + b"}")
@example(raw=b'{"broken": ' + b'{"a":' * 980 + b"1" + b"}" * 981)
@settings(max_examples=300)
def test_any_bytes_are_taken_or_refused(raw: bytes) -> None:
    is_in_order(parsed(raw))


@given(told=_json | _lines | st.dictionaries(_short, _json, max_size=2))
@settings(max_examples=300)
def test_any_json_is_taken_or_refused(told: object) -> None:
    is_in_order(parsed(json.dumps(told).encode()))


_digits = st.integers(0, 10**30).map(str)


@given(
    whole=_digits, fraction=st.none() | _digits,
    exponent=st.none() | st.integers(-(10**22), 10**22) | st.integers(-60, 60),
    sign=st.sampled_from(["", "-"]), where=st.sampled_from(["points", "seconds"]),
)  # fmt: skip
@example(whole="1", fraction=None, exponent=-999_999_999_999_999_999, sign="", where="points")
@example(whole="0", fraction=None, exponent=999_999_999_999_999_999, sign="", where="points")
@example(whole="1", fraction=None, exponent=10**22, sign="", where="points")
@example(whole="0", fraction="0" * 5000, exponent=None, sign="", where="points")
@settings(max_examples=300)
def test_any_number_is_taken_or_refused(
    whole: str, fraction: str | None, exponent: int | None, sign: str, where: str
) -> None:
    text = (
        sign + whole + (f".{fraction}" if fraction else "") + (f"e{exponent}" if exponent is not None else "")
    )
    line = json.dumps(RIGHT | {where: "HERE"}).replace('"HERE"', text)
    tracemalloc.start()
    try:
        is_in_order(parsed(line.encode()))
        assert tracemalloc.get_traced_memory()[1] < 10_000_000
    finally:
        tracemalloc.stop()


@given(
    check=st.sampled_from(sorted(MAXIMA)), share=st.integers(0, 4), seconds=st.floats(0, 1000), message=st.text(),
    mistake=st.none() | st.sampled_from(sorted(MISTAKES)), flag=st.text(max_size=FLAG_CHARACTERS),
)  # fmt: skip
def test_an_honest_line_is_taken_as_it_is(
    check: str, share: int, seconds: float, message: str, mistake: str | None, flag: str
) -> None:
    points = MAXIMA[check] * share / 4
    verdict = "passed" if share == 4 else "wrong answer"
    told = {
        "check": check, "verdict": verdict, "points": number(points), "seconds": round(seconds, 6), "message": message,
        "mistake": mistake,
    } | ({"flag": flag} if flag else {})  # fmt: skip
    expected = CheckLine(
        check, Verdict(verdict), points, round(seconds, 6), printable(message), mistake, printable(flag)
    )
    assert parsed(json.dumps(told).encode()) == expected


def test_the_short_lines() -> None:
    assert isinstance(parsed(b'{"final": true}'), Final)
    for request in Request:
        assert parsed(json.dumps({"ask": request}).encode()) is request
    assert parsed(b'{"naming": true}') == Naming(True)
    assert parsed(b'{"naming": false}') == Naming(False)
    assert parsed(b'{"final": false}') is None
    assert parsed(b'{"ask": null}') is None
    assert parsed(b'{"ask": ["fresh"]}') is None
    assert parsed(b'{"ask": "a coffee"}') is None
    assert parsed(b'{"final": true, "ask": "fresh"}') is None


@pytest.mark.parametrize("verdict", [verdict for verdict in Verdict if verdict is not Verdict.PASSED])
def test_only_answers_earn_points(verdict: Verdict) -> None:
    line = parsed(json.dumps(RIGHT | {"verdict": str(verdict), "points": 0.5}).encode())
    assert (line is not None) == (verdict in (Verdict.WRONG_ANSWER, Verdict.NOT_MEASURED))


def test_what_a_break_says_is_cut_and_safe_to_show() -> None:
    with pytest.raises(JudgeBroke) as broke:
        parse(json.dumps({"broken": "\x1b[2J\ud800" + "x" * 60_000}).encode(), MAXIMA, MISTAKES)
    assert len(str(broke.value)) == MESSAGE_CHARACTERS
    assert "\x1b" not in str(broke.value)


def test_a_line_has_an_end() -> None:
    long = RIGHT | {"message": "x" * (LINE_BYTES - 200)}
    taken = parsed(json.dumps(long).encode())
    assert isinstance(taken, CheckLine)
    assert len(taken.message) == MESSAGE_CHARACTERS
    assert parsed(json.dumps(RIGHT | {"message": "x" * LINE_BYTES}).encode()) is None
