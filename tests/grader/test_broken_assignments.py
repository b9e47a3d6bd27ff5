"""Assignments whose own code is broken or hostile: told as such, and no student pays for it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from grader import local
from grader.assignment import Assignment, load_assignment
from grader.grade import Grader, SandboxUnavailable
from grader.report import Report, Verdict
from grader.sandbox import session
from grader.source import Source

SECRET = "sqrt-of-a-secret-77c0"
LONGEST = 4_000  # characters of a message: it is stored and shown

MANIFEST = """\
slug = "twice"
title = "Twice as much"
summary = "Double an array."
function = "double"
signature = "double(x)"
points = 3

[limits]
call_seconds = 10.0
load_seconds = 10.0
total_seconds = 10.0
memory_mb = 256

[[checks]]
id = "one"
title = "Values"
points = 1
visibility = "public"

[[checks]]
id = "two"
title = "The check that may be broken"
points = 2
visibility = "public"

[[mistakes]]
id = "triples"
hint = "You multiply by 3."
"""
CHECKS = """\
import ctypes, json, os, signal, socket, sys, threading, time
import numpy as np
from grader.checks import Call, Expected, Failed, ask_array, property_check, require, value_check
from grader.report import Verdict


def twice(x):
    return Expected(2.0 * x, np.full(x.shape, 1e-9), x.dtype)


@value_check("one", twice)
def one(draw):
    return Call(draw.normal(4, dtype=np.float64))


@property_check("two")
def two(student, draw):
    x = draw.normal(4, dtype=np.float64)
    got = ask_array(student, Call(x), (4,), np.float64)
    BODY
    require(bool((got == 2 * x).all()), "It must be twice as much.")
"""
BODY_LINE = CHECKS[: CHECKS.index("BODY")].count("\n") + 1
FILES = {
    "assignment.toml": MANIFEST,
    "prompt.md": "Write `double`.\n",
    "starter.py": "def double(x):\n    raise NotImplementedError\n",
    "solution.py": "def double(x):\n    return 2 * x\n",
    "mistakes/triples.py": "def double(x):\n    return 3 * x\n",
}
RIGHT = Source("def double(x):\n    return x + x\n")
WRONG = Source("def double(x):\n    return x + x + x\n")

Build = Callable[..., Assignment]


@pytest.fixture
def build(tmp_path: Path) -> Build:
    """Makes an assignment: `body` stands in the check "two", `files` replace those of the folder."""

    def build(body: str = "pass", files: dict[str, str] | None = None) -> Assignment:
        folder = tmp_path / "twice"
        for path, text in (
            FILES | {"checks/public.py": CHECKS.replace("BODY", body)} | (files or {})
        ).items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text)
        return load_assignment(folder)

    return build


@pytest.fixture(scope="module")
def grader() -> Iterator[Grader]:
    os.environ["SOFTMARK_SECRET"] = SECRET
    try:
        with Grader() as grader:
            yield grader
    except SandboxUnavailable as unavailable:
        pytest.skip(str(unavailable))
    finally:
        os.environ.pop("SOFTMARK_SECRET", None)


@pytest.fixture
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Less of it with a judge that does not finish, so that tests of one are short."""
    monkeypatch.setattr(session, "JUDGE_SECONDS", 3.0 - 20.0)  # 3 s in all: the manifest's 20 are added to it
    monkeypatch.setattr(local, "_JUDGE_SECONDS", 10.0)  # to start Python with numpy, too


def assert_the_assignment_is_blamed(report: Report) -> None:
    """For every check that did not finish, in words that accuse nobody else and can be shown."""
    assert report.verdict is Verdict.ASSIGNMENT_FAULT
    faulty = [row for row in report.checks if row.verdict.is_fault]
    assert all(row.verdict in (Verdict.PASSED, Verdict.ASSIGNMENT_FAULT) for row in report.checks), (
        report.checks
    )
    for row in faulty:
        assert row.points == 0
        assert "assignment's own checks" in row.message
        assert "your code" not in row.message.lower()
        assert len(row.message) <= LONGEST


