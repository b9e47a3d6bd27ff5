"""The judge's end of the pipes to one child.

Every wait has a deadline, and a length that the child sends is never taken on trust.
"""

from __future__ import annotations

import os
import select
import time

from grader.checks import Failed
from grader.report import Verdict

from .inside import frames
from .inside.frames import Kind, ReplyHeader
from .inside.waiting import wait

_CHUNK = 1 << 16


class Peer:
    """The pipes to one child. A `Failed` from here with `spent` set means that the child can no longer be used."""

    def __init__(self, calls: int, replies: int) -> None:
        self._calls, self._replies = calls, replies
        self.spent = False
        os.set_blocking(calls, False)
        os.set_blocking(replies, False)

    def send(self, parts: list[memoryview], deadline: float) -> None:
        views = list(parts)
        while views:
            try:
                written = os.writev(self._calls, views)
            except BlockingIOError:
                self._wait(self._calls, select.POLLOUT, deadline)
                continue
            except BrokenPipeError:
                raise self.dead() from None
            while views and written >= len(views[0]):
                written -= len(views.pop(0))
            if views:
                views[0] = views[0][written:]

    def header(self, call_id: int, allowed: tuple[Kind, ...], deadline: float) -> ReplyHeader:
        header = ReplyHeader.unpack(self.read(frames.REPLY.size, deadline))
        if header.magic != frames.MAGIC or header.call_id != call_id or header.kind not in allowed:
            raise self.violation("it answered something that was not asked")
        if header.kind != Kind.ARRAY and header.payload_bytes > frames.TEXT_CAP:
            raise self.violation("its answer's length is impossible")
        return header

    def read(self, count: int, deadline: float) -> bytearray:
        buffer = bytearray(count)
        view = memoryview(buffer)
        got = 0
        while got < count:
            try:
                n = os.readv(self._replies, [view[got:]])
            except BlockingIOError:
                self._wait(self._replies, select.POLLIN, deadline)
                continue
            if n == 0:
                raise self.dead()
            got += n
            if time.monotonic() > deadline and got < count:  # one byte at a time does not help
                raise self._late()
        return buffer

    def drain(self, count: int, deadline: float) -> None:
        while count:
            count -= len(self.read(min(count, _CHUNK), deadline))

    def has_spoken(self) -> bool:
        """Whether something lies in the pipe that nobody asked for."""
        poll = select.poll()
        poll.register(self._replies, select.POLLIN)
        return any(event & select.POLLIN for _, event in poll.poll(0))

    def violation(self, words: str) -> Failed:
        self.spent = True
        return Failed(Verdict.PROTOCOL_VIOLATION, f"Your code wrote into the grader's own channel: {words}.")

    def _wait(self, fd: int, event: int, deadline: float) -> None:
        left = deadline - time.monotonic()
        if left <= 0 or not wait(fd, event, left):
            raise self._late()

    def _late(self) -> Failed:
        self.spent = True
        return Failed(Verdict.TIME_LIMIT, "")  # Remote knows which limit it was

    def dead(self) -> Failed:
        self.spent = True
        return Failed(Verdict.CRASHED, "Your code ended its own process.")
