"""A zygote: a warm interpreter inside the sandbox that forks one confined process per job.

It parses nothing that comes from an assignment or a student: their text passes through it only as a descriptor.
It speaks with the worker over one socket, in small JSON messages that carry descriptors:

    worker -> {"job", "address_space", "cpu_seconds", ...} with the job's descriptors
    worker <- {"started": job} with a pidfd, then {"ended": job, "status", "cpu_seconds", "peak_bytes"}

The fork for the next job is made while there is nothing else to do, and rehearses: so a submission does not wait
for the fork, nor for the thousand pages that a fresh fork has to copy as it first touches them.
"""

from __future__ import annotations

import gc
import importlib
import itertools
import json
import os
import select
import site
import socket
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import MAX_DESCRIPTORS, MESSAGE_BYTES, kernel, landlock, preload, seccomp
from .confine import Allowance, Profile, Reach, isolate, seal

_GARBAGE_THRESHOLD = 20_000  # new objects between collections: each copies pages, and a fork is short

_IDLE_MILLISECONDS = 3  # under load the next job comes sooner, and a rehearsal would only cost


@dataclass(frozen=True)
class Role:
    """What a zygote's forks are for. `rehearse` does harmlessly what `main` will do with a job."""

    main: Callable[[dict[str, Any], list[int]], None]
    rehearse: Callable[[], None]


@dataclass
class Fork:
    """A fork of this zygote: a spare one waits at the other end of `socket`; `job` is None until it has one."""

    pid: int
    socket: socket.socket
    job: int | None = None


def serve(config: dict[str, Any], role: Role) -> None:
    """Runs until the worker's end of the control socket closes."""
    control = socket.socket(fileno=config["control"])
    kernel.prctl(kernel.PR_SET_DUMPABLE, 0)
    if not config["namespaces"]:
        kernel.prctl(kernel.PR_SET_PDEATHSIG, 9)  # in a namespace bubblewrap sees to that
    own = os.pidfd_open(os.getpid())
    profile = _profile(config, own)
    modules = preload.COMMON if config["imports"] else preload.COMMON + preload.REST
    _warm(role, modules + config["preload"])
    if config["device"]:
        # Each fork imports CuPy itself, which looks for CUDA's packages where `site` says that packages lie.
        site.getsitepackages = lambda prefixes=None: list(config["search"])
    else:  # a fork imports only what is warm, or what lies below a package that is
        sys.path[:] = [entry for entry in sys.path if entry not in config["search"]]
    _say(control, {"ready": {"landlock": landlock.abi(), "throw_away_uid": profile.throw_away_uid}}, [own])

    uids = itertools.cycle(range(config["first_uid"], config["first_uid"] + config["uids"]))
    forks: dict[int, Fork] = {}  # by pidfd
    spare: int | None = None
    poll = select.poll()
    poll.register(control, select.POLLIN)
    while True:
        idle = spare is None and not forks
        events = poll.poll(_IDLE_MILLISECONDS if idle else None)
        if not events:
            spare = _fork(forks, poll, profile, own, next(uids), role, rehearse=True)
        for fd, _ in events:
            if fd == control.fileno():
                raw, descriptors, _, _ = socket.recv_fds(control, MESSAGE_BYTES, MAX_DESCRIPTORS)
                if not raw:
                    os._exit(0)
                if spare is None:
                    spare = _fork(forks, poll, profile, own, next(uids), role, rehearse=False)
                pidfd, spare = spare, None
                forks[pidfd].job = json.loads(raw)["job"]
                _hand_over(forks[pidfd].socket, raw, descriptors)
                _say(control, {"started": forks[pidfd].job}, [pidfd])
            else:
                fork = forks.pop(fd)
                spare = None if spare == fd else spare
                poll.unregister(fd)
                os.close(fd)
                _, status, usage = os.wait4(fork.pid, 0)
                if fork.job is not None:
                    cpu, peak = usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024
                    _say(
                        control, {"ended": fork.job, "status": status, "cpu_seconds": cpu, "peak_bytes": peak}
                    )


def _hand_over(to: socket.socket, raw: bytes, descriptors: list[int]) -> None:
    try:
        socket.send_fds(to, [raw], descriptors)
    except OSError:
        pass  # the spare fork has died: its pidfd says so, and the worker hears that its job has ended
    to.close()
    for descriptor in descriptors:
        os.close(descriptor)


def _fork(
    forks: dict[int, Fork],
    poll: select.poll,
    profile: Profile,
    own: int,
    uid: int,
    role: Role,
    *,
    rehearse: bool,
) -> int:
    """A fork that waits for its job; returns its pidfd."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    # The next fork is process 1 of a namespace of its own: what it leaves dies with it
    if profile.namespaces:
        kernel.unshare(kernel.CLONE_NEWPID)
    pid = os.fork()
    if pid == 0:
        ours.close()
        _run(theirs, profile, uid, role, rehearse)
    if profile.namespaces:
        kernel.setns(own, kernel.CLONE_NEWPID)
    theirs.close()
    pidfd = os.pidfd_open(pid)
    forks[pidfd] = Fork(pid, ours)
    poll.register(pidfd, select.POLLIN)
    return pidfd


def _run(waiting: socket.socket, profile: Profile, uid: int, role: Role, rehearse: bool) -> None:
    """In the fork: never returns."""
    try:
        isolate(profile, uid)
        if rehearse:
            role.rehearse()
        raw, descriptors, _, _ = socket.recv_fds(waiting, MESSAGE_BYTES, MAX_DESCRIPTORS)
        if not raw:
            os._exit(0)  # the zygote has gone
        job = json.loads(raw)
        descriptors = seal(profile, Allowance(job["address_space"], job["cpu_seconds"]), descriptors)
        gc.set_threshold(_GARBAGE_THRESHOLD)
        gc.enable()
        role.main(job, descriptors)
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
        landlock_rules=landlock.ruleset(config["readable"], config["listable"]) if with_landlock else None,
        bpf=seccomp.program(paths=config["paths"], device=config["device"]),
        zygote=os.getpid(),
        device=Reach(config["readable"], config["writable"]) if config["device"] else None,
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


def _warm(role: Role, modules: list[str]) -> None:
    """Everything a fork would otherwise pay for itself."""
    for name in modules:
        importlib.import_module(name)
    role.rehearse()  # imports what is imported late
    square = np.ones((64, 64), np.float32)
    for dtype in (np.float32, np.float64):
        square.astype(dtype) @ square.astype(dtype)
    large = np.ones(3 << 20)
    del large  # freeing 24 MB raises malloc's mmap threshold: forks reuse pages instead of faulting new ones
    gc.collect()
    gc.freeze()
    gc.disable()


def _say(control: socket.socket, message: dict[str, Any], descriptors: list[int] | None = None) -> None:
    socket.send_fds(control, [json.dumps(message).encode()], descriptors or [])


def main(config: dict[str, Any]) -> None:
    """The child's zygote."""
    from . import child

    serve(config, Role(child.main, child.rehearse))
