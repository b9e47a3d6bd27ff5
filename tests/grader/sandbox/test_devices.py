"""Submissions to a GPU, where array_api_strict's second pretended device stands in for it: all but the GPU is real."""

from __future__ import annotations

import importlib.metadata
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest

from grader.assignment import Assignment, Device, Limits, load_assignment
from grader.cli import main
from grader.grade import Grader, SandboxUnavailable
from grader.local import NoGPU, grade_locally
from grader.report import Report
from grader.sandbox import ladder, view, zygotes
from grader.sandbox.inside import child
from grader.sandbox.inside.devices import CuPy, NoDevice, NumPy, Strict, open_arrays, try_out
from grader.sandbox.zygotes import Zygote, ZygoteLost, open_pair
from grader.source import Source
from grader.verify import verify
from tests.grader.sandbox.conftest import by_rung, make_assignment, source

FOLDER = Path(__file__).parents[3] / "fixtures" / "assignments" / "gpu-attention"
PATIENT = Limits(call_seconds=5.0, load_seconds=10.0, total_seconds=20.0)


@pytest.fixture(scope="module")
def gpu_graders() -> Iterator[Callable[[int], Grader]]:
    yield from by_rung(lambda rung: Grader(rung=rung, device=Device.CUDA, stand_in=True))


@pytest.fixture(params=[1, 2], ids=lambda number: f"rung{number}")
def gpu(request: pytest.FixtureRequest, gpu_graders: Callable[[int], Grader]) -> Grader:
    return gpu_graders(request.param)


# One check of one point: the call's answer must be `x + x`.
DOUBLE = """
import numpy as np
from grader.checks import Call, Student, ask_array, in_every_layout, property_check, require

@property_check("a")
def a(student, draw):
    x = draw.normal(3, 5)
    for name, call in in_every_layout(Call(x, None, None)).items():
        got = ask_array(student, call, x.shape, x.dtype, keeps_inputs=True)
        require(bool((got == x + x).all()), f"{name} not doubled")

@property_check("b")
def b(student, draw):
    a.run(student, 1)
"""
DOUBLES = "def attention(q, k, v):\n    return q + q\n"


def doubling(limits: Limits = PATIENT) -> Assignment:
    made = make_assignment(DOUBLE, solution=DOUBLES, limits=limits)
    return replace(made, device=Device.CUDA)


def graded(gpu: Grader, text: str) -> Report:
    return gpu.grade(doubling(), source(text))


def explained(report: Report) -> str:
    return "\n".join(
        f"{check.id} {check.verdict}: {check.message}\n{check.output}" for check in report.checks
    )


def test_an_assignment_for_a_gpu_may_be_published(gpu: Grader) -> None:
    found = verify(load_assignment(FOLDER), gpu)
    assert not found.problems
    assert {row.name: row.result for row in found.table if row.kind == "mistake"} == {
        "scale-missing": "named", "mask-after-softmax": "named", "softmax-over-queries": "named",
    }  # fmt: skip


def test_a_report_says_where_it_ran(gpu: Grader) -> None:
    report = graded(gpu, DOUBLES)
    assert report.points == report.max_points, explained(report)
    version = importlib.metadata.version("array-api-strict")
    assert report.provenance["device"] == f"array_api_strict {version}, device1"


def test_the_inputs_lie_on_the_device_in_every_layout(gpu: Grader) -> None:
    report = graded(
        gpu, "def attention(q, k, v):\n    print(type(q).__module__, q.device)\n    return q + q\n"
    )
    assert report.points == report.max_points, explained(report)
    assert "array_api_strict._array_object array_api_strict.Device('device1')" in report.checks[0].output


def test_a_result_that_is_not_on_the_device_is_no_result(gpu: Grader) -> None:
    report = graded(
        gpu, "import numpy as np\n\ndef attention(q, k, v):\n    return np.ones((3, 5), np.float32)\n"
    )
    assert [str(check.verdict) for check in report.checks] == ["wrong type"] * 2
    assert "a numpy array, which is not on the GPU" in report.checks[0].message


def test_what_is_done_to_the_inputs_on_the_device_is_seen(gpu: Grader) -> None:
    report = graded(gpu, "def attention(q, k, v):\n    out = q + q\n    q[0, 0] = 7.0\n    return out\n")
    assert report.points == 0
    assert "changed an array that it was given" in report.checks[0].message


def test_other_assignments_are_refused(gpu: Grader) -> None:
    with pytest.raises(ValueError, match="is for cpu, this grader for cuda"):
        gpu.grade(make_assignment(), source(DOUBLES))


