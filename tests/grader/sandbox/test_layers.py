"""Each layer of the sandbox holds by itself: the filter without Landlock, Landlock without the filter, and so on.

On every rung several of them stand one behind the other; here each is alone in a process of its own, so that one that
has stopped working is not covered up by the next.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from grader.sandbox import ladder, view
from grader.sandbox.inside import landlock
from grader.sandbox.ladder import RUNGS
from tests.grader.sandbox.attack import TOOLS
from tests.grader.sandbox.surroundings import ROOT, Surroundings

Attempts = Callable[..., dict[str, bool]]

# Every attempt prints one line, {"what": ..., "works": ...}; a layer is set up in front of them.
IMPORTS = f"""
{TOOLS}
import _posixsubprocess, _thread, fcntl, json, mmap, resource, signal, socket
"""
ATTEMPTS = """
results = {}
def attempt(what, action):
    try:
        action()
        results[what] = True
    except BaseException as error:
        results[what] = False
    os.write(1, (json.dumps({"what": what, "works": results[what]}) + "\\n").encode())

def fork():
    pid = os.fork()
    if pid == 0: os._exit(0)
    os.waitpid(pid, 0)
def connect(family, address):
    with socket.socket(family) as s:
        s.settimeout(2)
        s.connect(address)
def write(path):
    with open(path, "w") as file: file.write("x")

attempt("read the secret", lambda: open(SECRET_FILE).read())
attempt("read the library", lambda: open(os.__file__).read())
attempt("look at the secret", lambda: os.stat(SECRET_FILE))
attempt("list the folder", lambda: os.listdir(FOLDER))
attempt("list /proc", lambda: os.listdir("/proc/self/fd"))
attempt("read an environment", lambda: open("/proc/%d/environ" % CANARY).read())
attempt("write a file", lambda: write(FOLDER + "/written"))
attempt("write into /tmp", lambda: write("/tmp/softmark-written-%d" % WORKER))
attempt("make a folder", lambda: os.mkdir(FOLDER + "/made"))
attempt("cut the secret off", lambda: os.truncate(SECRET_FILE, 0))
attempt("fork", fork)
attempt("thread", lambda: __import__("_thread").start_new_thread(int, ()))
attempt("another program", lambda: os.posix_spawn("/bin/true", ["true"], {}))
attempt("TCP", lambda: connect(socket.AF_INET, ("127.0.0.1", TCP)))
attempt("path socket", lambda: connect(socket.AF_UNIX, UNIX))
attempt("abstract socket", lambda: connect(socket.AF_UNIX, chr(0) + ABSTRACT))
attempt("signal the canary", lambda: os.kill(CANARY, 0))
attempt("signal oneself", lambda: os.kill(os.getpid(), 0))
attempt("own a pipe", lambda: __import__("fcntl").fcntl(1, 8, WORKER))
attempt("raise a limit", lambda: resource.setrlimit(resource.RLIMIT_CORE, resource.getrlimit(resource.RLIMIT_CORE)))
attempt("memory file", lambda: os.memfd_create("x"))
attempt("4 GB", lambda: mmap.mmap(-1, 4 << 30, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000))
attempt("write 4 kB", lambda: write(FOLDER + "/more"))
attempt("many descriptors", lambda: [os.dup(1) for _ in range(100)])
os.write(1, b'{"what": "the end", "works": true}\\n')
"""

LAYERS = {
    "none": "",
    "seccomp": """
from grader.sandbox.inside import kernel, seccomp
kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
seccomp.enter(seccomp.program(paths=True))
""",
    "seccomp without files": """
from grader.sandbox.inside import kernel, seccomp
kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
seccomp.enter(seccomp.program(paths=False))
""",
    "Landlock": """
from grader.sandbox.inside import kernel, landlock
kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
landlock.restrict_self(landlock.ruleset([os.path.dirname(os.__file__), "/dev/null"], []))
""",
    "limits": """
