"""The report: its words, its JSON, and how it looks on a terminal of any width and encoding."""

from __future__ import annotations

import io
import json
import re
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from grader.assignment import Assignment, CheckSpec, Limits
from grader.report import (
    CheckResult,
    NamedMistake,
    Report,
    Verdict,
    Visibility,
    number,
    overall,
    printable,
    shown_points,
)
from grader.source import Source
from grader.terminal.report_view import ReportView
from grader.terminal.screen import Screen

SPECS = (
    CheckSpec("two-keys", "With two keys the softmax is a sigmoid", Decimal(1), Visibility.PUBLIC),
    CheckSpec("far-below-zero", "All scores far below zero", Decimal("2.5"), Visibility.AFTER_DUE),
    CheckSpec("long", "A longer sequence", Decimal("6.5"), Visibility.NEVER),
)
ASSIGNMENT = Assignment(
    slug="scaled",
    title="Scaled dot-product attention",
    summary="One line.",
    function="attention",
    signature="attention(q, k, v)",
    points=Decimal(10),
    limits=Limits(),
    checks=SPECS,
    mistakes=(),
    files={},
    version="0123456789ab",
)
HINT = "You divide the scores by d, and it is the root of d that they are to be divided by."


def result(spec: CheckSpec, verdict: Verdict = Verdict.PASSED, message: str = "", **more: Any) -> CheckResult:
    points = spec.points if verdict is Verdict.PASSED else Decimal(0)
    return CheckResult(spec.id, spec.title, verdict, points, spec.points, spec.visibility, message, **more)


def report(*results: CheckResult, rung: int | None = 1, hints: tuple[NamedMistake, ...] = ()) -> Report:
    return Report("scaled", "0123456789ab", overall(results), rung, 0.5, results, hints)


PASSED = tuple(map(result, SPECS))
FAILED = (
    PASSED[0],
    result(SPECS[1], Verdict.WRONG_ANSWER, "12 of 24 values differ.", mistake="scale-by-d", seconds=1.5),
    PASSED[2],
)


# Words and JSON


def test_points_are_summed_exactly() -> None:
    tenths = tuple(replace(PASSED[0], points=Decimal("0.1"), max_points=Decimal("0.1")) for _ in range(3))
    assert report(*tenths).points == Decimal("0.3")
    assert report(*FAILED).points == Decimal("7.5")
    assert report(*FAILED).max_points == Decimal(10)


def test_json_is_plain() -> None:
    read = json.loads(report(*FAILED, hints=(NamedMistake("scale-by-d", HINT),)).to_json())
    assert list(read) == [
        *("assignment", "version", "verdict", "points", "max_points", "rung", "seconds"),
        *("checks", "mistakes", "provenance"),
    ]
    assert (read["verdict"], read["points"], read["max_points"]) == ("wrong answer", 7.5, 10)
    assert read["checks"][1] == {
        "id": "far-below-zero",
        "title": "All scores far below zero",
        "verdict": "wrong answer",
        "points": 0,
        "max_points": 2.5,
        "message": "12 of 24 values differ.",
        "mistake": "scale-by-d",
        "visibility": "after_due",
        "seconds": 1.5,
        "output": "",
        "flag": "",
    }
    assert read["mistakes"] == [{"id": "scale-by-d", "hint": HINT}]


@pytest.mark.parametrize(
    "whole", [report(*PASSED), report(*FAILED, rung=None, hints=(NamedMistake("a", HINT),))]
)
def test_json_and_back(whole: Report) -> None:
    tenth = replace(
        whole.checks[0], points=Decimal("0.1"), max_points=Decimal("0.125"), output="hello\n", flag="!"
    )
    told = replace(whole, checks=(tenth, *whole.checks[1:]), provenance={"seed": 7})
    assert Report.from_dict(json.loads(told.to_json())) == told


@pytest.mark.parametrize("wrong", [{}, {"checks": 1}, {**report(*PASSED).to_dict(), "verdict": "splendid"}])
def test_something_else_is_no_report(wrong: dict[str, Any]) -> None:
    with pytest.raises((KeyError, TypeError, ValueError)):
        Report.from_dict(wrong)


@pytest.mark.parametrize(
    ("verdicts", "expected"),
    [
        ([], Verdict.PASSED),
        ([Verdict.PASSED, Verdict.PASSED], Verdict.PASSED),
        ([Verdict.PASSED, Verdict.TIME_LIMIT, Verdict.WRONG_ANSWER], Verdict.TIME_LIMIT),
        ([Verdict.WRONG_ANSWER, Verdict.PLATFORM_FAULT], Verdict.PLATFORM_FAULT),
        ([Verdict.NOT_MEASURED, Verdict.PASSED], Verdict.NOT_MEASURED),
        ([Verdict.NOT_MEASURED, Verdict.NOT_RUN, Verdict.CRASHED], Verdict.NOT_RUN),
        ([Verdict.NOT_MEASURED, Verdict.ASSIGNMENT_FAULT], Verdict.ASSIGNMENT_FAULT),
    ],
)
def test_one_verdict_for_all(verdicts: list[Verdict], expected: Verdict) -> None:
    results = tuple(result(SPECS[0], verdict) for verdict in verdicts)
    assert overall(results) is expected


