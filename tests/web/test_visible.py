"""What a reader may see of a report, of progress and of the arithmetic: pure rules."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.report import CheckResult, NamedMistake, Report, Verdict, Visibility, overall
from softmark.courses.late_policy import ON_TIME, Lateness
from softmark.grading.arithmetic import arithmetic
from softmark.grading.live import progress_of
from softmark.grading.visible import MOST_CHARACTERS, ShownReport, line_of, report_for, text_of
from softmark.grading.wording import MEANING, outcome
from softmark.ui.polling import LATEST, SOONEST, next_look


def check(id_: str, visibility: Visibility, verdict: Verdict = Verdict.PASSED, **fields: Any) -> CheckResult:
    points = Decimal(fields.pop("points", 1 if verdict is Verdict.PASSED else 0))
    return CheckResult(
        id_, f"Title of {id_}", verdict, points, Decimal(fields.pop("of", 1)), visibility, **fields
    )


def report(*checks: CheckResult, **fields: Any) -> dict[str, Any]:
    return Report(
        assignment="masks",
        version="abc",
        verdict=overall(checks),
        rung=2,
        seconds=0.5,
        checks=checks,
        **fields,
    ).to_dict()


PUBLIC = check("open", Visibility.PUBLIC)
AFTER = check("later", Visibility.AFTER_DUE, Verdict.CRASHED, message="secret words", mistake="scale-by-d")
NEVER = check("never", Visibility.NEVER, Verdict.NOT_FINITE, message="darker words")
MIXED = report(PUBLIC, AFTER, NEVER)


def titles(shown: ShownReport) -> list[str]:
    return [each.title for each in shown.checks]


@pytest.mark.parametrize(
    ("staff", "past_due", "seen"),
    [
        (False, False, ["open"]),
        (False, True, ["open", "later"]),
        (True, False, ["open", "later", "never"]),
        (True, True, ["open", "later", "never"]),
    ],
)
def test_who_sees_which_checks(staff: bool, past_due: bool, seen: list[str]) -> None:
    shown = report_for(MIXED, staff, past_due)
    assert titles(shown) == [f"Title of {each}" for each in seen]
    hidden = shown.hidden.count if shown.hidden else 0
    assert hidden == 3 - len(seen)


def test_hidden_checks_are_one_row_with_the_points_of_all() -> None:
    shown = report_for(report(PUBLIC, check("a", Visibility.AFTER_DUE, of=2), NEVER), False, False)
    assert shown.hidden is not None
    assert (shown.hidden.count, shown.hidden.points, shown.hidden.max_points) == (2, 1, 3)
    assert shown.hidden.until_due
    assert shown.terms == ("1", "1")


def test_without_points_all_else_is_as_it_was() -> None:
    whole, bare = report_for(MIXED, False, True), report_for(MIXED, False, True, with_points=False)
    assert whole.hidden is not None
    assert bare.hidden is not None
    assert {each.points for each in (*bare.checks, bare.hidden)} == {None}
    assert {each.max_points for each in (*bare.checks, bare.hidden)} == {None}
    assert bare.terms == ()
    assert titles(bare) == titles(whole)
    assert (bare.verdict, bare.hidden.passed, bare.whole) == (whole.verdict, whole.hidden.passed, whole.whole)
    assert outcome(bare, advise=True) == outcome(whole, advise=True)


def test_only_never_shown_checks_do_not_promise_to_be_shown() -> None:
    hidden = report_for(report(PUBLIC, NEVER), False, False).hidden
    assert hidden is not None
    assert not hidden.until_due


def test_nothing_of_a_hidden_check_reaches_a_student() -> None:
    shown = repr(report_for(MIXED, False, False))
    for secret in ("later", "never", "secret words", "darker words", "crashed", "not finite", "scale-by-d"):
        assert secret not in shown


def test_the_verdict_of_the_whole_is_made_of_what_is_seen() -> None:
    assert report_for(MIXED, True, False).verdict == "crashed"
    assert report_for(MIXED, False, False).verdict == ""
    seen = report(check("a", Visibility.PUBLIC, Verdict.WRONG_SHAPE), AFTER)
    assert report_for(seen, False, False).verdict == "wrong shape"
    assert report_for(report(PUBLIC, check("b", Visibility.NEVER)), False, False).verdict == "passed"


def test_a_fault_is_told_to_everybody_even_where_a_hidden_check_broke() -> None:
    broken = report(PUBLIC, check("x", Visibility.NEVER, Verdict.ASSIGNMENT_FAULT))
    assert report_for(broken, False, False).verdict == "assignment fault"


def test_hints_are_for_the_student_and_names_for_staff() -> None:
    named = report(PUBLIC, AFTER, mistakes=(NamedMistake("scale-by-d", "Divide by the root of d."),))
    (hint,) = report_for(named, False, False).hints
    assert (hint.text.shown, hint.id) == ("Divide by the root of d.", "")
    assert report_for(named, True, False).hints[0].id == "scale-by-d"


def test_a_student_gets_no_seed_and_no_faults() -> None:
    provenance = {
        "code_sha256": "c0de", "assignment_version": "abc", "grader": "0.1", "numpy": "2.4", "python": "3.11",
        "rung": 2, "seed": 987654, "started_at": "2026-11-02", "fault": "Traceback of the judge", "naming": "boom",
        "other": "new",
    }  # fmt: skip
    student = report_for(report(PUBLIC, provenance=provenance), False, True)
    assert [fact.name for fact in student.facts] == [
        "Version of the assignment",
        "Grader",
        "numpy",
        "Started",
    ]
    assert student.faults == ()
    staff = report_for(report(PUBLIC, provenance=provenance), True, True)
    assert {"987654", "2", "c0de", "new"} <= {fact.text.shown for fact in staff.facts}
    assert [fault.text.shown for fault in staff.faults] == ["Traceback of the judge", "boom"]


FLAG = "Faster than it should be able to be."


@pytest.mark.parametrize("visibility", Visibility)
def test_what_the_staff_should_look_at_is_for_their_eyes(visibility: Visibility) -> None:
    flagged = report(check("fast", visibility, message="1.2 times", flag=FLAG))
    for past_due in (False, True):
        assert FLAG not in repr(report_for(flagged, False, past_due))
        assert FLAG in repr(report_for(flagged, True, past_due))
    assert report_for(flagged, True, False).checks[0].says_more


@given(
    st.lists(st.tuples(st.sampled_from(Visibility), st.sampled_from(Verdict), st.booleans())), st.booleans()
)
def test_no_flag_reaches_a_student(rows: list[tuple[Visibility, Verdict, bool]], past_due: bool) -> None:
    checks = [
        check(f"id{n}", visibility, verdict, message="Told.", output="Told.", flag=FLAG * flagged)
        for n, (visibility, verdict, flagged) in enumerate(rows)
    ]
    assert FLAG not in repr(report_for(report(*checks), False, past_due))


def test_what_a_passed_check_says_is_shown() -> None:
    shown = report_for(
        report(check("fast", Visibility.PUBLIC, points="0.5", message="3 times")), False, False
    )
    assert (shown.checks[0].passed, shown.checks[0].points) == (True, Decimal("0.5"))
    assert shown.checks[0].says_more
    assert not shown.checks[0].opens


def test_what_could_not_be_measured_comes_after_what_failed() -> None:
    busy = check("busy", Visibility.PUBLIC, Verdict.NOT_MEASURED, points=1)
    shown = report_for(report(busy, check("wrong", Visibility.PUBLIC, Verdict.WRONG_ANSWER)), False, False)
    assert shown.verdict == Verdict.WRONG_ANSWER
    assert [each.opens for each in shown.checks] == [False, True]
    alone = report_for(report(busy, PUBLIC), False, False)
    assert alone.verdict == Verdict.NOT_MEASURED
    assert [each.opens for each in alone.checks] == [True, False]
    assert "too busy" in outcome(alone, advise=True)


def test_only_the_first_failure_is_open() -> None:
    shown = report_for(
        report(PUBLIC, *(check(name, Visibility.PUBLIC, Verdict.WRONG_ANSWER) for name in "ab")), False, False
    )
    assert [each.opens for each in shown.checks] == [False, True, False]


def test_long_text_is_cut_and_what_acts_on_a_reader_is_not_passed_on() -> None:
    text = text_of("x" * 10_000_000)
    assert len(text.shown) == MOST_CHARACTERS
    assert text.cut == 10_000_000 - MOST_CHARACTERS
    assert text_of("a\u202eb\x00c").shown == "a\ufffdb\ufffdc"
    assert text_of(None).shown == ""


def test_points_that_do_not_add_up_are_not_written_as_a_sum() -> None:
    assert report_for(MIXED | {"points": 2}, False, False).terms == ()
    assert report_for(MIXED, False, False).terms == ("1", "0")


@pytest.mark.parametrize(
    "broken",
    [
        {}, {"checks": None}, {"checks": [None, 3]}, {"checks": [{}]}, {"mistakes": [1, {"hint": None}], "checks": []},
        [], None, "report", {"checks": [{"title": 3, "points": "1", "verdict": 7, "visibility": "public"}]},
        {"checks": [{"visibility": "public", "points": True, "seconds": float("nan")}], "provenance": "x"},
    ],
)  # fmt: skip
def test_a_broken_report_shows_what_it_can(broken: Any) -> None:
    for staff in (False, True):
        shown = report_for(broken, staff, False)
        assert isinstance(shown, ShownReport)
        outcome(shown, advise=True)


def test_a_check_of_unknown_visibility_is_hidden() -> None:
    row = dict(MIXED["checks"][0]) | {"visibility": "friends"}
    shown = report_for({"checks": [row]}, False, True)
    assert shown.checks == ()
    assert shown.hidden is not None


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                ["checks", "mistakes", "provenance", "points", "verdict", "visibility", "title", "id", "hint"]
            ),
            inner,
            max_size=6,
        )
    ),
    max_leaves=12,
)


@given(_json, st.booleans(), st.booleans())
def test_no_report_breaks_it(anything: Any, staff: bool, past_due: bool) -> None:
    outcome(report_for(anything, staff, past_due), advise=True)


@given(st.lists(st.tuples(st.sampled_from(Visibility), st.sampled_from(Verdict)), max_size=6), st.booleans())
def test_students_see_no_more_than_they_may(rows: list[tuple[Visibility, Verdict]], past_due: bool) -> None:
    checks = [check(f"id{number}", *row) for number, row in enumerate(rows)]
    shown = report_for(report(*checks), False, past_due)
    allowed = {Visibility.PUBLIC} | ({Visibility.AFTER_DUE} if past_due else set())
    assert titles(shown) == [each.title for each in checks if each.visibility in allowed]
    if shown.verdict == Verdict.PASSED:
        assert all(each.points == each.max_points for each in checks)


# -- in words


def test_every_verdict_has_its_words() -> None:
    assert set(MEANING) == set(Verdict) - {Verdict.PASSED}


@pytest.mark.parametrize(
    ("checks", "words"),
    [
        ((PUBLIC,), "The one check passed."),
        ((PUBLIC, PUBLIC), "Both checks passed."),
        ((PUBLIC, check("h", Visibility.NEVER)), "The one check that you can see passed, and so did the hidden one."),
        ((PUBLIC, NEVER), "The one check that you can see passed, but not the hidden one."),
        ((PUBLIC, AFTER, NEVER), "The one check that you can see passed, but not all of the hidden ones."),
        ((NEVER, AFTER), "Not all of the hidden checks passed."),
    ],
)  # fmt: skip
def test_the_whole_in_words(checks: tuple[CheckResult, ...], words: str) -> None:
    assert outcome(report_for(report(*checks), False, False), advise=True) == words


@pytest.mark.parametrize(
    ("message", "cells", "line"),
    [
        ("Your code failed: ValueError at line 7 (reached from line 3).", [], 7),
        ("Your code failed: ValueError at cell 2, line 3.", [1, 10], 12),
        ("Your code failed: ValueError at cell 9, line 3.", [1, 10], None),
        ("Your function cannot be called as attention(q, k, v).", [], None),
    ],
)
def test_the_line_that_failed(message: str, cells: list[int], line: int | None) -> None:
    failed = report(check("a", Visibility.PUBLIC, Verdict.EXCEPTION, message=message))
    assert line_of(report_for(failed, False, False).first_failure, cells) == line


# -- while it is graded


@dataclass(frozen=True)
class Spec:
    id: str
    title: str
    visibility: Visibility


SPECS = (
    Spec("a", "First", Visibility.PUBLIC),
    Spec("b", "Second", Visibility.PUBLIC),
    Spec("c", "Third", Visibility.AFTER_DUE),
    Spec("d", "Fourth", Visibility.NEVER),
)


def told(**verdicts: str) -> list[dict[str, Any]]:
    return [{"id": key, "verdict": value} for key, value in verdicts.items()]


def test_checks_come_in_one_by_one() -> None:
    started = progress_of(SPECS, [], False, False)
    assert [each.state for each in started.checks] == ["running", "queued"]
    assert (started.hidden_state, started.hidden_done, started.hidden) == ("queued", 0, 2)
    half = progress_of(SPECS, told(a="passed", b="wrong answer", c="crashed"), False, False)
    assert [each.state for each in half.checks] == ["passed", "wrong answer"]
    assert (half.hidden_state, half.hidden_done, half.done, half.total) == ("running", 1, 3, 4)
    done = progress_of(SPECS, told(a="passed", b="passed", c="passed", d="passed"), False, False)
    assert (done.hidden_state, done.done) == ("", 4)


def test_progress_tells_no_more_than_the_report() -> None:
    rows = told(a="passed", c="crashed", d="crashed")
    assert [each.title for each in progress_of(SPECS, rows, False, False).checks] == ["First", "Second"]
    assert [each.title for each in progress_of(SPECS, rows, False, True).checks] == [
        "First",
        "Second",
        "Third",
    ]
    assert progress_of(SPECS, rows, True, False).hidden == 0


def test_the_page_asks_less_and_less_often() -> None:
    looks = [next_look(timedelta(seconds=taken)) for taken in (0, 1, 5, 20, 60, 86_400)]
    assert looks == sorted(looks)
    assert (looks[0], looks[-1]) == (SOONEST, LATEST)


# -- the arithmetic


def test_late_and_scaled() -> None:
    late = Lateness(timedelta(hours=2), 1, Decimal(90))
    both = arithmetic(Decimal(9), Decimal(10), late, Decimal(20))
    assert (both.late, both.scaled) == (Decimal("8.1"), Decimal("16.2"))
    plain = arithmetic(Decimal(9), Decimal(10), ON_TIME, Decimal(10))
    assert (plain.late, plain.scaled) == (None, None)
