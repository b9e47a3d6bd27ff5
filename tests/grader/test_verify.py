"""May an assignment be published? Every reason why not is a sentence, and the table shows why."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal

import pytest
from rich.cells import cell_len

from grader.assignment import Assignment, CheckSpec, Limits, MistakeSpec
from grader.report import CheckResult, NamedMistake, Report, Verdict, Visibility, overall
from grader.samples import hostile
from grader.source import Source
from grader.terminal.screen import Screen
from grader.terminal.verify_view import VerifyView
from grader.verify import Mark, Row, Verification, verify

CHECKS = tuple(
    CheckSpec(id_, f"About {id_}", Decimal(2), Visibility.PUBLIC) for id_ in ("shape", "scale", "mask")
)
MISTAKES = (
    MistakeSpec("by-d", "h"),
    MistakeSpec("no-mask", "h", frozenset({"late-mask"})),
    MistakeSpec("late-mask", "h", frozenset({"no-mask"})),
)
ASSIGNMENT = Assignment(
    slug="scaled",
    title="Scaled dot-product attention",
    summary="s",
    function="attention",
    signature="attention(q)",
    points=Decimal(6),
    limits=Limits(),
    checks=CHECKS,
    mistakes=MISTAKES,
    files={"solution.py": "solution", "starter.py": "starter", **{m.file: m.id for m in MISTAKES}},
    version="0123456789ab",
)

# What became of each check of each file: "." passed, "x" wrong, "n" not run, "c" crashed, and so on;
# after it the mistake that the check named.
Outcomes = dict[str, list[str]]
VERDICTS = {
    ".": Verdict.PASSED,
    "x": Verdict.WRONG_ANSWER,
    "n": Verdict.NOT_RUN,
    "c": Verdict.CRASHED,
    "m": Verdict.NOT_MEASURED,
    "t": Verdict.TIME_LIMIT,
    "h": Verdict.PASSED,  # with half of the points
    "a": Verdict.ASSIGNMENT_FAULT,
    "p": Verdict.PLATFORM_FAULT,
}
GOOD: Outcomes = {
    "solution": [".", ".", "."],
    "starter": ["x", "x", "x"],
    "by-d": [".", "x by-d", "x"],
    "no-mask": [".", ".", "x no-mask"],
    "late-mask": [".", ".", "x no-mask"],
}


HOSTILE = hostile("attention")


class FakeGrader:
    """Grades by looking the outcome up under the text of the file."""

    def __init__(self, outcomes: Outcomes) -> None:
        self.outcomes = outcomes
        self.graded: list[str] = []
        self.ids: list[str] = []  # of all checks: the first file is graded by all of them

    def _outcomes(self, text: str) -> list[str]:
        hostile = ["x"] * len(self.outcomes["solution"])
        return self.outcomes.get(text, hostile)

    def grade(
        self,
        assignment: Assignment,
        source: Source,
        *,
        seed: int | None = None,
        on_check: Callable[[CheckResult], None] | None = None,
    ) -> Report:
        self.graded.append(source.text)
        results = []
        self.ids = self.ids or [spec.id for spec in assignment.checks]
        told = dict(zip(self.ids, self._outcomes(source.text), strict=True))
        for spec in assignment.checks:
            outcome = told[spec.id]
            letter, _, mistake = outcome.partition(" ")
            verdict = VERDICTS[letter]
            points = spec.points / (1 + (letter == "h")) if verdict is Verdict.PASSED else Decimal(0)
            results.append(
                CheckResult(
                    spec.id,
                    spec.title,
                    verdict,
                    points,
                    spec.points,
                    spec.visibility,
                    "So it is.",
                    mistake or None,
                )
            )
        named = tuple(NamedMistake(id_, "h") for id_ in {r.mistake for r in results if r.mistake})
        return Report(
            assignment.slug, assignment.version, overall(tuple(results)), 1, 0.1, tuple(results), named
        )


def verified(**changed: list[str]) -> Verification:
    return verify(
        ASSIGNMENT, FakeGrader(GOOD | {name.replace("_", "-"): value for name, value in changed.items()})
    )


def test_a_complete_assignment() -> None:
    rows: list[Row] = []
    grader = FakeGrader(GOOD)
    verification = verify(ASSIGNMENT, grader, on_row=rows.append)
    assert verification.problems == ()
    assert not verification.faulty
    assert tuple(rows) == verification.table
    assert grader.graded == [*GOOD, *HOSTILE.values()]
    named, caught, passed = Mark.NAMED, Mark.CAUGHT, Mark.PASSED
    assert {row.name: (row.result, row.marks) for row in verification.table} == {
        "solution": ("6 of 6", (passed, passed, passed)),
        "starter": ("0 of 6", (caught, caught, caught)),
        "by-d": ("named", (passed, named, caught)),
        "no-mask": ("named", (passed, passed, named)),
        "late-mask": ("named", (passed, passed, named)),
    } | dict.fromkeys(HOSTILE, ("0 of 6", (caught, caught, caught)))


def test_what_is_good_to_know() -> None:
    assert verified().notes == (
        "Caught by one check only: no-mask (by mask), late-mask (by mask).",
        "What these checks catch, others catch as well: scale.",
        "No known mistake fails these checks: shape.",
    )
    measured = verified(solution=[".", "m", "."])
    assert measured.problems == ()
    assert measured.notes[0].startswith('"scale" was not measured')


TIMED = replace(
    ASSIGNMENT, checks=(*CHECKS, CheckSpec("fast", "T", Decimal(2), Visibility.PUBLIC, timed=True))
)


def verified_timed(**changed: list[str]) -> Verification:
    outcomes = {name: [*each, "x"] for name, each in GOOD.items()} | {"solution": [".", ".", ".", "."]}
    outcomes |= {name.replace("_", "-"): value for name, value in changed.items()}
    return verify(TIMED, FakeGrader(outcomes))


@pytest.mark.parametrize(
    ("outcome", "note"),
    [
        (".", '"fast" gives the solution 2 of 2 points here. So it is.'),
        ("h", '"fast" gives the solution 1 of 2 points here. So it is.'),
        ("t", '"fast" gives the solution 0 of 2 points here. So it is.'),
        ("m", '"fast" was not measured for the solution. So it is.'),
    ],
)
def test_how_fast_the_solution_is_here_is_no_hindrance(outcome: str, note: str) -> None:
    verification = verified_timed(solution=[".", ".", ".", outcome])
    assert verification.problems == ()
    assert verification.notes[0] == note
    assert not any("fails these checks" in note and "fast" in note for note in verification.notes)


def test_it_must_be_right_in_timed_checks_and_in_others_get_all_points() -> None:
    [problem] = verified_timed(solution=[".", ".", ".", "x"]).problems
    assert problem.startswith('The solution does not pass "fast": wrong answer.')
    [problem] = verified_timed(solution=[".", ".", "h", "."]).problems
    assert problem == 'The solution does not pass "mask": it gets only 1 of 2 points.'
    [problem] = verified_timed(solution=[".", ".", "t", "."]).problems
    assert problem.startswith('The solution does not pass "mask": time limit.')


def test_a_timed_check_catches_no_mistake() -> None:
    verification = verified_timed(by_d=[".", ".", ".", "x by-d"])
    assert verification.problems == ('The mistake "by-d" passes every check. Add a check that catches it.',)
    assert {row.name: row.marks[3] for row in verification.table}["by-d"] is Mark.UNKNOWN


@pytest.mark.parametrize(
    ("name", "outcome", "words"),
    [
        ("solution", ["x", ".", "."], 'The solution does not pass "shape": wrong answer. So it is.'),
        ("solution", [".", ".", "n"], 'The solution does not pass "mask": not run.'),
        ("starter", ["x", ".", "x"], 'The starter already gets 2 points from "scale". It must get none'),
        ("starter", ["c", "n", "n"], 'The starter crashes at "shape".'),
        ("by_d", [".", ".", "."], 'The mistake "by-d" passes every check.'),
        ("by_d", [".", "n", "m"], 'The mistake "by-d" passes every check.'),
        (
            "by_d",
            ["x", ".", "."],
            'The mistake "by-d" is caught, first by "shape" (wrong answer), but not named',
        ),
        ("by_d", [".", "x no-mask", "."], 'The mistake "by-d" is taken for "no-mask".'),
        ("by_d", [".", "x by-d", "x no-mask"], 'The mistake "by-d" is taken for "no-mask".'),
        ("no_mask", [".", ".", "x by-d"], 'The mistake "no-mask" is taken for "by-d".'),
        (
            "by_d",
            ["a", "a", "a"],
            'Grading the mistake "by-d" ended in an assignment fault at the check "shape"',
        ),
        (
            "starter",
            ["x", "p", "p"],
            'Grading the starter ended in a platform fault at the check "scale": So it is.',
        ),
    ],
)
def test_what_is_missing(name: str, outcome: list[str], words: str) -> None:
    (problem,) = verified(**{name: outcome}).problems
    assert problem.startswith(words)
    assert problem.endswith(".")


def test_points_that_the_solution_lacks() -> None:
    grader = FakeGrader(GOOD)
    whole = grader.grade

    def stingy(assignment: Assignment, source: Source, **_: object) -> Report:
        told = whole(assignment, source)
        return replace(
            told, checks=(replace(told.checks[0], points=told.checks[0].points / 2), *told.checks[1:])
        )

    grader.grade = stingy  # type: ignore[method-assign]
    assert (
        'The solution does not pass "shape": it gets only 1 of 2 points.'
        in verify(ASSIGNMENT, grader).problems
    )


def test_where_the_solution_meets_a_fault_no_more_is_asked() -> None:
    verification = verified(solution=["a", "a", "a"])
    assert [row.name for row in verification.table] == ["solution"]
    assert len(verification.problems) == 1
    assert verification.faulty


def test_authors_are_told_what_a_fault_was_and_not_what_students_are_told() -> None:
    grader = FakeGrader(GOOD | {"solution": ["a", "a", "a"]})
    whole = grader.grade

    def with_reason(assignment: Assignment, source: Source, **_: object) -> Report:
        return replace(whole(assignment, source), provenance={"fault": "check shape: ZeroDivisionError"})

    grader.grade = with_reason  # type: ignore[method-assign]
    [problem] = verify(ASSIGNMENT, grader).problems
    assert problem.endswith("check shape: ZeroDivisionError")


def test_other_right_styles_must_pass_as_well() -> None:
    files = {**ASSIGNMENT.files, "styles/loops.py": "loops", "styles/einsum.py": "einsum"}
    styled = replace(ASSIGNMENT, files=files)
    outcomes = GOOD | {"loops": [".", "x by-d", "."], "einsum": [".", ".", "."]}
    verification = verify(styled, FakeGrader(outcomes))
    assert [row.name for row in verification.table[:4]] == ["solution", "einsum", "loops", "starter"]
    (problem,) = verification.problems
    assert problem.startswith('styles/loops.py, which should be right, does not pass "scale"')


def test_what_a_hostile_sample_gets_nobody_earned() -> None:
    outcomes = GOOD | {HOSTILE["exits"]: [".", "x", "x"]}
    (problem,) = verify(ASSIGNMENT, FakeGrader(outcomes)).problems
    assert problem.startswith('The hostile sample "exits" gets 2 points from "shape"')


def test_without_mistakes() -> None:
    alone = replace(ASSIGNMENT, mistakes=())
    verification = verify(alone, FakeGrader(GOOD))
    assert (verification.problems, verification.notes) == ((), ())


# On the terminal


def show(verification: Verification, columns: int, monkeypatch: pytest.MonkeyPatch, widest: int = 160) -> str:
    monkeypatch.setenv("COLUMNS", str(columns))
    stream = io.StringIO()
    with VerifyView(Screen(stream, widest=widest), verification.assignment) as view:
        for row in verification.table:
            view.row(row)
        view.finish(verification)
    return stream.getvalue()


def test_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    kinds = {"solution": "6 of 6    ·      ·     ·", "starter": "0 of 6    ○      ○     ○"}
    kinds |= {"by-d": "named     ·      ●     ○", "no-mask": "named     ·      ·     ●"}
    kinds |= {"late-mask": kinds["no-mask"]} | dict.fromkeys(HOSTILE, kinds["starter"])
    rows = "".join(f"{name:20}{row}\n" for name, row in kinds.items())
    assert (
        show(verified(), 80, monkeypatch)
        == f"""\
