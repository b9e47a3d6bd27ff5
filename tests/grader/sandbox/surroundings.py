"""What an attack must neither reach nor leave behind, and what attacks are told about the machine they run on."""

from __future__ import annotations

import json
import os
import platform
import select
import site
import socket
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from grader.grade import Grader
from grader.sandbox.inside import syscalls

SECRET = "sekrit-of-the-worker"
ROOT = Path(__file__).resolve().parents[3]


class Surroundings:
    """A process of our user, four listeners and a secret file: all within reach of who is not confined."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.chmod(0o755)
        self.secret_file = folder / "secret.txt"
        self.secret_file.write_text(SECRET)
        self.secret_file.chmod(0o644)
        self.canary = subprocess.Popen(["sleep", "1000"])
        self.tcp = socket.create_server(("127.0.0.1", 0))
        self.udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.udp.bind(("127.0.0.1", 0))
        self.unix = socket.socket(socket.AF_UNIX)
        self.unix.bind(str(folder / "socket"))
        (folder / "socket").chmod(0o777)
        self.abstract = socket.socket(socket.AF_UNIX)
        self.abstract.bind(f"\0softmark-test-{os.getpid()}")
        self.unix.listen()
        self.abstract.listen()

    def close(self) -> None:
        self.canary.kill()
        self.canary.wait()
        for listener in self._listeners():
            listener.close()

    def _listeners(self) -> list[socket.socket]:
        return [self.tcp, self.udp, self.unix, self.abstract]

    def facts(self) -> str:
        """Python text that an attack starts with: it knows all that an insider would know."""
        facts: dict[str, Any] = {
            "WORKER": os.getpid(),
            "CANARY": self.canary.pid,
            "TCP": self.tcp.getsockname()[1],
            "UDP": self.udp.getsockname()[1],
            "UNIX": str(self.folder / "socket"),
            "ABSTRACT": f"softmark-test-{os.getpid()}",
            "SECRET_FILE": str(self.secret_file),
            "REPOSITORY": str(ROOT),
            "PACKAGE_FOLDERS": package_folders(),
            "NUMBERS": syscalls.table(platform.machine()),
        }
        return "\n".join(f"{name} = {value!r}" for name, value in facts.items()) + "\n"

    @contextmanager
    def unharmed(self, grader: Grader) -> Iterator[None]:
        """Fails where the block reached or left something."""
        descriptors = open_descriptors()
        zygotes = zygote_pids(grader)
        yield
        assert open_descriptors() == descriptors, "the worker leaks descriptors"
        assert confined_processes(grader) == [], "a process survived"
        assert self.canary.poll() is None, "a process of our user was ended"
        reached, _, _ = select.select(self._listeners(), [], [], 0)
        assert reached == [], "a listener was reached"
        assert zygote_pids(grader) == zygotes, "a zygote was lost"


def package_folders() -> list[str]:
    """Where a Python might find other people's packages: the repository, this environment, the one below it."""
    base = {"base": sys.base_prefix, "platbase": sys.base_prefix, "installed_base": sys.base_prefix}
    below = [sysconfig.get_path("purelib", vars=base), *site.getsitepackages([sys.base_prefix])]
    debian = [f"{prefix}/lib/python3/dist-packages" for prefix in ("/usr", "/usr/local")]
    return list(dict.fromkeys([str(ROOT), sysconfig.get_path("purelib"), *below, *debian]))


def open_descriptors() -> list[str]:
    """What this process has open, but for memory files: of those a grader keeps some, for its assignments."""
    links = []
    for number in os.listdir("/proc/self/fd"):
        try:
            links.append(os.readlink(f"/proc/self/fd/{number}"))
        except FileNotFoundError:
            continue  # the listing's own
    return sorted(link.split(":")[0] for link in links if not link.startswith("/memfd:"))


def memory_files() -> int:
    fds = os.listdir("/proc/self/fd")
    return sum(os.path.realpath(f"/proc/self/fd/{fd}").startswith("/memfd:") for fd in fds)


def file_of(data: bytes) -> int:
    """A descriptor of a file in memory, at its start."""
    fd = os.memfd_create("test")
    os.write(fd, data)
    os.lseek(fd, 0, os.SEEK_SET)
    return fd


def zygote_pids(grader: Grader) -> tuple[int, int]:
    assert grader._zygotes is not None, "the zygotes were given up"
    return grader._zygotes.judge.pid, grader._zygotes.child.pid


def confined_processes(grader: Grader) -> list[int]:
    """Forks that have been given a job. Spare ones, which wait for theirs, are not sealed yet."""
    return sealed(processes_of([zygote_config(pid) for pid in zygote_pids(grader)]))


def sealed(pids: list[int]) -> list[int]:
    """Those that have more filters than this process has; in a container that may be one or more from the start."""
    own = int(status(os.getpid()).get("Seccomp_filters", "0"))
    return [pid for pid in pids if int(status(pid).get("Seccomp_filters", "0")) > own]


def household(grader: Grader) -> list[int]:
    """The zygotes, what started them, and all that descends from them."""
    assert grader._zygotes is not None, "the zygotes were given up"
    found = [grader._zygotes.judge.process.pid, grader._zygotes.child.process.pid]
    parents = {
        pid: int(status(pid).get("PPid", "0")) for pid in map(int, filter(str.isdigit, os.listdir("/proc")))
    }
    for pid in found:  # grows as it goes
        found += [child for child, parent in parents.items() if parent == pid]
    return found


def zygote_config(pid: int) -> dict[str, Any]:
    """What a zygote was started with: the last word of its command line."""
    config: dict[str, Any] = json.loads(Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[-2])
    return config


def processes_of(configs: list[dict[str, Any]]) -> list[int]:
    """Forks keep the command line, with the range of users that no other zygote has, unless they overwrite it;
    where they have a user of their own, that tells them, too.
    """
    markers = [f'"first_uid": {config["first_uid"]},'.encode() for config in configs]
    users = [range(config["first_uid"], config["first_uid"] + 64) for config in configs]
    found = []
    for pid in map(int, filter(str.isdigit, os.listdir("/proc"))):
        try:
            line = Path(f"/proc/{pid}/cmdline").read_bytes()
            user = os.stat(f"/proc/{pid}").st_uid
        except OSError:
            continue  # it has just ended
        if any(marker in line for marker in markers) or any(user in each for each in users):
            found.append(pid)
    return found


def status(pid: int) -> dict[str, str]:
    """/proc/PID/status; empty where the process has ended."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return {}
    return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}
