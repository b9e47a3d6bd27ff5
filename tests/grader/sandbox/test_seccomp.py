"""The system call filter: run here in a small interpreter of BPF, over every number there is, against a table that
says anew what should come of it, and against the filter that libseccomp makes of the same rules.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import os
import platform
import struct
from collections.abc import Iterator
from itertools import product

import pytest

from grader.sandbox.inside import kernel, seccomp, syscalls

ALLOWED, KILLED, EPERM, ENOTTY, ENOSYS = "allowed", "killed", "EPERM", "ENOTTY", "ENOSYS"
ACTIONS = {
    0x7FFF_0000: ALLOWED,
    0x8000_0000: KILLED,
    0x0005_0000 | 1: EPERM,
    0x0005_0000 | 25: ENOTTY,
    0x0005_0000 | 38: ENOSYS,
}
ARCHITECTURE = {"x86_64": 0xC000_003E, "aarch64": 0xC000_00B7}[platform.machine()]
FOREIGN = [
    0x4000_0003,
    0x4000_0028,
    0xC000_003E ^ 0xC000_00B7 ^ ARCHITECTURE,
    0,
    0xFFFF_FFFF,
]  # i386, arm, the other
NUMBERS = range(600)

# What the filter should say, written down a second time: in groups, by what the calls are for.
ALLOW = {
    "bytes": "read write readv writev pread64 pwrite64 lseek poll ppoll select pselect6",
    "descriptors": "close fstat dup dup2 dup3",
    "memory": "mmap munmap mremap mprotect madvise brk",
    "waiting": "futex nanosleep clock_nanosleep sched_yield restart_syscall set_robust_list",
    "time": "clock_gettime clock_getres gettimeofday time times getrusage",
    "who am I": "getpid gettid getppid getpgrp getpgid getsid",
    "whose am I": "getuid geteuid getgid getegid getresuid getresgid getgroups",
    "the machine": "uname sysinfo getcpu sched_getaffinity getrandom getrlimit",
    "its own signals": "rt_sigaction rt_sigprocmask rt_sigreturn rt_sigpending sigaltstack",
    "the end": "exit exit_group",
    "places": "getcwd getdents64",
}
BY_PATH = "open openat stat lstat newfstatat statx access faccessat faccessat2 readlink readlinkat"
KILL = {
    "other processes": "ptrace process_vm_readv process_vm_writev kcmp pidfd_getfd process_madvise",
    "namespaces": "unshare setns chroot pivot_root",
    "mounts": "mount umount2 move_mount open_tree fsopen fsmount mount_setattr",
    "the kernel's own machines": "bpf io_uring_setup io_uring_enter io_uring_register userfaultfd perf_event_open",
    "segments of memory": "modify_ldt",
    "keys": "keyctl add_key request_key",
    "files past their paths": "open_by_handle_at name_to_handle_at fanotify_init quotactl acct",
    "the machine": "init_module finit_module delete_module kexec_load kexec_file_load reboot swapon swapoff",
}
ABSENT = "clone3 rseq openat2"
FCNTL = {0, 1, 2, 3, 4, 1030}
IOCTL = {0x5401, 0x5421, 0x541B, 0x5451, 0x5450}

# What is allowed beside that where code runs on a GPU.
FOR_DEVICE = {
    "memory": "memfd_create ftruncate fallocate mlock munlock mlock2 mincore msync membarrier fadvise64",
    "memory of a node": "mbind set_mempolicy get_mempolicy",
    "events": "pipe pipe2 eventfd2 epoll_create1 epoll_ctl epoll_wait epoll_pwait timerfd_create timerfd_settime",
    "processors": "sched_setaffinity sched_getscheduler sched_getparam sched_get_priority_max sched_get_priority_min",
    "threads": "rseq",
    "the rest": "getpriority statfs fstatfs",
}
SEALS = {1033, 1034}
NOT_TO_TERMINALS = {0x5412, 0x541C, 0x5452, 0x8901, 0x8902}
NAMES_OF_THREADS = {15, 16}
THREAD, NAMESPACES = 0x10000, 0x7E020080
OF_NOTE = """
    fork vfork clone execve execveat kill tkill tgkill rt_sigqueueinfo rt_tgsigqueueinfo pidfd_open pidfd_send_signal
    socket socketpair connect bind listen memfd_create shmget msgget semget mq_open splice tee vmsplice
    setrlimit prctl seccomp landlock_restrict_self personality setitimer timer_create
    mkdir unlink rename link symlink mknod ftruncate chdir capset sethostname clock_settime
