"""The system calls a confined process may make: an allow-list, as a classic BPF program.

What ordinary Python and numpy need is allowed. What starts something (fork, thread, exec, socket, signal)
fails with EPERM, so that honest code gets a clear exception. What only an attack would want ends the process.
"""

from __future__ import annotations

import ctypes
import struct

from . import kernel

_AUDIT_ARCH = {"x86_64": 0xC000_003E, "aarch64": 0xC000_00B7}[kernel.MACHINE]

ALLOW = """
    read write mmap munmap futex brk madvise readv writev pread64 pwrite64 lseek close fstat
    getcwd getdents64 dup dup2 dup3 mremap mprotect sched_yield sched_getaffinity getcpu
    getpid gettid getppid getuid geteuid getgid getegid getresuid getresgid getgroups getpgrp getpgid getsid
    getrandom clock_gettime clock_getres clock_nanosleep nanosleep gettimeofday time times getrusage uname sysinfo
    getrlimit rt_sigaction rt_sigprocmask rt_sigreturn rt_sigpending sigaltstack exit exit_group restart_syscall
    set_robust_list poll ppoll select pselect6
""".split()  # the most frequent first: the program is walked from the top

# Reading by path: where Landlock or a mount namespace bounds what a path can reach.
BY_PATH = "open openat newfstatat stat lstat statx access faccessat faccessat2 readlink readlinkat".split()

KILL = """
    ptrace process_vm_readv process_vm_writev kcmp bpf unshare setns mount umount2 pivot_root chroot move_mount
    open_tree fsopen fsmount mount_setattr keyctl add_key request_key io_uring_setup io_uring_enter io_uring_register
    userfaultfd perf_event_open init_module finit_module delete_module kexec_load kexec_file_load reboot swapon swapoff
    open_by_handle_at name_to_handle_at pidfd_getfd process_madvise fanotify_init quotactl acct modify_ldt
""".split()

# "Not there" rather than "forbidden": libraries then fall back to an older call.
ABSENT = ["clone3", "openat2"]
# The same, but for what starts threads: the C library gives up where the second one finds it gone.
RSEQ = ["rseq"]

# F_SETOWN and F_SETSIG would let a pipe send any signal to any process of the same user.
FCNTL_COMMANDS = (0, 1, 2, 3, 4, 1030)  # F_DUPFD F_GETFD F_SETFD F_GETFL F_SETFL F_DUPFD_CLOEXEC
IOCTL_REQUESTS = (0x5401, 0x5421, 0x541B, 0x5451, 0x5450)  # TCGETS FIONBIO FIONREAD FIOCLEX FIONCLEX

# What a GPU's driver needs beside that, in the process of whoever computes there: memory of its own, threads, events.
FOR_DEVICE = """
    memfd_create ftruncate fallocate mlock munlock mlock2 mincore msync mbind set_mempolicy get_mempolicy membarrier
    pipe pipe2 eventfd2 epoll_create1 epoll_ctl epoll_wait epoll_pwait timerfd_create timerfd_settime
    sched_setaffinity sched_getscheduler sched_getparam sched_get_priority_max sched_get_priority_min getpriority
    statfs fstatfs fadvise64
""".split()
SEALS = (1033, 1034)  # F_ADD_SEALS F_GET_SEALS: of the memory that it makes
PRCTL_OPTIONS = (15, 16)  # PR_SET_NAME PR_GET_NAME: of its threads
# What types on a terminal, or lets a descriptor send signals: TIOCSTI TIOCLINUX FIOASYNC FIOSETOWN SIOCSPGRP
IOCTL_REFUSED = (0x5412, 0x541C, 0x5452, 0x8901, 0x8902)
_THREAD = 0x0001_0000  # CLONE_THREAD
_NEW_NAMESPACES = 0x7E02_0080  # CLONE_NEW...: user, pid, net, ipc, uts, cgroup, mount, time

_LOAD, _EQUAL, _AT_LEAST, _AND, _RETURN = 0x20, 0x15, 0x35, 0x54, 0x06
_ALLOWED, _KILLED, _ERRNO = 0x7FFF_0000, 0x8000_0000, 0x0005_0000
_EPERM, _ENOTTY, _ENOSYS = 1, 25, 38
_NUMBER, _ARCHITECTURE = 0, 4  # offsets in struct seccomp_data
_X32_BIT = 0x4000_0000
_SECCOMP_MODE_FILTER = 2