@pytest.mark.parametrize(
    ("value", "text"),
    [("3", "3"), ("3.0", "3"), ("2.50", "2.5"), ("0", "0"), ("0.00", "0"), ("1E+1", "10"), ("100", "100")],
)
def test_points_as_people_write_them(value: str, text: str) -> None:
    assert shown_points(Decimal(value)) == text
    assert json.dumps(number(Decimal(value))) == text


@given(st.text(st.characters(codec=None)))
def test_printable_text_cannot_act_on_a_terminal(text: str) -> None:
    shown = printable(text)
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", shown)
    shown.encode()
    assert printable(shown) == shown


def test_printable_text_keeps_what_people_write() -> None:
    text = "Ünï 🦊 注意\tעברית\n«x» ₂"
    assert printable(text) == text
    assert printable("a\r\nb\x1b[2Jc") == "a\nb\N{REPLACEMENT CHARACTER}[2Jc"


# On the terminal


class Terminal(io.StringIO):
    """A stream in memory that may say it is a terminal, and in which encoding."""

    def __init__(self, *, tty: bool = False, encoding: str = "utf-8") -> None:
        super().__init__()
        self._tty = tty
        self._encoding = encoding

    @property
    def encoding(self) -> str:  # type: ignore[override]  # a plain attribute in the base class
        return self._encoding

    def isatty(self) -> bool:
        return self._tty


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES", "TERM", "COLORTERM", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")


def show(
    whole: Report, terminal: Terminal | None = None, *, streamed: int = 0, notes: tuple[str, ...] = ()
) -> str:
    terminal = terminal or Terminal()
    with ReportView(Screen(terminal), ASSIGNMENT) as view:
        view.heading("my_answer.py", Source("x = 1", notes))
        view.place("In the sandbox, rung 1: namespaces.")
        for each in whole.checks[:streamed]:
            view.check(each)
        view.finish(whole)
    return terminal.getvalue()


def test_a_report_on_80_columns() -> None:
    whole = report(*FAILED, hints=(NamedMistake("scale-by-d", HINT),))
    assert (
        show(whole, notes=("Cell 1 was left out.",))
        == """\
Scaled dot-product attention
my_answer.py
Note: Cell 1 was left out.
In the sandbox, rung 1: namespaces.

✓  With two keys the softmax is a sigmoid      passed            1 of 1   < 1 ms
✗  All scores far below zero (hidden)          wrong answer    0 of 2.5   1.50 s
   12 of 24 values differ.
✓  A longer sequence (hidden)                  passed        6.5 of 6.5   < 1 ms

You may have made this mistake:
   You divide the scores by d, and it is the root of d that they are to be
   divided by. (scale-by-d)

Points: 1 + 0 + 6.5 = 7.5 of 10

Next: follow the hint above, then check again.
"""
    )


def test_a_report_on_40_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    text = show(report(*FAILED))
    assert (
        """\
✗  All scores far below zero (hidden)
   wrong answer, 0 of 2.5, 1.50 s
   12 of 24 values differ.
"""
        in text
    )
    assert max(map(cell_len, text.split("\n"))) <= 40


@pytest.mark.parametrize("streamed", [0, 1, 3])
def test_each_check_is_shown_once(streamed: int) -> None:
    assert show(report(*FAILED), streamed=streamed) == show(report(*FAILED))


def test_a_verdict_that_changed_is_shown_again() -> None:
    """The sandbox broke after a check was told: the report has the last word."""
    terminal = Terminal()
    with ReportView(Screen(terminal), ASSIGNMENT) as view:
        view.check(PASSED[0])
        view.finish(report(*(result(spec, Verdict.PLATFORM_FAULT) for spec in SPECS)))
    assert terminal.getvalue().count(SPECS[0].title) == 2
    assert "The grader failed, not your code." in terminal.getvalue()


@pytest.mark.parametrize("verdict", list(Verdict))
def test_every_verdict_is_said_in_words_with_what_to_do(verdict: Verdict) -> None:
    text = show(report(*(result(spec, verdict, "Why.") for spec in SPECS)))
    assert f" {verdict} " in text
    after = text.partition("Points: ")[2].partition("\n\n")[2]
    assert after.strip()


