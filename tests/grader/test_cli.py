"""The command line: exit codes, what goes to which stream, and that no traceback ever reaches a person.

The grader itself is a fake here; tests/grader/test_check_command.py runs the real one.
"""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from grader.assignment import Assignment, Device
from grader.cli import main
from grader.report import CheckResult, Report, Verdict, overall
from grader.source import Source

FILES = {
    "assignment.toml": """\
slug = "scaled"
title = "Scaled attention"
summary = "One line."
function = "attention"
signature = "attention(q)"
points = 3
[[checks]]
id = "first"
title = "The first check"
points = 1
visibility = "public"
[[checks]]
id = "second"
title = "The second check"
points = 2
visibility = "public"
""",
    "prompt.md": "Do.\n",
    "starter.py": "starter = 1\n",
    "solution.py": "solution = 1\n",
    "checks/public.py": "checks = 1\n",
}


class FakeUnavailable(Exception):
    pass


@dataclass(frozen=True)
class FakeRung:
    number: int = 2
    words: str = "a user namespace"


class FakeGrader:
    """Passes the solution, fails anything else; `act` may do something in the middle of grading."""

    verdict = Verdict.WRONG_ANSWER
    act: Callable[[], object] | None = None
    asked: list[int | None]

    def __init__(
        self, *, rung: int | None = None, device: Device = Device.CPU, stand_in: bool = False
    ) -> None:
        type(self).asked.append(rung)
        self.device = device
        if rung == 4:
            raise FakeUnavailable("Rung 4 cannot be had on this machine.")
        self.rung = FakeRung(rung or 2)

    def __enter__(self) -> FakeGrader:
        return self

    def __exit__(self, *_: object) -> None: ...

    def grade(
        self,
        assignment: Assignment,
        source: Source,
        *,
        seed: int | None = None,
        on_check: Callable[[CheckResult], None] | None = None,
    ) -> Report:
        return grade(assignment, source, self.rung.number, on_check)


def grade(
    assignment: Assignment, source: Source, rung: int | None, on_check: Callable[[CheckResult], None] | None
) -> Report:
    if FakeGrader.act:
        FakeGrader.act()
    verdict = Verdict.PASSED if "solution" in source.text else FakeGrader.verdict
    results = []
    for spec in assignment.checks:
        points = spec.points if verdict is Verdict.PASSED else Decimal(0)
        result = CheckResult(spec.id, spec.title, verdict, points, spec.points, spec.visibility, "Thus.")
        results.append(result)
        if on_check:
            on_check(result)
    checks = tuple(results)
    return Report(assignment.slug, assignment.version, overall(checks), rung, 0.1, checks)


