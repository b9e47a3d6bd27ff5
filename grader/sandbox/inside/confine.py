"""What a fork gives up before it runs a line of an assignment or of a student, in the order that works."""

from __future__ import annotations

import fcntl
import os
import resource
import signal
from dataclasses import dataclass

from . import kernel, landlock, seccomp

_FIRST_FREE = 200  # above every descriptor that a fork hands over
_OPEN_FILES = 32
_STACK_BYTES = 8 << 20

# Where a GPU is computed on, its driver has threads, descriptors and memory of its own.
_DEVICE_OPEN_FILES = 512
_DEVICE_THREADS = 64
_DEVICE_THREADS_OF_ALL = 256  # of all forks, where they are one user: counted in their user namespace
_DEVICE_MEMORY_FILE = 256 << 20
_DEVICE_HOST_MEMORY = 4 << 30


@dataclass(frozen=True)
class Profile:
    """What this zygote's forks can be confined with; found out once, when the zygote starts."""

    namespaces: bool
    throw_away_uid: bool
    landlock_rules: int | None  # descriptor of the rule set
    bpf: bytes
    zygote: int  # process id
    device: Reach | None = None


@dataclass(frozen=True)
class Reach:
    """For a fork that computes on a GPU: the paths of the Landlock rules, which it makes itself: its /proc is new."""

    readable: list[str]
    writable: list[str]


@dataclass(frozen=True)
class Allowance:
    """Limits of one job. `address_space` in bytes, `cpu_seconds` a backstop behind the judge's clock."""

    address_space: int
    cpu_seconds: int


def isolate(profile: Profile, uid: int) -> None:
    """The first half, before the job is known: a place, a user and no privileges of its own. Irrevocable."""
    signal.set_wakeup_fd(-1)
    os.setsid()
    if profile.namespaces:
        kernel.unshare(kernel.CLONE_NEWNS | kernel.CLONE_NEWIPC)
    if profile.device is not None:
        kernel.mount_own_proc()
        # No limit counts memory that is mapped as shared: where the machine has none left, this process goes first.
        with open("/proc/self/oom_score_adj", "w") as score:
            score.write("1000")
    kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
    if profile.throw_away_uid:
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
    kernel.drop_capabilities()
    kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)  # after setuid, which clears it
    if not profile.namespaces and os.getppid() != profile.zygote:
        os._exit(99)  # the zygote died before that took effect
    kernel.prctl(kernel.PR_SET_DUMPABLE, 0)


def seal(profile: Profile, allowance: Allowance, descriptors: list[int]) -> list[int]:
    """The second half, before the first line of a stranger's code: descriptors, limits, filters. Irrevocable.

    descriptors[0] becomes standard output and error; the others are returned as 3, 4, 5... Nothing else stays
    open. Standard input is empty.
    """
    rules = profile.landlock_rules
    if profile.device is not None and rules is not None:
        rules = landlock.ruleset(profile.device.readable, [], profile.device.writable)
    kept = _renumber(descriptors, rules)
    _limit(allowance, own_uid=profile.throw_away_uid, device=profile.device is not None)
    if rules is not None:
        landlock.restrict_self(kept + 1)
    seccomp.enter(profile.bpf)
    return list(range(3, kept + 1))


def _renumber(descriptors: list[int], rules: int | None) -> int:
    """Moves what is kept to 0, 1, 2, 3... and closes the rest. Returns the last kept number."""
    wanted = [os.open(os.devnull, os.O_RDONLY), descriptors[0], descriptors[0], *descriptors[1:]]
    last = len(wanted) - 1
    if rules is not None:
        wanted.append(rules)
    high = [fcntl.fcntl(fd, fcntl.F_DUPFD, _FIRST_FREE) for fd in wanted]
    for target, fd in enumerate(high):
        os.dup2(fd, target)
    os.closerange(len(high), 1 << 20)
    return last


def _limit(allowance: Allowance, *, own_uid: bool, device: bool) -> None:
    limits = {
        resource.RLIMIT_AS: allowance.address_space,
        resource.RLIMIT_FSIZE: 0,
        resource.RLIMIT_NOFILE: _OPEN_FILES,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_STACK: _STACK_BYTES,
        resource.RLIMIT_MEMLOCK: 0,
        resource.RLIMIT_MSGQUEUE: 0,
    }
    if own_uid:  # under a shared uid the limit would count other people's processes
        limits[resource.RLIMIT_NPROC] = 1
    if device:  # CUDA reserves addresses for all memory that there is, and shares some with the device
        del limits[resource.RLIMIT_AS], limits[resource.RLIMIT_MEMLOCK]
        limits[resource.RLIMIT_DATA] = allowance.address_space + _DEVICE_HOST_MEMORY
        limits[resource.RLIMIT_FSIZE] = _DEVICE_MEMORY_FILE
        limits[resource.RLIMIT_NOFILE] = _DEVICE_OPEN_FILES
        limits[resource.RLIMIT_NPROC] = _DEVICE_THREADS if own_uid else _DEVICE_THREADS_OF_ALL
    for which, value in limits.items():
        resource.setrlimit(which, (value, value))
    resource.setrlimit(resource.RLIMIT_CPU, (allowance.cpu_seconds, allowance.cpu_seconds + 1))