def test_a_submission_cannot_say_that_the_gpu_is_gone(gpu: Grader) -> None:
    """With a fault of the platform it would cost no attempt."""
    report = graded(gpu, "import os\n\ndef attention(q, k, v):\n    os._exit(98)\n")
    assert str(report.checks[0].verdict) == "crashed", explained(report)


def test_where_the_gpu_is_gone_nobody_is_to_blame(gpu: Grader, monkeypatch: pytest.MonkeyPatch) -> None:
    def gone(zygote: Zygote, seconds: float = 0) -> str:
        raise ZygoteLost("no GPU can be used in the sandbox: it fell off the bus")

    monkeypatch.setattr(Zygote, "probe", gone)
    report = graded(gpu, "import os\n\ndef attention(q, k, v):\n    os._exit(98)\n")
    assert str(report.verdict) == "platform fault"
    assert "fell off the bus" in report.checks[0].message
    monkeypatch.undo()
    assert graded(gpu, DOUBLES).points == Decimal(2)


def test_after_an_error_that_loses_the_device_comes_a_fresh_process(gpu: Grader) -> None:
    text = """
import sys
calls = 0

def attention(q, k, v):
    global calls
    calls += 1
    if calls == 1 and FIRST:
        arrays = next(each for each in sys._getframe(1).f_locals.values() if type(each).__name__ == "Strict")
        arrays.works = lambda: False
        raise RuntimeError("illegal memory access")
    print("call", calls)
    return q + q
"""
    report = graded(gpu, text.replace("FIRST", "True"))
    assert str(report.checks[0].verdict) == "exception", explained(report)
    # In a fresh process the second check meets the first call again; in the old one it would have been the second.
    assert "call 2" not in report.checks[1].output


WHAT_IT_MAY = """
import os, threading, socket, subprocess

def attempt(what, action):
    try:
        action()
    except BaseException as error:
        print(what, "failed", type(error).__name__)
    else:
        print(what, "worked")

def started():
    thread = threading.Thread(target=lambda: None)
    thread.start()
    thread.join()

def others():
    assert [name for name in os.listdir("/proc") if name.isdigit()] == [str(os.getpid())]

def name_of_thread():
    with open(f"/proc/self/task/{threading.get_native_id()}/comm", "w") as file:
        file.write("mine")

def write(path):
    os.close(os.open(path, os.O_WRONLY))  # nothing is written: where it works, it is the machine's

attempt("a thread", started)
attempt("its name", name_of_thread)
attempt("no others", others)
attempt("a fork", os.fork)
attempt("a program", lambda: subprocess.run(["/bin/true"]))
attempt("a socket", lambda: socket.socket())
attempt("a signal", lambda: os.kill(1, 0) or os.kill(os.getppid(), 0))
attempt("a file", lambda: os.open("/tmp/x", os.O_CREAT | os.O_WRONLY))
attempt("a file here", lambda: os.open("x", os.O_CREAT | os.O_WRONLY))
attempt("the accounts", lambda: open("/etc/passwd").read())
attempt("the grader", lambda: __import__("grader"))
attempt("a file in shared memory", lambda: os.open("/dev/shm/x", os.O_CREAT | os.O_WRONLY))
attempt("the kernel's settings", lambda: write("/proc/sys/kernel/core_pattern"))
attempt("the machine's keys", lambda: write("/proc/sysrq-trigger"))
attempt("the machine's devices", lambda: write("/sys/module/kernel/parameters/panic"))
attempt("the kernel's tables", lambda: os.listdir("/sys/kernel"))
attempt("a namespace", lambda: os.unshare(os.CLONE_NEWUSER) if hasattr(os, "unshare") else 1 / 0)
attempt("root", lambda: os.setuid(0))

def attention(q, k, v):
    return q + q
"""


def test_what_it_may_do_beside_computing(gpu: Grader) -> None:
    report = graded(gpu, WHAT_IT_MAY)
    lines = report.checks[0].output.splitlines()
    told = {line.rsplit(" ", 1)[0] if line.endswith("worked") else line.split(" failed")[0]: line.endswith("worked")
            for line in lines}  # fmt: skip
    assert {what for what, worked in told.items() if worked} == {"a thread", "its name", "no others"}, lines
    assert len(told) == 18
    assert report.points == report.max_points, explained(report)


def test_its_threads_are_counted(gpu: Grader) -> None:
    text = "import resource\n\nprint('most', *resource.getrlimit(resource.RLIMIT_NPROC))\n" + DOUBLES
    most = {1: 64, 2: 256}[gpu.rung.number]
    assert f"most {most} {most}" in graded(gpu, text).checks[0].output


