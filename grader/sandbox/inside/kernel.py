"""The few kernel calls that Python does not offer, through ctypes; errors become OSError."""

from __future__ import annotations

import ctypes
import os
import platform
import struct

from . import syscalls

MACHINE = platform.machine()
NUMBERS = syscalls.table(MACHINE)

CLONE_NEWNS = 0x0002_0000
CLONE_NEWIPC = 0x0800_0000
CLONE_NEWPID = 0x2000_0000

MS_NOSUID, MS_NODEV, MS_NOEXEC = 2, 4, 8

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_SET_SECCOMP = 22
PR_CAPBSET_DROP = 24
PR_SET_NO_NEW_PRIVS = 38
PR_CAP_AMBIENT = 47
PR_CAP_AMBIENT_CLEAR_ALL = 4

CAPABILITY_VERSION_3 = 0x2008_0522

libc = ctypes.CDLL(None, use_errno=True)


def _checked(result: int, what: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return result


def syscall(name: str, *arguments: object) -> int:
    """A raw system call by name; integers are passed as 64 bits."""
    wide = [ctypes.c_ulong(a) if isinstance(a, int) else a for a in arguments]
    return _checked(libc.syscall(ctypes.c_long(NUMBERS[name]), *wide), name)


def prctl(option: int, *arguments: int) -> int:
    values = [ctypes.c_ulong(a) for a in (*arguments, 0, 0, 0, 0)[:4]]
    return _checked(libc.prctl(option, *values), f"prctl {option}")


def unshare(flags: int) -> None:
    _checked(libc.unshare(flags), "unshare")


def setns(fd: int, flags: int) -> None:
    _checked(libc.setns(fd, flags), "setns")


def mount_own_proc() -> None:
    """Mounts the /proc of the caller's own pid namespace, in its own mount namespace: it shows nothing else."""
    syscall("mount", b"proc", b"/proc", b"proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, None)


def drop_capabilities() -> None:
    """No capability is left in any set, the bounding set included where that is allowed."""
    for capability in range(64):
        # Fails without CAP_SETPCAP or past the last capability; no_new_privs then does the same work.
        libc.prctl(PR_CAPBSET_DROP, ctypes.c_ulong(capability), 0, 0, 0)
    libc.prctl(PR_CAP_AMBIENT, ctypes.c_ulong(PR_CAP_AMBIENT_CLEAR_ALL), 0, 0, 0)
    header = struct.pack("=Ii", CAPABILITY_VERSION_3, 0)
    syscall("capset", header, bytes(24))
