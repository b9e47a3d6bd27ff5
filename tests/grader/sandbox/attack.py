"""What attacks are made of; see attacks_child.py and attacks_judge.py."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Attack:
    """verdict: what it must come to, where that is the same on every rung."""

    why: str
    code: str
    verdict: str | None = None
    then: bool = True  # by a child: whether check `b` is passed all the same
    endless: bool = False  # by a judge: only a deadline ends it
    machine: str = ""  # the machine type that its machine code is for


# What an attack may use. It runs in front of the attack's own code, inside the sandbox.
TOOLS = """
import ctypes, functools, os, platform, struct, sys, time
import numpy as np

print = functools.partial(print, flush=True)  # what was printed before a kill counts
libc = ctypes.CDLL(None, use_errno=True)

def attempt(what, action):
    try:
        print(what, "SUCCEEDED:", repr(action())[:80])
    except BaseException as error:
        print(what, "failed:", type(error).__name__, str(error)[:70])

def checked(result):
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result

def syscall(name, *arguments):
    number = name if isinstance(name, int) else NUMBERS[name]
    wide = [ctypes.c_ulong(a) if isinstance(a, int) else a for a in arguments]
    return checked(libc.syscall(ctypes.c_ulong(number), *wide))

def machine_code(code):
    # A function of these bytes, in memory that can be written and run.
    import mmap
    memory = mmap.mmap(-1, 4096, prot=7)
    memory.write(bytes.fromhex(code))
    function = ctypes.CFUNCTYPE(ctypes.c_long)(ctypes.addressof(ctypes.c_char.from_buffer(memory)))
    function.memory = memory
    return function
"""