def test_where_memory_runs_out_it_goes_first(gpu: Grader) -> None:
    text = "print('score', open('/proc/self/oom_score_adj').read())\n" + DOUBLES
    assert "score 1000" in graded(gpu, text).checks[0].output


def test_memory_of_the_host_has_a_limit_too(gpu: Grader) -> None:
    text = "import numpy as np\n\ndef attention(q, k, v):\n    return np.ones(8 << 30, np.uint8)\n"
    assert str(graded(gpu, text).checks[0].verdict) == "memory limit"


def test_it_is_for_rungs_with_namespaces_only() -> None:
    for rung in (3, 4):
        with pytest.raises(SandboxUnavailable, match=rf"Rung {rung} cannot be had .* needs a namespace"):
            open_pair(rung, 4, "array_api_strict")


def test_without_the_library_it_is_told() -> None:
    with pytest.raises(SandboxUnavailable, match=r"with a GPU can be had .*cupy is not installed"):
        Grader(device=Device.CUDA)
    with pytest.raises(NoDevice, match="CuPy cannot be imported"):
        CuPy()


def test_without_the_device_it_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """The probe's own words come out of the sandbox."""
    real = view.child_view

    def without_strict(arrays: str) -> view.View:
        whole = real(arrays)
        packages = tuple(path for path in whole.packages if path.name != "array_api_strict")
        return replace(whole, packages=packages, arrays="cupy")

    monkeypatch.setattr(zygotes.view, "child_view", without_strict)
    with pytest.raises(
        SandboxUnavailable, match="no GPU can be used in the sandbox: CuPy cannot be imported"
    ):
        Grader(device=Device.CUDA, stand_in=True)


# Numpy under the names of CuPy's that are used, which asks of its surroundings what CuPy 14 asks at its import.
PRETENDED_CUPY = """
import os, site
from types import SimpleNamespace
import numpy
from numpy import exp, matmul

__version__ = "0"
assert os.path.isdir(os.environ["CUPY_CACHE_DIR"]), "it would make that folder"
assert os.path.isfile(os.path.join(*site.getsitepackages(), "cupy", "__init__.py")), "it would not find CUDA's wheels"

class ndarray(numpy.ndarray):
    pass

def asarray(array):
    return numpy.array(array).view(ndarray)

def asnumpy(array):
    return numpy.array(array).view(numpy.ndarray)

def get_default_memory_pool():
    return SimpleNamespace(set_limit=lambda size: None)

cuda = SimpleNamespace(
    runtime=SimpleNamespace(getDeviceProperties=lambda number: {"name": b"no GPU"}, deviceSynchronize=lambda: None)
)
"""