@pytest.fixture(autouse=True)
def fakes(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GRADER_DEBUG", "FORCE_COLOR", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(FakeGrader, "verdict", Verdict.WRONG_ANSWER)
    monkeypatch.setattr(FakeGrader, "act", None)
    monkeypatch.setattr(FakeGrader, "asked", [], raising=False)
    with_sandbox, local = ModuleType("grader.grade"), ModuleType("grader.local")
    vars(with_sandbox).update(Grader=FakeGrader, SandboxUnavailable=FakeUnavailable)
    vars(local)["NoGPU"] = type("NoGPU", (Exception,), {})
    vars(local)["grade_locally"] = lambda assignment, source, *, on_check, stand_in: grade(
        assignment, source, None, on_check
    )
    monkeypatch.setitem(sys.modules, "grader.grade", with_sandbox)
    monkeypatch.setitem(sys.modules, "grader.local", local)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "scaled"
    for path, text in FILES.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    return folder


@pytest.fixture
def right(tmp_path: Path) -> str:
    (tmp_path / "right.py").write_text("solution = 2\n")
    return str(tmp_path / "right.py")


@pytest.fixture
def wrong(tmp_path: Path) -> str:
    (tmp_path / "wrong.py").write_text("x = 2\n")
    return str(tmp_path / "wrong.py")


Output = pytest.CaptureFixture[str]


def acting(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    """Let grading raise this."""

    def act() -> None:
        raise error

    monkeypatch.setattr(FakeGrader, "act", staticmethod(act))


# grader check


def test_all_passed(folder: Path, right: str, capsys: Output) -> None:
    assert main(["check", str(folder), right]) == 0
    shown = capsys.readouterr()
    assert "In the sandbox, rung 2: a user namespace." in shown.out
    assert "Points: 1 + 2 = 3 of 3" in shown.out
    assert shown.err == ""


def test_not_all_passed(folder: Path, wrong: str, capsys: Output) -> None:
    assert main(["check", str(folder), wrong]) == 1
    assert "Points: 0 + 0 = 0 of 3" in capsys.readouterr().out


@pytest.mark.parametrize("verdict", [Verdict.ASSIGNMENT_FAULT, Verdict.PLATFORM_FAULT])
@pytest.mark.parametrize("json_wanted", [False, True])
def test_a_fault(
    verdict: Verdict,
    json_wanted: bool,
    folder: Path,
    wrong: str,
    capsys: Output,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(FakeGrader, "verdict", verdict)
    assert main(["check", str(folder), wrong, *["--json"] * json_wanted]) == 3
    assert str(verdict) in " ".join(capsys.readouterr().out.split())


def test_json_alone_is_on_standard_output(folder: Path, tmp_path: Path, capsys: Output) -> None:
    cells = [{"cell_type": "code", "source": "%matplotlib inline\nx = 1"}]
    (tmp_path / "a.ipynb").write_text(json.dumps({"cells": cells}))
    assert main(["check", str(folder), str(tmp_path / "a.ipynb"), "--json"]) == 1
    shown = capsys.readouterr()
    read = json.loads(shown.out)
    assert (read["points"], read["max_points"], read["rung"], len(read["checks"])) == (0, 3, 2, 2)
    assert shown.err.startswith("Note: Cell 1, line 1 was left out")


def test_json_is_utf8_whatever_the_terminal_prefers(
    folder: Path, wrong: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    title = FILES["assignment.toml"].replace("The first check", "Das Erste: ä 🦊")
    (folder / "assignment.toml").write_text(title, encoding="utf-8")
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="cp1252"))
    main(["check", str(folder), wrong, "--json"])
    assert json.loads(raw.getvalue().decode("utf-8"))["checks"][0]["title"] == "Das Erste: ä 🦊"


def test_locally(folder: Path, right: str, capsys: Output) -> None:
    assert main(["check", str(folder), right, "--local"]) == 0
    shown = capsys.readouterr().out
    assert "On this machine, without a sandbox." in shown
    assert "what counts is what you hand in" in shown
    assert FakeGrader.asked == []


@pytest.mark.parametrize("rung", [1, 2, 3])
def test_a_rung_of_ones_own(rung: int, folder: Path, right: str) -> None:
    assert main(["check", str(folder), right, "--rung", str(rung)]) == 0
    assert FakeGrader.asked == [rung]


@pytest.mark.parametrize("more", [[], ["--json"]])
def test_no_sandbox(more: list[str], folder: Path, right: str, capsys: Output) -> None:
    assert main(["check", str(folder), right, "--rung", "4", *more]) == 3
    shown = capsys.readouterr()
    assert "Rung 4 cannot be had on this machine.\n" in shown.err
    assert "Points" not in shown.out
    if more:
        assert shown.out == ""


def test_all_that_is_unusable_is_told(folder: Path, capsys: Output) -> None:
    (folder / "prompt.md").unlink()
    manifest = FILES["assignment.toml"].replace("points = 3", "points = 4").replace("summary", "sumary")
    (folder / "assignment.toml").write_text(manifest)
    assert main(["check", str(folder), "gone.py", "--json"]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.splitlines() == [
        f"The assignment folder {folder} cannot be used: 4 problems.",
        f'  {folder}/assignment.toml: The assignment has no "summary".',
        f'  {folder}/assignment.toml:3: The assignment has an unknown key "sumary". Did you mean "summary"?',
        f"  {folder}/assignment.toml:6: The points of the checks add up to 3, but the assignment is worth 4. "
        "Make them equal.",
        f"  {folder}/prompt.md: This file is missing.",
        "There is no file gone.py. Look for a slip in its path.",
    ]


def test_no_folder(right: str, tmp_path: Path, capsys: Output) -> None:
    assert main(["check", str(tmp_path / "gone"), right]) == 2
    assert capsys.readouterr().err.splitlines() == [
        f"The assignment folder {tmp_path}/gone cannot be used: 1 problem.",
        f"  {tmp_path}/gone: There is no such folder. Give the path of an assignment folder.",
    ]


# Things that go wrong


def test_an_unexpected_error_is_ours(
    folder: Path, right: str, capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    acting(monkeypatch, KeyError("\x1b[31mx"))
    assert main(["check", str(folder), right]) == 3
    shown = capsys.readouterr()
    assert "This is our fault, not that of your code." in shown.err
    assert "KeyError" in shown.err
    assert "Traceback" not in shown.err + shown.out
    assert "\x1b" not in shown.err
    monkeypatch.setenv("GRADER_DEBUG", "1")
    assert main(["check", str(folder), right]) == 3
    assert "Traceback" in capsys.readouterr().err


@pytest.mark.parametrize(
    "error", [RecursionError(), MemoryError(), BrokenPipeError(32, "Broken pipe"), OSError(22, "x")]
)
def test_errors_of_the_sandbox_are_no_closed_output(
    error: Exception, folder: Path, right: str, capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    acting(monkeypatch, error)
    assert main(["check", str(folder), right]) == 3
    assert "our fault" in capsys.readouterr().err


def test_interrupted(folder: Path, right: str, capsys: Output, monkeypatch: pytest.MonkeyPatch) -> None:
    acting(monkeypatch, KeyboardInterrupt())
    assert main(["check", str(folder), right]) == 130
    assert capsys.readouterr().err == "Stopped.\n"


class Refusing(io.StringIO):
    """A stream that takes nothing."""

    def __init__(self, error: OSError) -> None:
        super().__init__()
        self._error = error

    def write(self, text: str) -> int:
        raise self._error


@pytest.mark.parametrize("more", [[], ["--json"]])
def test_a_reader_that_has_gone(
    more: list[str], folder: Path, right: str, capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdout", Refusing(BrokenPipeError(32, "Broken pipe")))
    assert main(["check", str(folder), right, *more]) == 141
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("more", [[], ["--json"]])
def test_a_full_disk(
    more: list[str], folder: Path, right: str, capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdout", Refusing(OSError(28, "No space left on device")))
    assert main(["check", str(folder), right, *more]) == 3
    assert capsys.readouterr().err.startswith("The result could not be written: No space left on device.")


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["chek"],
        ["check"],
        ["check", "a"],
        ["check", "a", "b.py", "--rung", "5"],
        ["check", "a", "b.py", "--rung", "0"],
        ["check", "a", "b.py", "--rung", "x"],
        ["check", "a", "b.py", "--rung", "1", "--local"],
        ["verify"],
    ],
)
def test_commands_that_make_no_sense(arguments: list[str], capsys: Output) -> None:
    assert main(arguments) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith("usage: grader")


# grader verify


def test_verify(folder: Path, capsys: Output) -> None:
    assert main(["verify", str(folder)]) == 0
    assert "Nothing is missing: this assignment can be published." in capsys.readouterr().out


def test_verify_something_missing(folder: Path, capsys: Output) -> None:
    (folder / "starter.py").write_text("solution = 1\n")
    assert main(["verify", str(folder), "--rung", "3"]) == 1
    assert 'The starter already gets 1 points from "first"' in capsys.readouterr().out
    assert FakeGrader.asked == [3]


def test_verify_goes_on_after_a_folder_that_cannot_be_used(
    folder: Path, tmp_path: Path, capsys: Output
) -> None:
    assert main(["verify", str(tmp_path / "gone"), str(folder)]) == 2
    shown = capsys.readouterr()
    assert "no such folder" in shown.err
    assert "Nothing is missing" in shown.out
    assert main(["verify", str(tmp_path / "gone")]) == 2


def test_verify_with_a_fault(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: Output) -> None:
    monkeypatch.setattr(FakeGrader, "verdict", Verdict.PLATFORM_FAULT)
    assert main(["verify", str(folder)]) == 3
    assert main(["verify", str(folder), "--rung", "4"]) == 3
    assert "Rung 4 cannot be had" in capsys.readouterr().err


# The real program


def run(*arguments: str, **more: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, check=False, timeout=180, **more
    )


def test_help_and_version() -> None:
    whole = run("-m", "grader.cli", "--help")
    assert (whole.returncode, whole.stderr) == (0, "")
    assert "check" in whole.stdout
    assert "verify" in whole.stdout
    one = run("-m", "grader.cli", "check", "--help")
    for word in ("ASSIGNMENT_DIR", "FILE", "--json", "--rung", "--local", "exit codes:"):
        assert word in one.stdout
    assert run("-m", "grader.cli", "--version").stdout.startswith("grader ")


def test_help_waits_neither_for_numpy_nor_for_rich() -> None:
    program = "import sys; from grader.cli import main; main(['--help']); print(*sys.modules)"
    modules = run("-c", program).stdout.split("\n")[-2].split()
    assert "grader.cli" in modules
    assert not {"numpy", "rich", "importlib.metadata"} & set(modules)


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX pipes")
def test_help_into_a_closed_pipe() -> None:
    readable, writable = os.pipe()
    os.close(readable)
    done = subprocess.run(
        [sys.executable, "-m", "grader.cli", "--help"], stdout=writable, stderr=subprocess.PIPE, check=False
    )
    os.close(writable)
    # Unbuffered, argparse meets the closed pipe first and says nothing of it.
    assert done.returncode in (141, 0)
    assert done.stderr == b""


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals")
def test_ctrl_c_is_a_short_word(folder: Path, right: str) -> None:
    program = (
        "import signal, sys, time, types\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # a shell's background jobs ignore it
        "fake = types.ModuleType('grader.grade')\n"
        "class Grader:\n"
        "    def __init__(self, **_):\n"
        "        print('ready', flush=True)\n"
        "        time.sleep(60)\n"
        "fake.Grader, fake.SandboxUnavailable = Grader, OSError\n"
        "sys.modules['grader.grade'] = fake\n"
        "from grader.cli import main\n"
        "sys.exit(main(sys.argv[1:]))\n"
    )
    command = [sys.executable, "-c", program, "check", str(folder), right]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        while process.stdout.readline() != b"ready\n":
            assert process.poll() is None
        time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=120)
    assert (process.returncode, told) == (130, b"Stopped.\n")