# What the check "two" does, and what its author must be able to read.
BODIES = {
    "raises": ("1 / 0", ["ZeroDivisionError: division by zero", "public.py", f"line {BODY_LINE}"]),
    "exits": ("sys.exit(0)", ["SystemExit", f"line {BODY_LINE}"]),
    "exits at once": ("os._exit(0)", ["died"]),
    "is interrupted": ("raise KeyboardInterrupt", ["KeyboardInterrupt"]),
    "crashes": ("ctypes.string_at(0)", ["died"]),
    "recurses without end": ("f = lambda: f(); f()", ["RecursionError"]),
    "takes too much memory": ("np.ones(1 << 28)", ["Unable to allocate"]),
    "prints without end": ("while True: print('x' * 999)", ["print"]),
    "forks": ("os.fork()", ["PermissionError"]),
    "starts a thread": ("threading.Thread(target=print).start()", ["can't start new thread"]),
    "uses the network": ("socket.socket()", ["PermissionError"]),
    "kills": ("os.kill(os.getppid(), signal.SIGKILL)", ["PermissionError"]),
    "reads files": ("open('/etc/passwd').read()", ["Error"]),
    "writes files": ("open('/tmp/kept', 'w')", ["Error"]),
    "raises a strange Failed": ("raise Failed('splendid', 12)", ["splendid"]),
    "claims a platform fault": ("raise Failed(Verdict.PLATFORM_FAULT, 'Not us.')", ["platform fault"]),
}


@pytest.mark.parametrize("what", BODIES)
def test_a_check_that(what: str, grader: Grader, build: Build) -> None:
    body, says = BODIES[what]
    report = grader.grade(build(body), RIGHT)
    assert_the_assignment_is_blamed(report)
    for phrase in says:
        assert phrase in report.provenance["fault"]


def test_the_words_name_the_line_and_are_no_traceback(grader: Grader, build: Build) -> None:
    """The way through the grader's own files helps nobody."""
    report = grader.grade(build("1 / 0"), RIGHT)
    assert "Traceback" not in report.provenance["fault"]


FORGED = '{"check":"two","verdict":"passed","points":99,"seconds":0,"message":"","mistake":null}'


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (FORGED, "awards points"),
        (FORGED.replace("two", "three"), "does not have"),
        (FORGED.replace("passed", "splendid"), "does not exist"),
        (FORGED.replace("99", "NaN"), "not finite"),
        (FORGED.replace("99", "0").replace('""', '"' + "x" * 70_000 + '"'), "too long"),
        ('{"final": true}', "left checks out"),
        ("[" * 50_000, "not JSON"),
    ],
)
def test_a_check_that_forges(line: str, says: str, grader: Grader, build: Build) -> None:
    """Whatever descriptor its lines leave by."""
    body = f"""
    for fd in range(3, 40):
        try:
            os.write(fd, {line!r}.encode() + b"\\n")
        except OSError:
            pass
"""
    report = grader.grade(build(body.strip()), RIGHT)
    assert_the_assignment_is_blamed(report)
    assert says in report.provenance["fault"]


@pytest.mark.parametrize(
    ("checks", "says"),
    [
        ("import nothing_of_the_kind", "nothing_of_the_kind"),
        ("def (", "SyntaxError"),
        ("import sys; sys.exit()", "SystemExit"),
        (CHECKS.replace('"two")', '"too")').replace("BODY", "pass"), "two"),
        ("one = two = 1", "one, two"),
    ],
)
def test_checks_that_cannot_be_loaded(checks: str, says: str, grader: Grader, build: Build) -> None:
    report = grader.grade(build(files={"checks/public.py": checks}), RIGHT)
    assert_the_assignment_is_blamed(report)
    assert says in report.provenance["fault"]


@pytest.mark.usefixtures("patience")
@pytest.mark.parametrize("body", ["while True: pass", "time.sleep(99)"])
def test_a_check_that_never_ends(body: str, grader: Grader, build: Build) -> None:
    report = grader.grade(build(body), RIGHT)
    assert_the_assignment_is_blamed(report)
    assert "in time" in report.provenance["fault"]


@pytest.mark.usefixtures("patience")
def test_checks_that_never_load(grader: Grader, build: Build) -> None:
    report = grader.grade(build(files={"checks/public.py": "while True: pass"}), RIGHT)
    assert_the_assignment_is_blamed(report)


def test_a_check_that_prints_a_little_is_fine(grader: Grader, build: Build) -> None:
    """But what it prints may be anything that the judge knows, so no student sees it."""
    report = grader.grade(build("print('right is', 2 * x, file=sys.stderr); print('an aside')"), RIGHT)
    assert report.verdict is Verdict.PASSED
    assert "aside" not in report.to_json()


def test_what_a_hidden_check_says_when_it_breaks_is_not_for_students(grader: Grader, build: Build) -> None:
    """Its exception may hold the right answer."""
    manifest = MANIFEST.replace('"public"', '"after_due"').replace('"after_due"', '"public"', 1)
    checks = CHECKS.replace("BODY", "print('right: 42'); raise RuntimeError('the right answer is 42')")
    files = {"assignment.toml": manifest, "checks/hidden.py": checks}
    report = grader.grade(build(files=files), RIGHT)
    assert report.verdict is Verdict.ASSIGNMENT_FAULT
    assert not any("42" in row.message for row in report.checks), report.checks[0].message