@pytest.mark.parametrize("rung", [1, 2])
def test_cupy_is_imported_by_each_process(rung: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if reason := ladder.obstacle(ladder.rung(rung), device=True):
        pytest.skip(reason)
    (tmp_path / "cupy").mkdir()
    (tmp_path / "cupy" / "__init__.py").write_text(PRETENDED_CUPY)
    real = view.child_view()
    as_cupy = replace(real, packages=(*real.packages, view._package("array_api_compat"), tmp_path / "cupy"))
    monkeypatch.setattr(zygotes.view, "child_view", lambda arrays: replace(as_cupy, arrays=arrays))
    try:
        grader = Grader(rung=rung, device=Device.CUDA)
    except SandboxUnavailable as why:
        if "no GPU can be used" in str(why):
            raise
        pytest.skip(str(why))
    with grader:
        assert grader.device_name == "cupy 0, no GPU"
        report = graded(grader, DOUBLES)
    assert report.points == report.max_points, explained(report)


def test_the_machines_own_cuda_is_in_the_view(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    library = view.standard_library()[0]
    (tmp_path / "libraries").mkdir()
    (tmp_path / "cuda").symlink_to(tmp_path / "libraries")
    monkeypatch.setenv("CUDA_PATH", str(tmp_path / "cuda"))
    monkeypatch.setenv("LD_LIBRARY_PATH", f"/usr/share:{library.parent}::/:relative")
    mounts = view.bubblewrap_mounts(view.child_view("array_api_strict"))
    bound = [mounts[place + 1] for place, word in enumerate(mounts) if word == "--ro-bind"]
    assert {"/usr/share", "/sys/devices", str(tmp_path / "cuda"), str(tmp_path / "libraries")} <= set(bound)
    assert not {"/", "/sys", "/sys/kernel", "relative", ""} & set(bound)
    # What hides other packages comes after what may hold them.
    assert bound.index(str(library.parent)) < bound.index(str(library)) < len(bound)
    assert "/usr/share" not in view.bubblewrap_mounts(view.child_view())


def test_the_view_may_be_wider_than_the_libraries(monkeypatch: pytest.MonkeyPatch) -> None:
    library = view.standard_library()[0]
    monkeypatch.setenv("LD_LIBRARY_PATH", f"/usr/share:{library.parent}:/usr/lib")
    text = f"import os\n\nprint('hidden', [os.listdir(p) for p in {[*map(str, view.installed_packages(library))]}])\n"
    with Grader(device=Device.CUDA, stand_in=True) as grader:
        report = graded(grader, text + DOUBLES)
    assert report.points == report.max_points, explained(report)
    assert f"hidden {[[] for _ in view.installed_packages(library)]}" in report.checks[0].output


def test_an_error_of_the_device_comes_before_the_first_word() -> None:
    class Failing(NumPy):
        def give(self, value: object) -> np.ndarray | None:
            if value is None:
                raise RuntimeError("an illegal memory access was encountered")
            return super().give(value)

    reading, writing = os.pipe()
    with pytest.raises(RuntimeError, match="illegal"):
        child._send_result(writing, 1, (np.ones(2), None), None, range(2, 3), Failing())
    os.close(writing)
    assert os.read(reading, 1) == b""
    os.close(reading)


def test_of_a_long_story_the_end_is_heard() -> None:
    reading, writing = os.pipe()
    os.write(writing, b"a warning\n" * 1000 + b"the name\n")
    os.close(writing)
    assert zygotes._read_until_end(reading, 1.0).endswith(b"a warning\nthe name\n")
    os.close(reading)


def test_a_memory_check_is_refused(gpu: Grader) -> None:
    checks = """
from grader.checks import Call, memory_check
from grader.reference import expected_attention

@memory_check("a", expected_attention, most_mb=1)
def a(draw):
    return Call(*(draw.normal(2, 3) for _ in range(3)))
"""
    assignment = replace(
        make_assignment(checks, ids="a", solution=DOUBLES, limits=PATIENT), device=Device.CUDA
    )
    report = gpu.grade(assignment, source(DOUBLES))
    assert str(report.verdict) == "assignment fault"
    assert "what a call takes of a GPU is not measured" in report.provenance["fault"]


def test_on_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    solution = str(FOLDER / "solution.py")
    assert main(["check", str(FOLDER), solution, "--pretend-gpu"]) == 0
    assert "array_api_strict" in capsys.readouterr().out
    assert main(["check", str(FOLDER), solution]) == 3
    assert "No sandbox of rung 3 or stronger with a GPU can be had" in capsys.readouterr().err
    assert main(["check", str(FOLDER), solution, "--local"]) == 3
    assert "there is none that can be used here" in capsys.readouterr().err


def test_on_a_students_own_machine() -> None:
    whole = load_assignment(FOLDER)
    right = Source(whole.files["solution.py"], (), ())
    report = grade_locally(whole, right, stand_in=True)
    assert report.points == report.max_points, explained(report)
    with pytest.raises(NoGPU, match="--pretend-gpu does without"):
        grade_locally(whole, right)


@pytest.mark.parametrize("arrays", [NumPy(), Strict("device1")], ids=["numpy", "strict"])
def test_a_first_calculation_tells_whether_it_works(arrays: NumPy | Strict) -> None:
    try_out(arrays)

    class Broken(NumPy):
        def give(self, value: object) -> np.ndarray | None:
            return np.zeros((16, 16))

    with pytest.raises(NoDevice, match="came out wrong"):
        try_out(Broken())


def test_the_libraries_by_their_names() -> None:
    assert open_arrays("numpy").name == "numpy"
    assert open_arrays("array_api_strict").name.endswith("device1")


def test_a_package_comes_with_all_it_needs() -> None:
    names = {path.name for path in view.child_view("array_api_strict").packages}
    assert {"array_api_strict", "array_api_compat", "inside", "numpy"} <= names
    assert not {"grader", "django", "pip"} & names
    assert {path.name for path in view.child_view().packages} <= {"inside", "numpy", "numpy.libs"}


def test_the_worker_has_no_need_of_numpy() -> None:
    code = "import sys, grader.sandbox.view, grader.sandbox.zygotes; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_without_landlock_there_is_no_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is what keeps a process from writing all over /proc."""
    real = Zygote.wait_until_ready
    monkeypatch.setattr(Zygote, "wait_until_ready", lambda zygote: real(zygote) | {"landlock": 0})
    with pytest.raises(
        SandboxUnavailable, match=r"rung 1: this kernel has no Landlock|rung 1: it needs root"
    ):
        Grader(device=Device.CUDA, stand_in=True)