Scaled dot-product attention
scaled, version 0123456789ab

                            shape  scale  mask
{rows}
● caught and named   ○ caught   · passed

Nothing is missing: this assignment can be published.

Good to know:
- Caught by one check only: no-mask (by mask), late-mask (by mask).
- What these checks catch, others catch as well: scale.
- No known mistake fails these checks: shape.
"""
    )


def test_the_table_with_short_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    text = show(verified(by_d=["x no-mask", "m", "."]), 36, monkeypatch)
    assert (
        """\
                   A B C
solution           · · ·
starter            ○ ○ ○
by-d               × – ·
"""
        in text
    )
    assert "A shape\nB scale\nC mask\n" in text
    assert '- The mistake "by-d" is taken for' in text


@pytest.mark.parametrize("columns", [20, 40, 80, 120])
@pytest.mark.parametrize("count", [1, 12, 40])
def test_any_width_and_any_number_of_checks(
    columns: int, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    checks = tuple(CheckSpec(f"check-{n}", "T", Decimal(1), Visibility.PUBLIC) for n in range(count))
    mistakes = (MistakeSpec("a-mistake-with-a-rather-long-name", "h"),)
    files = {"solution.py": "solution", "starter.py": "starter", mistakes[0].file: "m"}
    wide = replace(ASSIGNMENT, checks=checks, mistakes=mistakes, files=files)
    outcomes = {"solution": ["."] * count, "starter": ["x"] * count, "m": [f"x {mistakes[0].id}"] * count}
    text = show(verify(wide, FakeGrader(outcomes)), columns, monkeypatch)
    assert max(map(cell_len, text.split("\n"))) <= columns
    assert text.partition("caught and named")[0].count("●") == count + 1  # and one to explain it
