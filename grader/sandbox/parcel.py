"""An assignment on its way to a judge: two sealed descriptors, its schema and its files.

The files are compiled once, by a confined job that has nothing but them, and travel compiled from then on. The worker
carries what that job wrote without ever opening it; only judges of the same assignment do.
"""

from __future__ import annotations

import json
import marshal
import os
import select
import time
from dataclasses import asdict, dataclass

from grader.assignment import Assignment
from grader.report import number

from .zygotes import Zygote, ZygoteLost

COMPILE_SECONDS = 10.0
COMPILE_MEMORY = 1 << 30
COMPILED_BYTES = 8 << 20
_CHUNK = 1 << 16


@dataclass(frozen=True)
class MemoryFile:
    """A descriptor that holds `size` bytes, which nobody can change any more."""

    fd: int
    size: int

    @classmethod
    def of(cls, data: bytes, name: str) -> MemoryFile:
        import fcntl  # not on every system that grades locally

        fd = os.memfd_create(name, os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        view = memoryview(data)
        while view:
            view = view[os.write(fd, view) :]
        seals = fcntl.F_SEAL_WRITE | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL
        fcntl.fcntl(fd, fcntl.F_ADD_SEALS, seals)
        return cls(fd, len(data))


@dataclass(frozen=True)
class Parcel:
    """What a judge is given of an assignment."""

    head: MemoryFile
    files: MemoryFile

    @classmethod
    def of(cls, assignment: Assignment, judge: Zygote) -> Parcel:
        """Packs an assignment, its files compiled where that can be done. Raises ZygoteLost."""
        head = MemoryFile.of(pack_head(assignment), "assignment")
        files = MemoryFile.of(pack_files(assignment), "files")
        try:
            compiled = _compiled(files, judge)
        except ZygoteLost:
            cls(head, files).close()
            raise
        if compiled:
            os.close(files.fd)
            files = MemoryFile.of(compiled, "files")
        return cls(head, files)

    def close(self) -> None:
        os.close(self.head.fd)
        os.close(self.files.fd)


def pack_head(assignment: Assignment) -> bytes:
    return json.dumps(
        {
            "function": assignment.function,
            "signature": assignment.signature,
            "returns": [assignment.returns.parts, assignment.returns.required],
            "checks": [[c.id, c.title, number(c.points), c.visibility, c.timed] for c in assignment.checks],
            "mistakes": [[m.id, m.hint, sorted(m.same_as)] for m in assignment.mistakes],
            "limits": asdict(assignment.limits),
            "device": assignment.device,
        }
    ).encode()


def pack_files(assignment: Assignment) -> bytes:
    return marshal.dumps({path: text for path, text in assignment.files.items() if path.endswith(".py")})


def _compiled(files: MemoryFile, judge: Zygote) -> bytes | None:
    """What the confined job wrote; None where it failed, and judges then compile for themselves."""
    reading, writing = os.pipe()
    silence = os.open(os.devnull, os.O_WRONLY)
    try:
        try:
            number = judge.spawn(
                [silence, writing, files.fd], memory_bytes=COMPILE_MEMORY, cpu_seconds=int(COMPILE_SECONDS),
                compile_bytes=files.size,
            )  # fmt: skip
        finally:
            os.close(writing)
            os.close(silence)
        try:
            written = _read_all(reading)
        finally:
            judge.kill(number)
            status = judge.reap(number).status
    finally:
        os.close(reading)
    return written if status == 0 else None


def _read_all(fd: int) -> bytes | None:
    until = time.monotonic() + COMPILE_SECONDS
    poll = select.poll()
    poll.register(fd, select.POLLIN)
    written = bytearray()
    while len(written) <= COMPILED_BYTES:
        left = until - time.monotonic()
        if left <= 0 or not poll.poll(left * 1000):
            return None
        data = os.read(fd, _CHUNK)
        if not data:
            return bytes(written)
        written += data
    return None
