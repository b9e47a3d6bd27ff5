"""A zygote: a warm interpreter inside the sandbox that forks one confined process per job.

It parses nothing that comes from an assignment or a student: their text passes through it only as a descriptor.
It speaks with the worker over one socket, in small JSON messages that carry descriptors:

    worker -> {"job", "role", "address_space", "cpu_seconds", "uid", ...} with the job's descriptors
    worker <- {"started": job} with a pidfd, then {"ended": job, "status", "cpu_seconds", "peak_bytes"}
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import select
import socket
import sys
import traceback
from collections.abc import Callable
from typing import Any

import numpy as np

from . import MAX_DESCRIPTORS, MESSAGE_BYTES, kernel, landlock, seccomp
from .confine import Allowance, Profile, confine

# Imported before the fork, so that a submission pays nothing for them, and has them where no file can be opened.
PRELOADED = """
    numpy.linalg numpy.fft numpy.random numpy.testing numpy.lib.stride_tricks numpy.polynomial numpy.ma
    __future__ abc array base64 bisect cmath collections contextlib copy csv ctypes dataclasses datetime decimal
    difflib enum fractions functools glob hashlib heapq inspect io itertools json linecache logging math mmap
    numbers operator pathlib pickle platform pprint queue random re shutil signal statistics string struct
    subprocess sysconfig tempfile textwrap threading time timeit traceback types typing unittest uuid warnings
    weakref
""".split()

_GARBAGE_THRESHOLD = 20_000  # new objects between collections: each copies pages, and a fork is short

Main = Callable[[dict[str, Any], list[int]], None]


def serve(config: dict[str, Any], mains: dict[str, Main]) -> None:
    """Runs until the worker's end of the control socket closes. `mains`: what a fork of each role runs."""
    control = socket.socket(fileno=config["control"])
    kernel.prctl(kernel.PR_SET_DUMPABLE, 0)
    if not config["namespaces"]:
        kernel.prctl(kernel.PR_SET_PDEATHSIG, 9)  # in a namespace bubblewrap sees to that
    own = os.pidfd_open(os.getpid())
    profile = _profile(config, own)
    _warm()
    sys.path[:] = [
        entry for entry in sys.path if entry not in config["search"]
    ]  # a fork imports only what is warm
    _say(control, {"ready": {"landlock": landlock.abi(), "throw_away_uid": profile.throw_away_uid}}, [own])

    running: dict[int, tuple[int, int]] = {}  # pidfd -> pid, job
    poll = select.poll()
    poll.register(control, select.POLLIN)
    while True:
        for fd, _ in poll.poll():
            if fd == control.fileno():
                raw, descriptors, _, _ = socket.recv_fds(control, MESSAGE_BYTES, MAX_DESCRIPTORS)
                if not raw:
                    os._exit(0)
                job = json.loads(raw)
                pid = _fork(job, descriptors, profile, own, mains)
                pidfd = os.pidfd_open(pid)
                running[pidfd] = (pid, job["job"])
                poll.register(pidfd, select.POLLIN)
                for descriptor in descriptors:
                    os.close(descriptor)
                _say(control, {"started": job["job"]}, [pidfd])
            else:
                pid, number = running.pop(fd)
                poll.unregister(fd)
                os.close(fd)
                _, status, usage = os.wait4(pid, 0)
                cpu, peak = usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024
                _say(control, {"ended": number, "status": status, "cpu_seconds": cpu, "peak_bytes": peak})


def _fork(
    job: dict[str, Any], descriptors: list[int], profile: Profile, own: int, mains: dict[str, Main]
) -> int:
    if (
        profile.namespaces
    ):  # the next fork is process 1 of a namespace of its own: what it leaves dies with it
        kernel.unshare(kernel.CLONE_NEWPID)
    pid = os.fork()
    if pid == 0:
        _run(job, descriptors, profile, mains)
    if profile.namespaces:
        kernel.setns(own, kernel.CLONE_NEWPID)
    return pid


def _run(job: dict[str, Any], descriptors: list[int], profile: Profile, mains: dict[str, Main]) -> None:
    """In the fork: never returns."""
    try:
        gc.set_threshold(_GARBAGE_THRESHOLD)
        gc.enable()
        allowance = Allowance(job["address_space"], job["cpu_seconds"], job["uid"])
        mains[job["role"]](job, confine(profile, allowance, descriptors))
        sys.stdout.flush()
    except BaseException:
        try:
            os.write(2, traceback.format_exc().encode("utf-8", "replace"))
        finally:
            os._exit(99)
    os._exit(0)


def _profile(config: dict[str, Any], own: int) -> Profile:
    """Tries what the rung asks for. Raises OSError where the machine refuses: there is no silent step down."""
    if config["namespaces"]:
        kernel.unshare(kernel.CLONE_NEWPID)
        kernel.setns(own, kernel.CLONE_NEWPID)
    with_landlock = config["landlock"] and landlock.abi() > 0
    return Profile(
        namespaces=config["namespaces"],
        throw_away_uid=_can_change_uid(config["first_uid"]),
        landlock_rules=landlock.ruleset(config["readable"]) if with_landlock else None,
        bpf=seccomp.program(paths=config["paths"]),
    )


def _can_change_uid(uid: int) -> bool:
    if os.geteuid() != 0:
        return False
    pid = os.fork()
    if pid == 0:
        try:
            os.setgroups([])
            os.setresgid(uid, uid, uid)
            os.setresuid(uid, uid, uid)
        except OSError:
            os._exit(1)
        os._exit(0)
    return os.waitpid(pid, 0)[1] == 0


def _warm() -> None:
    """Everything a fork would otherwise pay for itself."""
    for name in PRELOADED:
        importlib.import_module(name)
    square = np.ones((64, 64), np.float32)
    for dtype in (np.float32, np.float64):
        square.astype(dtype) @ square.astype(dtype)
    large = np.ones(3 << 20)
    del (
        large
    )  # freeing 24 MB raises malloc's mmap threshold: forks then reuse pages instead of faulting new ones
    gc.collect()
    gc.freeze()
    gc.disable()


def _say(control: socket.socket, message: dict[str, Any], descriptors: list[int] | None = None) -> None:
    socket.send_fds(control, [json.dumps(message).encode()], descriptors or [])


def main(config: dict[str, Any]) -> None:
    """The child's zygote."""
    from . import child

    serve(config, {"child": child.main})