def _argument(index: int) -> int:
    """Offset of the low 32 bits of an argument (both machines are little-endian)."""
    return 16 + 8 * index


def _instruction(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, value)


def _return(action: int) -> bytes:
    return _instruction(_RETURN, action)


def _one_of(values: tuple[int, ...], otherwise: int) -> list[bytes]:
    """Allowed where the loaded word is one of `values`."""
    body: list[bytes] = []
    for value in values:
        body += [_instruction(_EQUAL, value, 0, 1), _return(_ALLOWED)]
    return [*body, _return(otherwise)]


def _none_of(values: tuple[int, ...], refused: int) -> list[bytes]:
    """Refused where the loaded word is one of `values`."""
    body: list[bytes] = []
    for value in values:
        body += [_instruction(_EQUAL, value, 0, 1), _return(refused)]
    return [*body, _return(_ALLOWED)]


def _starts_a_thread() -> list[bytes]:
    """clone(flags, ...) of a thread of this process; clone3 is absent, as its flags cannot be seen."""
    return [
        _instruction(_LOAD, _argument(0)),
        _instruction(_AND, _THREAD | _NEW_NAMESPACES),
        _instruction(_EQUAL, _THREAD, 0, 1),
        _return(_ALLOWED),
        _return(_ERRNO | _EPERM),
    ]


def program(*, paths: bool, device: bool = False) -> bytes:
    """The filter. `paths`: files may be opened by name (something else bounds which). `device`: the wider one, for a
    process that computes on a GPU.
    """
    numbers = kernel.NUMBERS
    code = [
        _instruction(_LOAD, _ARCHITECTURE),
        _instruction(_EQUAL, _AUDIT_ARCH, 1, 0),
        _return(_KILLED),
        _instruction(_LOAD, _NUMBER),
        _instruction(_AT_LEAST, _X32_BIT, 0, 1),
        _return(_KILLED),
    ]

    def rule(names: list[str], action: int) -> None:
        for name in names:
            if name in numbers:
                code.extend([_instruction(_EQUAL, numbers[name], 0, 1), _return(action)])

    def rule_on_arguments(name: str, body: list[bytes]) -> None:
        code.append(_instruction(_EQUAL, numbers[name], 0, len(body)))
        code.extend(body)

    rule(ALLOW + (BY_PATH if paths else []) + (FOR_DEVICE if device else []), _ALLOWED)
    commands = FCNTL_COMMANDS + (SEALS if device else ())
    rule_on_arguments("fcntl", [_instruction(_LOAD, _argument(1)), *_one_of(commands, _ERRNO | _EPERM)])
    if device:
        rule_on_arguments(
            "ioctl", [_instruction(_LOAD, _argument(1)), *_none_of(IOCTL_REFUSED, _ERRNO | _ENOTTY)]
        )
        rule_on_arguments(
            "prctl", [_instruction(_LOAD, _argument(0)), *_one_of(PRCTL_OPTIONS, _ERRNO | _EPERM)]
        )
        rule_on_arguments("clone", _starts_a_thread())
    else:
        rule_on_arguments(
            "ioctl", [_instruction(_LOAD, _argument(1)), *_one_of(IOCTL_REQUESTS, _ERRNO | _ENOTTY)]
        )
    rule_on_arguments("prlimit64", _reads_own_limits())
    rule(KILL, _KILLED)
    rule(ABSENT, _ERRNO | _ENOSYS)
    rule(RSEQ, _ALLOWED if device else _ERRNO | _ENOSYS)
    code.append(_return(_ERRNO | _EPERM))
    return b"".join(code)


def _reads_own_limits() -> list[bytes]:
    """prlimit64(0, resource, NULL, old): of oneself, and without a new value (a pointer, so both halves)."""
    must_be_zero = [_argument(0), _argument(2), _argument(2) + 4]
    body: list[bytes] = []
    for offset in must_be_zero:
        body += [_instruction(_LOAD, offset), _instruction(_EQUAL, 0, 1, 0), _return(_ERRNO | _EPERM)]
    return [*body, _return(_ALLOWED)]


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_char_p)]


def enter(bpf: bytes) -> None:
    """Irrevocable. Needs no_new_privs."""
    filter_ = _Program(len(bpf) // 8, bpf)
    pointer = ctypes.cast(ctypes.pointer(filter_), ctypes.c_void_p).value
    assert pointer is not None
    kernel.prctl(kernel.PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, pointer)