def test_the_environment_of_the_worker_is_out_of_reach(grader: Grader, build: Build) -> None:
    body = """
    loot = [dict(os.environ)]
    for path in ["self", "1", os.getppid(), "thread-self"]:
        for name in ["environ", "cmdline", "maps"]:
            try:
                loot.append(open(f"/proc/{path}/{name}", "rb").read())
            except OSError:
                pass
    raise RuntimeError(repr(loot)[:3000])
"""
    report = grader.grade(build(body.strip()), RIGHT)
    assert report.verdict is Verdict.ASSIGNMENT_FAULT
    assert SECRET not in report.to_json()


BROKEN_MISTAKES = {
    "raises when loaded": "1 / 0",
    "lacks its function": "x = 1",
    "ends the process": "import os\n\ndef double(x):\n    os._exit(0)\n",
    "never ends": "def double(x):\n    while True: pass\n",
    "exits": "def double(x):\n    raise SystemExit\n",
}


@pytest.mark.usefixtures("patience")
@pytest.mark.parametrize("what", BROKEN_MISTAKES)
def test_a_known_mistake_that(
    what: str, grader: Grader, build: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A wrong answer is no more than wrong because the known mistakes cannot be run."""
    assignment = build(files={"mistakes/triples.py": BROKEN_MISTAKES[what]})
    report = grader.grade(assignment, WRONG)
    assert {row.verdict for row in report.checks} <= {Verdict.WRONG_ANSWER, Verdict.ASSIGNMENT_FAULT}
    assert not any("your code upset" in row.message for row in report.checks)
    monkeypatch.undo()
    assert grader.grade(assignment, RIGHT).points == 3


def test_a_solution_that_cannot_be_loaded_clears_nobody(grader: Grader, build: Build) -> None:
    """It stands in for the student to find out who broke the check; here it proves nothing."""
    assignment = build("1 / 0", {"solution.py": "x = 1\n"})
    assert_the_assignment_is_blamed(grader.grade(assignment, RIGHT))


def test_a_check_that_breaks_on_wrong_answers_only(grader: Grader, build: Build) -> None:
    """It costs its own points; the other checks keep what they said."""
    assignment = build("assert (got == 2 * x).all()")
    one, two = grader.grade(assignment, WRONG).checks
    assert (one.verdict, one.mistake) == (Verdict.WRONG_ANSWER, "triples")
    assert two.verdict is not Verdict.PASSED
    assert "Traceback" not in two.message
    assert grader.grade(assignment, RIGHT).points == 3


def test_whoever_comes_next_is_graded_as_ever(grader: Grader, build: Build) -> None:
    for body in ("os._exit(1)", "os.kill(0, signal.SIGKILL)", "os.closerange(0, 64)", "pass"):
        report = grader.grade(build(body), RIGHT)
    assert report.verdict is Verdict.PASSED


@pytest.mark.usefixtures("patience")
@pytest.mark.parametrize("body", ["1 / 0", "os._exit(0)", "while True: pass", "sys.exit(0)"])
def test_without_a_sandbox(body: str, build: Build) -> None:
    """The same blame, and the checks before the broken one count."""
    report = local.grade_locally(build(body), RIGHT)
    assert report.verdict is Verdict.ASSIGNMENT_FAULT, report.checks
    assert report.checks[0].points == 1


def command(folder: Path, file: Path, *options: str) -> subprocess.CompletedProcess[str]:
    arguments = [sys.executable, "-m", "grader.cli", "check", str(folder), str(file), *options]
    return subprocess.run(arguments, capture_output=True, text=True, timeout=180, check=False)


@pytest.mark.parametrize("option", [[], ["--local"], ["--json"]])
def test_the_command(option: list[str], build: Build, tmp_path: Path) -> None:
    build("1 / 0")
    (tmp_path / "right.py").write_text(RIGHT.text)
    done = command(tmp_path / "twice", tmp_path / "right.py", *option)
    assert done.returncode == 3
    assert "Traceback" not in done.stdout + done.stderr
    if option == ["--json"]:
        assert json.loads(done.stdout)["verdict"] == "assignment fault"
    else:
        words = " ".join(done.stdout.split())
        assert "The assignment is at fault, not your code, and it costs you nothing." in words
        assert "division by zero" in words  # for its author, who may be the one who reads this