"""


def numbers(names: str) -> set[int]:
    return {kernel.NUMBERS[name] for name in names.split() if name in kernel.NUMBERS}


def expected(number: int, arguments: tuple[int, ...], *, paths: bool, device: bool = False) -> str:
    """What should come of a call of this machine's own kind."""
    if device:
        low = [argument & 0xFFFF_FFFF for argument in (*arguments, 0, 0)]
        if number == kernel.NUMBERS["fcntl"] and low[1] in SEALS:
            return ALLOWED
        if number == kernel.NUMBERS["ioctl"]:
            return ENOTTY if low[1] in NOT_TO_TERMINALS else ALLOWED
        if number == kernel.NUMBERS["prctl"]:
            return ALLOWED if low[0] in NAMES_OF_THREADS else EPERM
        if number == kernel.NUMBERS["clone"]:
            return ALLOWED if low[0] & THREAD and not low[0] & NAMESPACES else EPERM
        if number in numbers(" ".join(FOR_DEVICE.values())):
            return ALLOWED
    if number == kernel.NUMBERS["fcntl"]:
        return ALLOWED if arguments[1] & 0xFFFF_FFFF in FCNTL else EPERM
    if number == kernel.NUMBERS["ioctl"]:
        return ALLOWED if arguments[1] & 0xFFFF_FFFF in IOCTL else ENOTTY
    if number == kernel.NUMBERS["prlimit64"]:
        return ALLOWED if arguments[0] & 0xFFFF_FFFF == 0 and arguments[2] == 0 else EPERM
    if number in numbers(" ".join(ALLOW.values())) or (paths and number in numbers(BY_PATH)):
        return ALLOWED
    if number in numbers(" ".join(KILL.values())):
        return KILLED
    return ENOSYS if number in numbers(ABSENT) else EPERM


def run(
    program: bytes, number: int, arguments: tuple[int, ...] = (), architecture: int = ARCHITECTURE
) -> str:
    """What the kernel would do: classic BPF, in the few instructions that filters use."""
    data = struct.pack("=IIQ6Q", number, architecture, 0, *(*arguments, *[0] * 6)[:6])
    place, loaded = 0, 0
    while True:
        code, if_true, if_false, value = struct.unpack_from("=HBBI", program, 8 * place)
        place += 1
        if code == 0x20:  # load a word
            assert value % 4 == 0
            loaded = struct.unpack_from("=I", data, value)[0]
        elif code == 0x06:  # return
            return ACTIONS[value]
        elif code == 0x05:  # jump
            place += value
        elif code == 0x54:  # and
            loaded &= value
        else:
            holds = {
                0x15: loaded == value,
                0x35: loaded >= value,
                0x25: loaded > value,
                0x45: bool(loaded & value),
            }
            place += if_true if holds[code] else if_false


def telling_arguments(number: int) -> Iterator[tuple[int, ...]]:
    """Arguments that matter to the filter, and their neighbours in both halves of 64 bits."""
    if number in (kernel.NUMBERS["fcntl"], kernel.NUMBERS["ioctl"]):
        for low, high in product(
            [*range(1100), *(v + d for v in IOCTL | NOT_TO_TERMINALS for d in (-1, 0, 1)), 0xC020_4637],
            (0, 1, 0xFFFF_FFFF),
        ):
            yield (0, high << 32 | low, 0)
    elif number == kernel.NUMBERS["prlimit64"]:
        values = (0, 1, 1 << 32, 0xFFFF_FFFF, 1 << 63)
        yield from product(values, (0, 7), values, (0, 1))
    elif number == kernel.NUMBERS["clone"]:
        flags = [
            0,
            *(1 << bit for bit in range(32)),
            0x3D0F00,
            0x1200011,
        ]  # a thread of the C library, and a fork
        yield from ((flag | more | high << 32,) for flag in flags for more in (0, THREAD) for high in (0, 1))
    elif number == kernel.NUMBERS["prctl"]:
        yield from ((option | high << 32,) for option in range(80) for high in (0, 1))
    else:
        yield ()
        yield (0xFFFF_FFFF_FFFF_FFFF,) * 6