@pytest.mark.parametrize(
    ("whole", "words"),
    [
        (report(*PASSED), "All 3 checks passed."),
        (report(PASSED[0]), "The check passed."),
        (report(*PASSED, rung=None), "what counts is what you hand in"),
        (report(*FAILED), "begin with the first check that failed: work a tiny case by hand"),
        (report(PASSED[0], result(SPECS[1], Verdict.NOT_MEASURED)), "too busy"),
        (
            report(result(SPECS[1], Verdict.NOT_MEASURED), result(SPECS[0], Verdict.CRASHED)),
            "take out what ends the process",
        ),
        (
            report(PASSED[0], result(SPECS[1], Verdict.ASSIGNMENT_FAULT)),
            "The assignment is at fault, not your code",
        ),
    ],
)
def test_what_comes_next(whole: Report, words: str) -> None:
    assert words in " ".join(show(whole).split())


def test_a_passed_check_may_say_something_and_flags_are_not_for_people() -> None:
    half = replace(PASSED[1], points=Decimal(1), message="It takes 3 times as long.", flag="suspicious")
    text = show(report(PASSED[0], half))
    assert "   It takes 3 times as long.\n" in text
    assert "1 of 2.5" in text
    assert "suspicious" not in text


def test_a_message_is_not_repeated() -> None:
    text = show(report(*(result(spec, Verdict.EXCEPTION, "It failed at line 3.") for spec in SPECS)))
    assert text.count("   It failed at line 3.\n") == 1
    assert text.count("   As above.\n") == 2


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "cp437", "latin-1"])
def test_any_encoding_will_do(encoding: str) -> None:
    fox = result(SPECS[0], Verdict.EXCEPTION, "the 🦊 é", output="– 注意 –")
    text = show(report(fox, *PASSED[1:]), Terminal(encoding=encoding))
    text.encode(encoding)
    assert "\nx  With two keys" in text
    assert "\n+  A longer sequence" in text
    assert "the ? " in text


def test_prints_are_shown_and_cut() -> None:
    printed = replace(PASSED[0], output="\n".join(f"line {n}" for n in range(50)) + "\n" + "x" * 100_000)
    text = show(report(printed, *PASSED[1:]))
    assert "   It printed:\n     line 0\n" in text
    assert "     line 19\n     (31 more lines)\n" in text
    assert "line 20" not in text
    long = show(report(replace(PASSED[0], output="x" * 100_000), *PASSED[1:]))
    assert 400 <= long.count("x") < 500


@pytest.mark.parametrize("tty", [False, True])
def test_student_text_is_only_text(tty: bool) -> None:
    evil = "[bold red]x[/] \x1b[2J\x1b]0;title\x07 :fox_face: \u202eabc \ud800 \x9b31m [link=http://a]"
    bad = result(SPECS[0], Verdict.EXCEPTION, evil, output=evil)
    text = show(report(bad, *PASSED[1:], hints=(NamedMistake("m", evil),)), Terminal(tty=tty))
    assert text.count("[bold red]x[/]") == 3
    assert text.count(":fox_face:") == 3
    for poison in ("\x1b[2J", "\x1b]", "\x07", "\x9b", "\u202e", "\ud800"):
        assert poison not in text


def test_no_control_codes_in_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "\x1b" not in show(report(*FAILED))
    assert " \n" not in show(report(*FAILED))
    monkeypatch.setenv("COLUMNS", "nonsense")
    assert show(report(*FAILED)) == show(report(*FAILED))


def test_colour_on_a_terminal_unless_it_is_not_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    assert _colours(show(report(*FAILED), Terminal(tty=True)))
    monkeypatch.setenv("NO_COLOR", "1")
    assert not _colours(show(report(*FAILED), Terminal(tty=True)))
    monkeypatch.setenv("TERM", "dumb")
    assert "\x1b" not in show(report(*FAILED), Terminal(tty=True))


def _colours(text: str) -> bool:
    return any(
        3 <= int(code) // 10 <= 4
        for codes in re.findall("\x1b\\[([0-9;]+)m", text)
        for code in codes.split(";")
    )


def test_the_live_line_names_what_runs_and_goes() -> None:
    text = show(report(*FAILED), Terminal(tty=True), streamed=3)
    assert "\x1b[?25l" in text  # the cursor is hidden while the line is redrawn
    assert text.rindex("\x1b[?25h") > text.rindex("\x1b[?25l")
    assert "Starting" in text


def _interrupt(terminal: Terminal) -> None:
    with ReportView(Screen(terminal), ASSIGNMENT) as view:
        view.heading("a.py", Source("x"))
        raise KeyboardInterrupt


def test_an_interruption_gives_the_cursor_back() -> None:
    terminal = Terminal(tty=True)
    with pytest.raises(KeyboardInterrupt):
        _interrupt(terminal)
    text = terminal.getvalue()
    assert text.rindex("\x1b[?25h") > text.rindex("\x1b[?25l")


def test_wide_terminals_keep_lines_readable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "300")
    assert max(map(cell_len, show(report(*FAILED)).split("\n"))) <= 100
