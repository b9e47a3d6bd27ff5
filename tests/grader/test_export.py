"""A student's copy: nothing in it that a student may not see, and the same verdicts by its checks."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from grader import cli
from grader.assignment import Assignment, assignment_from_texts, load_assignment
from grader.export import NothingPublic, export, students_copy
from grader.grade import Grader, SandboxUnavailable
from grader.interface import ClassForm, Returns
from grader.report import Report, Verdict, Visibility
from grader.source import Source
from grader.verify import verify
from tests.grader.test_verify import FakeGrader

ASSIGNMENTS = sorted(
    path for path in (Path(__file__).resolve().parents[2] / "assignments").iterdir() if path.is_dir()
)


@pytest.mark.parametrize("folder", ASSIGNMENTS, ids=lambda folder: folder.name)
def test_the_copy_holds_what_is_public_and_no_more(folder: Path, tmp_path: Path) -> None:
    whole = load_assignment(folder)
    export(whole, tmp_path / "copy")
    copy = load_assignment(tmp_path / "copy")
    public = tuple(check for check in whole.checks if check.visibility is Visibility.PUBLIC)
    assert copy.checks == public
    assert copy.points == sum(check.points for check in public)
    assert (copy.mistakes, copy.public_only) == ((), True)
    for name in (
        "slug",
        "title",
        "summary",
        "lesson",
        "function",
        "signature",
        "returns",
        "class_form",
        "limits",
    ):
        assert getattr(copy, name) == getattr(whole, name), name
    assert set(copy.files) == {"assignment.toml", "prompt.md", "starter.py", "checks/public.py"}
    written = "\n".join(copy.files.values())
    for check in whole.checks:
        if check not in public:
            assert check.title not in written
    for mistake in whole.mistakes:
        assert mistake.hint not in written


def untimed(assignment: Assignment) -> Assignment:
    """Without the checks that are timed: how long something takes is never asserted."""
    return replace(assignment, checks=tuple(check for check in assignment.checks if not check.timed))


def of_public_checks(report: Report, copy: Assignment) -> dict[str, tuple[Verdict, Decimal]]:
    public = {check.id for check in copy.checks}
    return {check.id: (check.verdict, check.points) for check in report.checks if check.id in public}


@pytest.mark.parametrize("folder", ASSIGNMENTS, ids=lambda folder: folder.name)
def test_the_copy_gives_the_verdicts_of_the_site(folder: Path) -> None:
    whole = load_assignment(folder)
    copy = untimed(assignment_from_texts(students_copy(whole)))
    whole = untimed(whole)
    texts = [whole.files[name] for name in ("solution.py", "starter.py")]
    texts += [whole.files[mistake.file] for mistake in whole.mistakes[::7]]
    try:
        with Grader() as grader:
            for text in texts:
                site, home = (
                    of_public_checks(grader.grade(each, Source(text)), copy) for each in (whole, copy)
                )
                assert home == site
    except SandboxUnavailable as unavailable:
        pytest.skip(str(unavailable))


def with_form(assignment: Assignment) -> Assignment:
    return replace(
        assignment, title='A "title" with \\ and é', returns=Returns(("a", "b"), 1), lesson="a-lesson",
        class_form=ClassForm("Made", (), "forward", ("q", "k", "v")),
    )  # fmt: skip


def test_every_part_of_the_form_survives() -> None:
    whole = with_form(load_assignment(ASSIGNMENTS[-1].parent / "scaled-dot-product"))
    copy = assignment_from_texts(students_copy(whole))
    for name in ("title", "returns", "class_form", "lesson"):
        assert getattr(copy, name) == getattr(whole, name)


def test_without_public_checks_there_is_no_copy() -> None:
    whole = load_assignment(ASSIGNMENTS[-1].parent / "scaled-dot-product")
    hidden = tuple(check for check in whole.checks if check.visibility is not Visibility.PUBLIC)
    with pytest.raises(NothingPublic):
        students_copy(replace(whole, checks=hidden))


def test_a_copy_cannot_be_published() -> None:
    copy = assignment_from_texts(
        students_copy(load_assignment(ASSIGNMENTS[-1].parent / "scaled-dot-product"))
    )
    grader = FakeGrader({})
    verification = verify(copy, grader)
    assert grader.graded == []
    assert "a student's copy" in verification.problems[0]


# On the command line


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder, out = ASSIGNMENTS[-1].parent / "scaled-dot-product", tmp_path / "new" / "copy"
    assert cli.main(["export", str(folder), str(out)]) == 0
    assert f"grader check {out} FILE" in capsys.readouterr().out
    assert cli.main(["export", str(out), str(tmp_path / "copy of a copy")]) == 0
    assert cli.main(["verify", str(out)]) == 1


def test_what_is_there_is_never_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = ASSIGNMENTS[-1].parent / "scaled-dot-product"
    (tmp_path / "mine.py").write_text("x = 1")
    assert cli.main(["export", str(folder), str(tmp_path)]) == 2
    assert "nothing was written" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["mine.py"]
    assert cli.main(["export", str(folder), str(tmp_path / "mine.py")]) == 2
    assert cli.main(["export", str(folder), str(tmp_path / "mine.py" / "below")]) == 2
    assert cli.main(["export", str(tmp_path / "nowhere"), str(tmp_path / "out")]) == 2
    assert not (tmp_path / "out").exists()