@pytest.fixture(params=[True, False], ids=["files by path", "no files"])
def paths(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


@pytest.fixture(params=[False, True], ids=["no device", "with a device"])
def device(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


def test_every_call_comes_to_what_the_table_says(paths: bool, device: bool) -> None:
    program = seccomp.program(paths=paths, device=device)
    for number in NUMBERS:
        for arguments in telling_arguments(number):
            should = expected(number, arguments, paths=paths, device=device)
            assert run(program, number, arguments) == should, (number, arguments)


def test_other_kinds_of_calls_end_the_process(paths: bool, device: bool) -> None:
    program = seccomp.program(paths=paths, device=device)
    for number in NUMBERS:
        assert run(program, number | 0x4000_0000) == KILLED, "x32"
        assert run(program, number | 0x8000_0000) == KILLED
        for architecture in FOREIGN:
            assert run(program, number, architecture=architecture) == KILLED
    assert run(program, 0xFFFF_FFFF) == KILLED


def test_what_starts_or_reaches_something_is_refused(paths: bool) -> None:
    program = seccomp.program(paths=paths)
    for name in OF_NOTE.split():
        if name in kernel.NUMBERS:
            assert run(program, kernel.NUMBERS[name]) in (EPERM, ENOSYS), name


def test_a_gpu_gives_threads_and_no_processes(paths: bool) -> None:
    program = seccomp.program(paths=paths, device=True)
    opened = {name for words in FOR_DEVICE.values() for name in words.split()}
    for name in set(OF_NOTE.split()) - opened:
        if name in kernel.NUMBERS:
            assert run(program, kernel.NUMBERS[name]) in (EPERM, ENOSYS), name


def test_the_kernel_would_take_it(paths: bool, device: bool) -> None:
    program = seccomp.program(paths=paths, device=device)
    assert len(program) % 8 == 0
    assert len(program) // 8 <= 4096
    for place in range(len(program) // 8):
        code, if_true, if_false, value = struct.unpack_from("=HBBI", program, 8 * place)
        assert code in (0x20, 0x15, 0x35, 0x06, 0x54)
        assert code in (0x06, 0x54) or place + 1 + max(if_true, if_false) < len(program) // 8
        if code == 0x20:
            assert value in range(0, 64, 4)
    assert struct.unpack_from("=HBBI", program, len(program) - 8)[0] == 0x06, "it ends in a return"


def test_names_are_in_one_list_only() -> None:
    special = ["fcntl", "ioctl", "prlimit64", "prctl", "clone"]
    lists = [
        seccomp.ALLOW,
        seccomp.BY_PATH,
        seccomp.FOR_DEVICE,
        seccomp.KILL,
        seccomp.ABSENT,
        seccomp.RSEQ,
        special,
    ]
    names = [name for each in lists for name in each]
    assert len(names) == len(set(names))
    unknown = {name for name in names if name not in {*syscalls.table("x86_64"), *syscalls.table("aarch64")}}
    assert not unknown, "a name without a number would silently do nothing"


# -- against libseccomp

ERRNO = 0x0005_0000
MACHINES = {"x86_64": 0xC000_003E, "aarch64": 0xC000_00B7}


class Comparison(ctypes.Structure):
    _fields_ = [
        ("argument", ctypes.c_uint),
        ("operator", ctypes.c_int),
        ("a", ctypes.c_uint64),
        ("b", ctypes.c_uint64),
    ]


@pytest.fixture(scope="module")
def libseccomp() -> ctypes.CDLL:
    name = ctypes.util.find_library("seccomp") or "libseccomp.so.2"
    try:
        library = ctypes.CDLL(name)
    except OSError:
        pytest.skip("libseccomp is not installed, so there is nothing to compare with")
    library.seccomp_init.restype = ctypes.c_void_p
    library.seccomp_init.argtypes = [ctypes.c_uint32]
    library.seccomp_rule_add_array.argtypes = [
        ctypes.c_void_p, ctypes.c_uint32, ctypes.c_int, ctypes.c_uint, ctypes.POINTER(Comparison),
    ]  # fmt: skip
    library.seccomp_attr_set.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_uint32]
    library.seccomp_export_bpf.argtypes = [ctypes.c_void_p, ctypes.c_int]
    library.seccomp_release.argtypes = [ctypes.c_void_p]
    library.seccomp_syscall_resolve_name_arch.argtypes = [ctypes.c_uint32, ctypes.c_char_p]
    return library


def by_libseccomp(library: ctypes.CDLL, *, paths: bool) -> bytes:
    """The filter that libseccomp makes of the same rules."""
    equal, masked_equal = 4, 7
    bad_architecture = 2
    context = library.seccomp_init(ERRNO | 1)
    assert library.seccomp_attr_set(context, bad_architecture, 0x8000_0000) == 0

    def rule(action: int, name: str, *comparisons: Comparison) -> None:
        if name in kernel.NUMBERS:
            array = (Comparison * max(1, len(comparisons)))(*comparisons)
            result = library.seccomp_rule_add_array(
                context, action, kernel.NUMBERS[name], len(comparisons), array
            )
            assert result == 0, (name, result)

    for name in " ".join([*ALLOW.values(), *([BY_PATH] if paths else [])]).split():
        rule(0x7FFF_0000, name)
    for command in sorted(FCNTL):
        rule(0x7FFF_0000, "fcntl", Comparison(1, masked_equal, 0xFFFF_FFFF, command))
    for request in sorted(IOCTL):
        rule(0x7FFF_0000, "ioctl", Comparison(1, masked_equal, 0xFFFF_FFFF, request))
    rule(0x7FFF_0000, "prlimit64", Comparison(0, masked_equal, 0xFFFF_FFFF, 0), Comparison(2, equal, 0, 0))
    for name in " ".join(KILL.values()).split():
        rule(0x8000_0000, name)
    for name in ABSENT.split():
        rule(ERRNO | 38, name)
    fd = os.memfd_create("filter")
    try:
        assert library.seccomp_export_bpf(context, fd) == 0
        return os.pread(fd, 1 << 16, 0)
    finally:
        os.close(fd)
        library.seccomp_release(context)


def test_it_does_what_libseccomps_filter_does(libseccomp: ctypes.CDLL, paths: bool) -> None:
    ours, theirs = seccomp.program(paths=paths), by_libseccomp(libseccomp, paths=paths)
    for number in NUMBERS:
        for arguments in telling_arguments(number):
            verdicts = [run(program, number, arguments) for program in (ours, theirs)]
            if (
                number == kernel.NUMBERS["ioctl"]
            ):  # libseccomp has no "else" for one call: its default is EPERM
                verdicts = [EPERM if verdict == ENOTTY else verdict for verdict in verdicts]
            assert verdicts[0] == verdicts[1], (number, arguments, verdicts)
        for foreign in FOREIGN:
            assert run(ours, number, architecture=foreign) == run(theirs, number, architecture=foreign)
    if platform.machine() == "x86_64":
        for number in NUMBERS:
            assert run(ours, number | 0x4000_0000) == run(theirs, number | 0x4000_0000)


@pytest.mark.parametrize("machine", MACHINES)
def test_the_numbers_are_libseccomps(libseccomp: ctypes.CDLL, machine: str) -> None:
    for name, number in syscalls.table(machine).items():
        known = libseccomp.seccomp_syscall_resolve_name_arch(MACHINES[machine], name.encode())
        assert known in (number, -1), f"{name} is {known} there"  # -1: younger than that libseccomp
    other = set(syscalls.table("x86_64")) ^ set(syscalls.table("aarch64"))
    for name in other - set(syscalls.table(machine)):
        known = libseccomp.seccomp_syscall_resolve_name_arch(MACHINES[machine], name.encode())
        assert known < 0, f"{name} is {known} there, and nothing in our table"
