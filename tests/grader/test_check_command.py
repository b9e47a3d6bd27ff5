"""`grader check` as people run it, and every bad input that it gets: what happened, whose fault, what next."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import pytest

from grader.assignment import Assignment, Limits, load_assignment
from grader.grade import Grader, SandboxUnavailable
from grader.report import CheckResult, Verdict
from grader.source import Source, parse_source

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "assignments" / "scaled-dot-product"
FIXTURES = ROOT / "fixtures" / "submissions" / "scaled-dot-product"
RIGHT = FIXTURES / "right" / "plain.py"

BODY = """
    scores = q @ k.swapaxes(-1, -2) / q.shape[-1] ** 0.5
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    result = weights / weights.sum(-1, keepdims=True) @ v
"""
CODE = f"import numpy as np\n\n\ndef attention(q, k, v):{BODY}    return result\n"


@dataclass(frozen=True)
class Done:
    code: int
    out: str
    err: str

    @property
    def words(self) -> str:
        """Both streams, unwrapped."""
        return " ".join((self.out + " " + self.err).split())


def check(*arguments: str | Path, **environment: str) -> Done:
    command = [sys.executable, "-m", "grader.cli", "check", *map(str, arguments)]
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GRADER_")}
    done = subprocess.run(
        command,
        capture_output=True,
        encoding="utf-8",
        timeout=180,
        check=False,
        env=kept | environment,
        cwd=ROOT,
    )
    assert "Traceback" not in done.stdout + done.stderr
    return Done(done.returncode, done.stdout, done.stderr)


class TestTheCommand:
    """The real command in a process of its own: one run for each way that it can end."""

    def test_all_passed(self) -> None:
        done = check(FOLDER, RIGHT)
        assert (done.code, done.err) == (0, "")
        assert "All 10 checks passed." in done.words
        assert "= 10 of 10" in done.words
        assert re.search(r"In the sandbox, rung \d", done.words)

    def test_not_all_passed(self) -> None:
        done = check(FOLDER, FIXTURES / "wrong" / "divides_by_d.py")
        assert (done.code, done.err) == (1, "")
        assert "= 0 of 10" in done.words
        assert "You divide the scores by d." in done.words  # the hint
        assert "follow the hint" in done.words

    def test_json(self) -> None:
        done = check(FOLDER, FIXTURES / "wrong" / "np_sqrt_widens.py", "--json")
        assert (done.code, done.err) == (1, "")
        report = json.loads(done.out)
        assert {key: report[key] for key in ("assignment", "verdict", "points", "max_points")} == {
            "assignment": "scaled-dot-product", "verdict": "wrong type", "points": 9, "max_points": 10
        }  # fmt: skip
        assert [mistake["id"] for mistake in report["mistakes"]] == ["returns-float64"]
        assert report["rung"] in (1, 2, 3, 4)
        failed = [check for check in report["checks"] if check["verdict"] != "passed"]
        assert [check["id"] for check in failed] == ["keeps-dtype"]
        assert failed[0]["mistake"] == "returns-float64"

    def test_notes_of_a_notebook(self) -> None:
        """What was left out is said; with --json elsewhere, so that a program can read on."""
        notebook = FIXTURES / "right" / "notebook.ipynb"
        assert "Note: Cell 1, line 1 was left out" in check(FOLDER, notebook).words
        done = check(FOLDER, notebook, "--json")
        assert done.code == 0
        assert "Note: Cell 1, line 1 was left out" in done.err
        assert json.loads(done.out)["verdict"] == "passed"

    @pytest.mark.parametrize("rung", [1, 2, 3, 4])
    def test_a_rung_of_ones_own(self, rung: int) -> None:
        done = check(FOLDER, RIGHT, "--rung", str(rung))
        if done.code == 3:
            assert f"Rung {rung} cannot be had on this machine:" in done.err
            assert "add --local" in done.err
        else:
            assert done.code == 0
            assert f"In the sandbox, rung {rung}:" in done.words

    def test_local(self) -> None:
        done = check(FOLDER, FIXTURES / "right" / "prints_shapes.py", "--local")
        assert done.code == 0
        assert "On this machine, without a sandbox." in done.words
        assert "what counts is what you hand in" in done.words
        assert "shapes: (2, 3, 7, 6)" in done.words  # prints are seen

    def test_local_as_json(self) -> None:
        done = check(FOLDER, FIXTURES / "wrong" / "prints_every_score.py", "--local", "--json")
        report = json.loads(done.out)  # so nothing that was printed is in between
        assert report["rung"] is None
        assert done.code == 0

    def test_no_sandbox(self) -> None:
        done = check(FOLDER, RIGHT, GRADER_MINIMUM_RUNG="best")
        assert (done.code, "Points" in done.out) == (3, False)
        assert "GRADER_MINIMUM_RUNG is 'best'; it must be a rung from 1 to 4." in done.err

    def test_the_callers_environment_stays_with_the_caller(self) -> None:
        secret = "sqrt-of-a-secret-91ab"
        done = check(
            FOLDER, FIXTURES.parent / "causal-mask/hostile/shows_the_environment.py", "--json", KEY=secret
        )
        assert done.code == 1
        assert secret not in done.out + done.err

    def test_what_is_installed_is_the_same(self) -> None:
        program = Path(sys.executable).with_name("grader")
        if not program.exists():
            pytest.skip("the project is not installed in this environment")
        command = [program, "check", FOLDER, RIGHT]
        done = subprocess.run(command, capture_output=True, check=False, timeout=180)
        assert done.returncode == 0


class TestUnusable:
    """Exit code 2: the words are on standard error, and nothing else is anywhere."""

    @pytest.mark.parametrize(
        ("name", "data", "says"),
        [
            ("empty.py", b"", "empty.py is empty. Save your code in it"),
            ("blank.py", b" \n\n\t\n", "blank.py is empty."),
            ("large.py", b"# padding\n" * 500_000, "larger than 1 MB, the most allowed. Hand in only the code"),
            ("binary.py", bytes(range(256)) * 9, "so it is not Python code. Hand in the .py file"),
            ("archive.py", b"PK\x03\x04" + b"\0" * 99, "is a ZIP archive and not Python code."),
            ("latin.py", "# caf\xe9\n".encode("latin-1"), "is not UTF-8 text: line 1 holds the byte 0xe9. Save it as"),
            ("text.ipynb", CODE.encode(), "is not a notebook: line 1 is not JSON."),
            ("list.ipynb", b"[1, 2]", "is not a notebook."),
            ("bare.ipynb", b'{"cells": []}', "holds no Python code. Write your function in a code cell"),
            ("code.txt", CODE.encode(), "ends in .txt, but only Python files (.py) and notebooks (.ipynb)"),
            ("code", CODE.encode(), "has no ending, but only Python files"),
        ],
    )  # fmt: skip
    def test_the_file(self, name: str, data: bytes, says: str, tmp_path: Path) -> None:
        (tmp_path / name).write_bytes(data)
        done = check(FOLDER, tmp_path / name)
        assert (done.code, done.out) == (2, "")
        assert says in done.words

    def test_there_is_no_file(self, tmp_path: Path) -> None:
        done = check(FOLDER, tmp_path / "nothing.py", "--json")
        assert (done.code, done.out) == (2, "")
        assert f"There is no file {tmp_path / 'nothing.py'}. Look for a slip in its path." in done.words

    def test_a_folder_instead_of_a_file(self) -> None:
        done = check(FOLDER, RIGHT.parent)
        assert (done.code, done.out) == (2, "")
        assert "right is a folder. Give the path of your .py or .ipynb file in it." in done.words

    def test_file_and_folder_swapped(self) -> None:
        done = check(RIGHT, FOLDER)
        assert (done.code, done.out) == (2, "")
        assert "the assignment's folder comes first" in done.words

    def test_there_is_no_folder(self) -> None:
        done = check("assignments/scaled-dot-produkt", RIGHT)
        assert (done.code, done.out) == (2, "")
        assert "There is no such folder." in done.words

    def test_all_that_is_wrong_with_a_folder_at_once(self, tmp_path: Path) -> None:
        folder = tmp_path / "broken"
        shutil.copytree(FOLDER, folder)
        (folder / "prompt.md").unlink()
        manifest = (folder / "assignment.toml").read_text("utf-8")
        lines = manifest.replace("points = 10", "points = 11", 1).splitlines()
        at = lines.index("[limits]") + 1
        lines.insert(at, "colour = 3")
        (folder / "assignment.toml").write_text("\n".join(lines) + "\n", "utf-8")
        done = check(folder, RIGHT)
        assert (done.code, done.out) == (2, "")
        assert "cannot be used: 3 problems" in done.err
        assert f"{folder}/prompt.md: This file is missing." in done.words
        assert re.search(rf"{folder}/assignment\.toml:{at + 1}: .*unknown key \"colour\"", done.words)
        assert re.search(rf"{folder}/assignment\.toml:\d+: .*10.*11|11.*10", done.words)

    @pytest.mark.parametrize(
        ("arguments", "says"),
        [
            ([], "the following arguments are required: ASSIGNMENT_DIR, FILE"),
            ([FOLDER], "the following arguments are required: FILE"),
            ([FOLDER, RIGHT, "--rung", "5"], "invalid choice: 5"),
            ([FOLDER, RIGHT, "--rung", "1", "--local"], "not allowed with argument"),
            ([FOLDER, RIGHT, "--fast"], "unrecognized arguments: --fast"),
        ],
    )
    def test_the_command_line(self, arguments: list[str | Path], says: str) -> None:
        done = check(*arguments)
        assert (done.code, done.out) == (2, "")
        assert says in done.words


# Bad code: the verdict of the first check, and what its message says. The CLI adds nothing to it.
E, T, A, S = Verdict.EXCEPTION, Verdict.WRONG_TYPE, Verdict.WRONG_ANSWER, Verdict.WRONG_SHAPE
BAD: dict[str, tuple[str, Verdict, list[str]]] = {
    # it does not load
    "syntax error": (
        "def attention(q, k, v):\n    return (q @ k",
        E, ["could not be loaded", "SyntaxError at line 2", "return (q @ k", "'(' was never closed"],
    ),
    "indentation": (
        CODE.replace("    return", "   return"),
        E, ["could not be loaded", "IndentationError at line 8", "unindent does not match"],
    ),
    "tabs and spaces": (CODE.replace("    return", "\treturn"), E, ["could not be loaded", "TabError at line 8"]),
    "an escape that does not exist": ("x = '\\N{nothing}'", E, ["SyntaxError at line 1"]),
    "deep nesting": ("x = " + "(" * 1000 + ")" * 1000, E, ["could not be loaded", "too many nested parentheses"]),
    "missing module": (
        "import torch\n" + CODE,
        E, ["ModuleNotFoundError at line 1", "import torch", "not available here; numpy and the standard library"],
    ),
    "a module of their own": ("from my_utils import softmax\n" + CODE, E, ["not available here", "my_utils"]),
    "no such function": (
        CODE.replace("attention", "attn") + "\n\ndef softmax(x):\n    return x\n",
        E, ["does not define `attention`", "it defines attn, softmax"],
    ),
    "only a class": (
        "class Attention:\n    def attention(self, q, k, v):\n        return q\n",
        E, ["does not define `attention`", "Attention"],
    ),
    "only comments": ("# TODO\n", E, ["does not define `attention`", "it defines no function"]),
    "not callable": ("import numpy as np\nattention = np.ones(3)", E, ["`attention` is an array", "not a function"]),
    "none": ("attention = None", E, ["`attention` is None, not a function"]),
    "reads stdin": ("n = int(input('n? '))\n" + CODE, E, ["EOFError at line 1", "keyboard input; there is none here"]),
    "exits": (CODE + "\nimport sys\nsys.exit()", E, ["could not be loaded", "end the whole program"]),
    "quits": (CODE + "\nexit()", E, ["could not be loaded"]),
    "exits for real": (CODE + "\nimport os\nos._exit(0)", Verdict.CRASHED, ["ended the whole process (exit code 0)"]),
    "skips": (CODE + "\nimport unittest\nraise unittest.SkipTest", E, ["SkipTest at line 11", "cannot be skipped"]),
    "interrupts": (CODE + "\nraise KeyboardInterrupt", E, ["could not be loaded: KeyboardInterrupt at line 10"]),
    "raises a group": (
        CODE + "\nraise ExceptionGroup('two', [ValueError('one'), KeyError('two')])",
        E, ["could not be loaded: ExceptionGroup at line 10"],
    ),
    "reads a file": (CODE + "\nx = np.load('w.npy')", E, ["FileNotFoundError|PermissionError", "np.load('w.npy')"]),
    "never loads": (CODE + "\nwhile True: pass", Verdict.TIME_LIMIT, ["Loading your file may take", "never ends"]),
    # it cannot be called
    "too few parameters": (
        CODE.replace("q, k, v", "q, k", 1),
        E, ["cannot be called as attention(q, k, v)", "takes 2 positional arguments but 3 were given"],
    ),
    "too many parameters": (CODE.replace("v)", "v, d)", 1), E, ["cannot be called as attention", "argument: 'd'"]),
    "a class": ("class attention:\n    pass", E, ["cannot be called as attention(q, k, v)", "takes no arguments"]),
    # it raises
    "a slip in a name": (
        CODE.replace("exp(scores", "exp(score"),
        E, ["Your code failed: NameError at line 6", "name 'score' is not defined"],
    ),
    "in a helper": (
        "def half(x):\n    return x / zero\n\n\ndef attention(q, k, v):\n    return half(q)\n",
        E, ["NameError at line 2 (reached from line 6)"],
    ),
    "in numpy": (
        CODE.replace("k.swapaxes(-1, -2)", "k"),
        E, ["Your code failed: ValueError at line 5", "scores = q @ k", "matmul"],
    ),
    "an exception of its own": (
        "class Odd(Exception):\n    def __str__(self):\n        raise self\n\n\n"
        "def attention(q, k, v):\n    raise Odd\n",
        E, ["Your code failed: an exception of its own at line 7"],
    ),
    "exits when called": (
        "import sys\n\n\ndef attention(q, k, v):\n    sys.exit('done')\n",
        E, ["SystemExit at line 5", "return the result instead"],
    ),
    "exits for real when called": (
        "import os\n\n\ndef attention(q, k, v):\n    os._exit(7)\n",
        Verdict.CRASHED, ["ended the whole process (exit code 7)"],
    ),
    "asks when called": ("def attention(q, k, v):\n    input()\n", E, ["EOFError at line 2", "keyboard input"]),
    "skips when called": (
        "import unittest\n\n\ndef attention(q, k, v):\n    raise unittest.SkipTest('no')\n",
        E, ["SkipTest at line 5", "cannot be skipped"],
    ),
    "interrupts when called": (
        "def attention(q, k, v):\n    raise KeyboardInterrupt\n",
        E, ["Your code failed: KeyboardInterrupt at line 2"],
    ),
    "endless recursion": (
        "def attention(q, k, v):\n    return attention(q, k, v)\n",
        E, ["RecursionError at line 2", "maximum recursion depth exceeded"],
    ),
    "never ends": (
        "def attention(q, k, v):\n    while True:\n        q = q + 1\n",
        Verdict.TIME_LIMIT, ["One call may take 0.3 s", "Is there a loop that never ends?"],
    ),
    "too much memory": (
        "import numpy as np\n\n\ndef attention(q, k, v):\n    return np.ones((1 << 20, 1 << 12)) @ v\n",
        Verdict.MEMORY_LIMIT, ["needed more than the 512 MB it may use at line 5", "np.ones((1 << 20"],
    ),
    "crashes": (
        "import ctypes\n\n\ndef attention(q, k, v):\n    ctypes.string_at(0)\n",
        Verdict.CRASHED, ["Your code crashed the interpreter (a segmentation fault)"],
    ),
    "starts a process": (
        "import os\n\n\ndef attention(q, k, v):\n    os.system('ls')\n    os.fork()\n",
        E, ["PermissionError at line 6", "not available here"],
    ),
    "uses the network": (
        "import socket\n\n\ndef attention(q, k, v):\n    socket.socket()\n",
        E, ["PermissionError at line 5", "not available here"],
    ),
    "starts a thread": (
        "import threading\n\n\ndef attention(q, k, v):\n    threading.Thread(target=print).start()\n",
        E, ["RuntimeError at line 5", "thread"],
    ),
    # it returns something else
    "returns None": (CODE.replace("return result", "result"), T, ["plain numpy array", "It was None."]),
    "returns a list": (CODE.replace("return result", "return list(result)"), T, ["a list of 2 (ndarray, "]),
    "returns an empty list": (CODE.replace("return result", "return []"), T, ["an empty list"]),
    "returns a tuple": (CODE.replace("return result", "return result, weights"), T, ["a tuple of 2 (ndarray, "]),
    "returns a scalar": (CODE.replace("return result", "return result.sum()"), T, ["a numpy float64 scalar"]),
    "returns a number": (CODE.replace("return result", "return 0.5"), T, ["It was a float."]),
    "returns a subclass": (
        CODE.replace("return result", "return np.asmatrix(result)"),
        T, ["a matrix, a subclass of numpy.ndarray"],
    ),
    "returns objects": (CODE.replace("return result", "return result.astype(object)"), T, ["an array of dtype object"]),
    "returns text": (CODE.replace("return result", "return result.astype(str)"), T, ["an array of dtype <U"]),
    "returns itself": (CODE.replace("return result", "return attention"), T, ["It was a function."]),
    "returns a generator": (CODE.replace("return result", "yield result"), T, ["It was a generator."]),
    "returns float32": (
        CODE.replace("return result", "return result.astype(np.float32)"),
        T, ["dtype float32 where float64 is asked for", "The values are right."],
    ),
    "returns complex": (CODE.replace("return result", "return result + 0j"), T, ["dtype complex128 where float64"]),
    "returns integers": (CODE.replace("return result", "return result.astype(int)"), T, ["dtype int64 where float64"]),
    "returns truths": (CODE.replace("return result", "return result > 0"), T, ["dtype bool where float64"]),
    "keeps an axis": (CODE.replace("return result", "return result[None]"), S, [r"shape \(1, 2, 2\) where \(2, 2\)"]),
    "lets an axis be broadcast": (CODE.replace("return result", "return result[:, :1]"), S, [r"shape \(2, 1\) where"]),
    "returns no axis": (CODE.replace("return result", "return np.array(0.0)"), S, [r"shape \(\) where \(2, 2\)"]),
    "returns the transpose": (CODE.replace("return result", "return result.T"), A, ["too far off, the worst at index"]),
    "returns NaN": (
        CODE.replace("return result", "return result * np.nan"),
        Verdict.NOT_FINITE, ["4 of 4 numbers of the result are NaN or infinite"],
    ),
    "returns one infinity": (
        CODE.replace("return result", "result[1, 0] = np.inf; return result"),
        Verdict.NOT_FINITE, [r"1 of 4 numbers of the result is NaN or infinite, the first at index \[1, 0\]"],
    ),
    # it is right at first sight
    "replays an earlier answer": (
        CODE.replace("def ", "KEPT = {}\n\n\ndef ").replace(
            "return result", "return KEPT.setdefault((q.shape, k.shape, v.shape), result)"
        ),
        A, ["got the same answer"],
    ),
    "prints too much": (
        CODE.replace("return", "print('x' * 10**6)\n    return"),
        Verdict.OUTPUT_LIMIT, ["printed more than 256 kB"],
    ),
}  # fmt: skip
SHORT = {"never loads": {"load": 0.6}, "never ends": {"call": 0.3}}


@cache
def with_limits(call: float = 10.0, load: float = 10.0, total: float = 20.0) -> Assignment:
    """The real checks, with less patience for loops where a test names it, and much for all else."""
    limits = Limits(call_seconds=call, load_seconds=load, total_seconds=total, memory_mb=512)
    assignment = load_assignment(FOLDER)
    return replace(assignment, limits=limits, version=f"{assignment.version}-{call:g}-{load:g}-{total:g}")


@pytest.fixture(scope="module")
def grader() -> Iterator[Grader]:
    try:
        with Grader() as grader:
            yield grader
    except SandboxUnavailable as unavailable:
        pytest.skip(str(unavailable))


def first_check(grader: Grader, source: Source, **limits: float) -> CheckResult:
    """The row where a student begins to read; it is public, so it may say everything."""
    report = grader.grade(with_limits(**limits), source)
    assert not any("Traceback" in row.message for row in report.checks)
    assert report.points < report.max_points
    return report.checks[0]


@pytest.mark.parametrize("what", BAD)
def test_bad_code(what: str, grader: Grader) -> None:
    code, verdict, says = BAD[what]
    row = first_check(grader, Source(code), **SHORT.get(what, {}))
    assert row.verdict is verdict, row.message
    for phrase in says:
        assert phrase in row.message or re.search(phrase, row.message), row.message


def test_prints_are_shown_with_a_public_check(grader: Grader) -> None:
    code = CODE.replace("return", "print(q.shape, '\\x1b[31m', 'é🙂')\n    return")
    row = grader.grade(with_limits(), Source("print('hello')\n" + code)).checks[0]
    assert row.verdict is Verdict.PASSED
    assert row.output.startswith("hello\n(2, 4) \N{REPLACEMENT CHARACTER}[31m é🙂\n")


def test_a_long_line_of_frames_is_not_told_in_full(grader: Grader) -> None:
    """Recursion goes through the same line again and again; once is enough."""
    row = first_check(grader, Source(BAD["endless recursion"][0]))
    assert row.message.count("line 2") == 1, row.message


def test_a_notebook_is_told_in_cells(grader: Grader) -> None:
    cells = ["%matplotlib inline\nimport numpy as np", CODE.replace("exp(scores", "exp(score")]
    notebook = {"cells": [{"cell_type": "code", "source": cell} for cell in cells], "nbformat": 4}
    row = first_check(grader, parse_source("mine.ipynb", json.dumps(notebook).encode()))
    assert "NameError at cell 2, line 6" in row.message


def test_the_other_checks_say_that_loading_failed_and_where_to_look(grader: Grader) -> None:
    report = grader.grade(with_limits(), Source("def"))
    assert {row.verdict for row in report.checks[1:]} == {Verdict.NOT_RUN}
    assert all(
        row.message == "Your file could not be loaded: see the first check." for row in report.checks[1:]
    )


def test_a_loop_in_one_check_does_not_cost_the_others(grader: Grader) -> None:
    code = CODE.replace("    scores", "    while q.shape == (1, 5): pass\n    scores", 1)
    report = grader.grade(with_limits(call=2.0), Source(code))
    assert [row.id for row in report.checks if row.verdict is not Verdict.PASSED] == ["two-keys"]
    assert report.points == report.max_points - 1


def test_who_is_slow_in_every_call_runs_out_of_time(grader: Grader) -> None:
    """Ends in `time limit` and in nobody's fault but the student's."""
    code = "import time\n" + CODE.replace("    scores", "    time.sleep(0.5)\n    scores", 1)
    report = grader.grade(with_limits(call=2.0, load=2.0, total=1.0), Source(code))
    assert report.verdict is Verdict.TIME_LIMIT
    last = [row for row in report.checks if row.verdict is Verdict.TIME_LIMIT][-1]
    assert "Loading and all calls together may take 3 s, and that was used up." in last.message
    assert report.checks[0].verdict is Verdict.PASSED
