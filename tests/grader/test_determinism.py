"""The same submission graded again gives the same report, but for times and timed checks; so do other rungs, and no
sandbox at all.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from grader.assignment import Assignment, load_assignment
from grader.grade import Grader, SandboxUnavailable
from grader.local import grade_locally
from grader.report import Report
from grader.source import Source, read_source

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "fixtures" / "submissions"
EXPECTED: dict[str, dict[str, Any]] = tomllib.loads((FOLDER / "expected.toml").read_text("utf-8"))
RIGHT = [file for file in EXPECTED if "/right/" in file]
TIMES = 20

# Each with something of its own: named mistakes, exceptions, prints, a fresh child, a limit, notes of a notebook.
VARIED = """
    scaled-dot-product/wrong/swapped_operands.py
    scaled-dot-product/wrong/prints_every_score.py
    scaled-dot-product/wrong/every_weight_times_every_value.py
    scaled-dot-product/wrong/recursion_without_end.py
    scaled-dot-product/wrong/notebook_out_of_order.ipynb
    scaled-dot-product/hostile/null_pointer.py
    scaled-dot-product/hostile/forges_answers.py
    causal-mask/wrong/strict_and_unscaled.py
    causal-mask/wrong/if_mask.py
    causal-mask/hostile/leaves_early.py
    causal-mask/hostile/starts_a_shell.py
""".split()

# No limit on memory or output holds without a sandbox, so what runs into one is left out.
LOCAL = """
    scaled-dot-product/right/plain.py
    scaled-dot-product/right/windows_editor.py
    causal-mask/right/notebook.ipynb
    scaled-dot-product/wrong/swapped_operands.py
    scaled-dot-product/wrong/asks_for_a_number.py
    scaled-dot-product/wrong/exits_at_the_end.py
    scaled-dot-product/wrong/notebook_out_of_order.ipynb
    causal-mask/wrong/minus_one_e_nine.py
    causal-mask/wrong/no_mask_argument.py
    causal-mask/wrong/overwrites_its_mask.py
""".split()


@cache
def assignment(slug: str) -> Assignment:
    return load_assignment(ROOT / "assignments" / slug)


def arguments(file: str) -> tuple[Assignment, Source]:
    return assignment(file.split("/")[0]), read_source(FOLDER / file)


def without_times(report: Report) -> dict[str, Any]:
    """Without all that depends on a clock: also what timed checks came to, and what is added up with it."""
    told = report.to_dict()
    del told["seconds"], told["provenance"]["started_at"]
    timed = {check.id for check in assignment(report.assignment).checks if check.timed}
    for check in told["checks"]:
        del check["seconds"]
        if check["id"] in timed:
            del check["verdict"], check["points"], check["message"], check["flag"]
    if timed:
        del told["points"], told["verdict"]
    return told


def without_rung(report: Report) -> dict[str, Any]:
    told = without_times(report)
    del told["rung"], told["provenance"]["rung"]
    return told


@pytest.fixture(scope="module")
def graders() -> Iterator[Callable[[int | None], Grader]]:
    """A Grader by its rung, None for the strongest; a rung that the machine lacks skips the test."""
    opened: dict[int | None, Grader] = {}

    def grader(rung: int | None) -> Grader:
        if rung not in opened:
            try:
                opened[rung] = Grader(rung=rung)
            except SandboxUnavailable as unavailable:
                pytest.skip(str(unavailable))
        return opened[rung]

    yield grader
    for each in opened.values():
        each.close()


Graders = Callable[[int | None], Grader]


@pytest.mark.parametrize("file", VARIED[:2])
def test_graded_again(file: str, graders: Graders) -> None:
    first, *others = [without_times(graders(None).grade(*arguments(file))) for _ in range(TIMES)]
    for other in others:
        assert other == first
    with Grader() as fresh:
        assert without_times(fresh.grade(*arguments(file))) == first


def test_another_seed_gives_other_inputs(graders: Graders) -> None:
    """Or all of this would prove little."""
    grader = graders(None)
    one, two, again = (
        grader.grade(*arguments("scaled-dot-product/wrong/two_mistakes.py"), seed=s) for s in (1, 2, 1)
    )
    assert without_times(one) == without_times(again)
    assert one.provenance["seed"] == 1
    assert [check.message for check in one.checks] != [check.message for check in two.checks]


def grade_noisy(grader: Grader, print_: str) -> Report:
    """A right answer that prints in every call."""
    sdp, plain = arguments("scaled-dot-product/right/plain.py")
    noisy = plain.text.replace("    d = ", f"    {print_}\n    d = ", 1)
    assert noisy != plain.text
    return grader.grade(sdp, Source(noisy))


@pytest.mark.parametrize("characters", [44_000, 200_000])
def test_points_do_not_hang_on_when_the_printing_is_noticed(characters: int, graders: Graders) -> None:
    """Somebody prints a lot, if not without end: which checks that costs must not be decided by a race."""
    reports = [grade_noisy(graders(None), f"print('x' * {characters})") for _ in range(12)]
    verdicts = {" ".join(f"{check.id}: {check.verdict}," for check in report.checks) for report in reports}
    assert len(verdicts) == 1, verdicts


def test_what_is_printed_belongs_to_the_check_that_ran(graders: Graders) -> None:
    """Or what is printed of a hidden input is shown with the public check before it."""
    shapes = {
        "worked-example": [(2, 4)],
        "two-keys": [(1, 5)],
        "keeps-dtype": [(2, 4, 6)],
        "leading-axes": [(5, 4), (3, 5, 4), (2, 1, 3, 5, 4)],
    }
    lines = {id: "".join(f"{shape}\n" * 2 for shape in each) for id, each in shapes.items()}
    for _ in range(TIMES):
        report = grade_noisy(graders(None), "print(q.shape)")
        assert {check.id: check.output for check in report.checks if check.output} == lines


@pytest.mark.parametrize("rung", [2, 3, 4])
def test_right_on_every_rung(rung: int, graders: Graders) -> None:
    """A weaker rung may refuse more, such as opening a file, but never what ordinary code needs."""
    missed = {}
    for file in RIGHT:
        report = graders(rung).grade(*arguments(file))
        assert report.rung == rung
        if report.points != report.max_points:
            missed[file] = report.checks[0].message
    assert missed == {}


@pytest.mark.parametrize("rung", [2, 3, 4])
def test_every_rung_says_the_same(rung: int, graders: Graders) -> None:
    """To the letter, but for the rung's own number."""
    strongest, other = graders(None), graders(rung)
    for file in VARIED:
        there, here = strongest.grade(*arguments(file)), other.grade(*arguments(file))
        assert without_rung(here) == without_rung(there), file


@pytest.mark.parametrize("file", LOCAL)
def test_the_students_own_machine_agrees(file: str) -> None:
    report = grade_locally(*arguments(file))
    assert report.rung is None
    assert report.verdict == EXPECTED[file]["verdict"]
    points = EXPECTED[file]["points"]
    assert report.points == (report.max_points if points == "all" else points)
    assert {mistake.id for mistake in report.mistakes} == set(EXPECTED[file]["mistakes"])


def test_the_students_own_machine_uses_the_same_words(graders: Graders) -> None:
    file = "scaled-dot-product/wrong/swapped_operands.py"
    ours, theirs = graders(None).grade(*arguments(file)), grade_locally(*arguments(file))
    assert [check.message for check in theirs.checks] == [check.message for check in ours.checks]