from grader.sandbox.inside import confine
confine._limit(confine.Allowance(address_space=2 << 30, cpu_seconds=5), own_uid=False, device=False)
""",
}


@pytest.fixture
def attempts(surroundings: Surroundings, tmp_path: Path) -> Iterator[Attempts]:
    """`attempts("seccomp")`: what still works behind that layer alone; what was not reached is not in it."""

    def run(layer: str, command: tuple[str, ...] = (sys.executable,), prelude: str = "") -> dict[str, bool]:
        folder = tmp_path / "folder"
        folder.mkdir(exist_ok=True)
        for left in (folder / "made", folder / "written", folder / "more"):
            (left.rmdir if left.is_dir() else left.unlink)() if left.exists() else None
        facts = surroundings.facts() + f"FOLDER = {str(folder)!r}\n"
        program = prelude + IMPORTS + facts + LAYERS[layer] + ATTEMPTS
        done = subprocess.run(
            [*command, "-c", program], capture_output=True, cwd=ROOT, timeout=180, env={"OPENBLAS_NUM_THREADS": "1"},
        )  # fmt: skip
        lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith(b'{"what"')]
        assert lines, done.stderr.decode()
        return {line["what"]: line["works"] for line in lines}

    yield run
    Path(f"/tmp/softmark-written-{os.getpid()}").unlink(missing_ok=True)
    surroundings.secret_file.write_text("sekrit-of-the-worker")
    for listener in (surroundings.tcp, surroundings.unix, surroundings.abstract):  # forget who came
        listener.settimeout(0)
        try:
            while True:
                listener.accept()[0].close()
        except BlockingIOError:
            pass


def test_without_a_layer_all_of_it_works(attempts: Attempts) -> None:
    """So the other tests mean something."""
    works = attempts("none")
    assert {what for what, it_works in works.items() if not it_works} <= {"read an environment"}


def test_the_filter_alone(attempts: Attempts) -> None:
    works = attempts("seccomp")
    assert works["the end"], "nothing here is so bad as to end the process"
    for what in (
        "fork", "thread", "another program", "TCP", "path socket", "abstract socket", "signal the canary",
        "signal oneself", "own a pipe", "raise a limit", "memory file", "make a folder", "cut the secret off",
    ):  # fmt: skip
        assert not works[what], what
    for what in ("read the secret", "read the library", "write a file", "4 GB"):
        assert works[what], f"{what}: that is another layer's business"


def test_the_filter_that_opens_no_files(attempts: Attempts) -> None:
    works = attempts("seccomp without files")
    assert {what for what, it_works in works.items() if it_works} == {"4 GB", "many descriptors", "the end"}


def test_landlock_alone(attempts: Attempts) -> None:
    if not (version := landlock.abi()):
        pytest.skip("this kernel has no Landlock")
    works = attempts("Landlock")
    for what in (
        "read the secret", "list the folder", "list /proc", "read an environment", "write a file", "write into /tmp",
        "make a folder", "another program",
    ):  # fmt: skip
        assert not works[what], what
    assert version < 3 or not works["cut the secret off"]
    assert version < 4 or not works["TCP"]
    assert version < 6 or not works["abstract socket"]
    assert version < 6 or not works["signal the canary"]
    for what in ("read the library", "fork", "thread", "signal oneself", "4 GB", "memory file"):
        assert works[what], f"{what}: that is another layer's business"


def test_the_limits_alone(attempts: Attempts) -> None:
    works = attempts("limits")
    for what in ("write a file", "write into /tmp", "write 4 kB", "4 GB", "many descriptors"):
        assert not works[what], what
    for what in ("read the secret", "fork", "TCP"):
        assert works[what], f"{what}: that is another layer's business"


@pytest.mark.parametrize("number", [1, 2])
def test_the_namespaces_alone(number: int, attempts: Attempts) -> None:
    """An interpreter inside, with neither filter nor Landlock nor limits, but without capabilities."""
    rung = RUNGS[number - 1]
    if reason := ladder.obstacle(rung):
        pytest.skip(reason)
    command = ladder.command(rung, view.child_view())
    for capability in ("SYS_ADMIN", "SETPCAP", "KILL", "SETUID", "SETGID"):
        while f"CAP_{capability}" in command:
            place = command.index(f"CAP_{capability}")
            del command[place - 1 : place + 1]
    python = (*command, view.interpreter(), "-S", "-s", "-P", "-B", "-X", "utf8")
    prelude = "import sys; sys.path.append('/sandbox')\n"
    try:
        works = attempts("none", python, prelude)
    except AssertionError as error:
        if "bwrap" in str(error):
            pytest.skip(str(error).splitlines()[0])
        raise
    for what in (
        "read the secret", "look at the secret", "list the folder", "list /proc", "read an environment", "write a file",
        "write into /tmp", "make a folder", "cut the secret off", "TCP", "path socket", "abstract socket",
        "signal the canary", "another program",
    ):  # fmt: skip
        assert not works[what], what
    for what in ("read the library", "fork", "4 GB"):
        assert works[what], f"{what}: that is another layer's business"


WRITABLE = """
import os
found = []
for folder, names, _ in os.walk("/"):
    names[:] = [name for name in names if name not in ("proc", "sys")]
    try:
        path = os.path.join(folder, ".softmark-probe")
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY))
        os.unlink(path)
        found.append(folder)
    except OSError:
        pass
print(found)
print(sorted(os.listdir("/")), sorted(os.listdir("/dev")))
"""


@pytest.mark.parametrize("number", [1, 2])
def test_no_place_of_the_view_can_be_written_even_by_its_root(number: int) -> None:
    rung = RUNGS[number - 1]
    if reason := ladder.obstacle(rung):
        pytest.skip(reason)
    for role in (view.child_view(), view.judge_view()):
        python = [
            *ladder.command(rung, role),
            view.interpreter(),
            "-S",
            "-s",
            "-P",
            "-B",
            "-X",
            "utf8",
            "-c",
            WRITABLE,
        ]
        done = subprocess.run(python, capture_output=True, text=True, timeout=180)
        if "bwrap" in done.stderr:
            pytest.skip(done.stderr.strip())
        writable, there = done.stdout.splitlines()
        assert writable == "[]"
        assert "proc" not in there.split("]")[0]


def test_the_package_folders_inside_a_standard_library_are_empty() -> None:
    rung = next((rung for rung in RUNGS[:2] if ladder.obstacle(rung) is None), None)
    if rung is None:
        pytest.skip("bubblewrap is not installed")
    look = "import os; print([os.listdir(f) for f in %r])"
    hidden = [
        str(folder) for library in view.standard_library() for folder in view.installed_packages(library)
    ]
    python = [*ladder.command(rung, view.child_view()), view.interpreter(), "-S", "-c", look % hidden]
    done = subprocess.run(python, capture_output=True, text=True, timeout=180)
    if "bwrap" in done.stderr:
        pytest.skip(done.stderr.strip())
    assert done.stdout.strip() == str([[] for _ in hidden])
