"""The submission in the sandbox, as something that checks can call.

Every number that the child sends is compared with what was asked for before memory is taken for it. All waiting
is charged to one budget, so answering just inside every limit gains nothing.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from grader.assignment import Limits
from grader.checks import Failed
from grader.compare import Answer, Answers, Call
from grader.judge import Bundle
from grader.report import Verdict
from grader.source import Source

from . import wording
from .inside import frames
from .inside.child import digest_of
from .inside.frames import Kind, ReplyHeader
from .peer import Peer

DRAIN_CAP = 16 << 20  # bytes of an answer of the wrong shape: more than that costs a fresh child


@dataclass
class Budget:
    """The seconds that a submission may still use, in all its processes together."""

    seconds: float

    @classmethod
    def of(cls, limits: Limits) -> Budget:
        return cls(limits.load_seconds + limits.total_seconds)


class Remote:
    """The submission in the sandbox, as a `grader.checks.Student`.

    pairs:     one (calls, replies) pair for the first child and for each fresh one that may follow it.
    ask_fresh: tells the worker to replace the child.
    budget:    shared with others; one of its own unless given.
    """

    def __init__(
        self, pairs: list[tuple[int, int]], limits: Limits, bundle: Bundle, source: Source,
        ask_fresh: Callable[[], None], budget: Budget | None = None,
    ) -> None:  # fmt: skip
        self._pairs, self._limits, self._bundle, self._source = pairs, limits, bundle, source
        self._ask_fresh = ask_fresh
        self._restarts = len(pairs) - 1
        self.returns = bundle.returns
        self._peer: Peer | None = None
        self._refused: Failed | None = None
        self._budget = budget or Budget.of(limits)

    def load(self) -> None:
        """A child with the submission loaded; a fresh one where the last is spent. Raises Failed."""
        if self._refused is not None:
            raise self._refused
        if self._peer is not None and not self._peer.spent:
            return
        if not self._pairs:
            message = (
                f"Your code was started anew {self._restarts} times already, after a crash, a time limit or a huge "
                "answer in an earlier check. This check was left out."
            )
            raise Failed(Verdict.NOT_RUN, message)
        if self._peer is not None:
            self._ask_fresh()
        self._peer = peer = Peer(*self._pairs.pop(0))
        try:
            with self._waiting(self._limits.load_seconds, "Loading your file") as deadline:
                header = peer.header(0, (Kind.READY, Kind.ERROR), deadline)
                if header.kind == Kind.ERROR:
                    text = peer.read(header.payload_bytes, deadline)
                    raise wording.loading_raised(text, self._source, self._limits.memory_mb)
        except Failed as failed:  # a file that cannot be loaded will not load the next time
            self._refused = failed
            raise

    def ask(self, call: Call, *, digest: bool = False) -> Pending:
        """Sends the inputs; what is computed until `answer` runs beside the student's code."""
        self.load()
        peer = self._peer
        assert peer is not None
        if peer.has_spoken():
            raise peer.violation("it spoke before it was asked")
        call_id = int.from_bytes(os.urandom(8), "little") | 1  # nobody can answer before the question
        parts = frames.pack_call(call_id, call.args, call.kwargs, digest=digest, counts=self.returns.counts)
        with self._waiting(self._limits.call_seconds, "One call") as deadline:
            peer.send(parts, deadline)
        return Pending(self, peer, call, call_id, digest)

    def has_ended(self) -> Failed:
        """Its child was seen to be gone."""
        assert self._peer is not None
        return self._peer.dead()

    def receive(
        self, peer: Peer, call: Call, call_id: int, shapes: Sequence[tuple[int, ...]], digest: bool
    ) -> Answers:
        """The second half of a call: see `Pending.answers`."""
        with self._waiting(self._limits.call_seconds, "One call") as deadline:
            return self._receive(peer, call, call_id, shapes, digest, deadline)

    def _receive(
        self, peer: Peer, call: Call, call_id: int, shapes: Sequence[tuple[int, ...]], digest: bool,
        deadline: float,
    ) -> Answers:  # fmt: skip
        header = peer.header(call_id, (Kind.ARRAY, Kind.TUPLE, Kind.OTHER, Kind.ERROR), deadline)
        kept = (
            header.digest == digest_of(list(call.args), call.kwargs) if digest and header.has_digest else None
        )
        if header.kind == Kind.ERROR:
            text = peer.read(header.payload_bytes, deadline)
            peer.spent = wording.leaves_it_spent(text)
            raise wording.call_raised(text, self._source, self._bundle.signature, self._limits.memory_mb)
        if header.kind != Kind.TUPLE:
            answer = self._one(peer, header, shapes[0], kept, deadline)
            return Answers((answer,) if self.returns.required == 1 else (), answer.returned, kept)
        count = header.ndim
        if count not in self.returns.counts or header.payload_bytes:
            raise peer.violation("its answer is a tuple that was not asked for")
        parts: list[Answer] = []
        for shape in shapes[:count]:
            if peer.spent:  # after an array that was too large to be thrown away
                parts.append(Answer(None, None, None, "something that was not read", kept))
                continue
            own = peer.header(call_id, (Kind.ARRAY, Kind.OTHER), deadline)
            parts.append(self._one(peer, own, shape, kept, deadline))
        return Answers(tuple(parts), f"a tuple of {count} arrays", kept)

    def _one(
        self, peer: Peer, header: ReplyHeader, shape: tuple[int, ...], kept: bool | None, deadline: float
    ) -> Answer:
        """What follows one header: an array, or words about something else."""
        if header.kind == Kind.OTHER:
            text = peer.read(header.payload_bytes, deadline)
            return Answer(None, None, None, text.decode("utf-8", "replace")[:300], kept)
        if header.dtype_code >= len(frames.DTYPES) or header.ndim > frames.MAX_NDIM:
            raise peer.violation("its answer describes no array")
        dtype = np.dtype(frames.DTYPES[header.dtype_code])
        got = header.lengths[: header.ndim]
        size = dtype.itemsize
        for length in got:
            size *= length  # Python's integers do not overflow
        if size != header.payload_bytes:
            raise peer.violation("its answer's length does not fit its shape")
        words = f"an array of shape {got}, {dtype.name}"
        if got != shape:
            if size > DRAIN_CAP:
                peer.spent = True
            else:
                peer.drain(size, deadline)
            return Answer(None, got, dtype.name, words, kept)
        raw = np.frombuffer(peer.read(size, deadline), np.uint8)
        array = (raw != 0) if dtype == np.bool_ else raw.view(dtype)  # any byte may come as a bool
        return Answer(array.reshape(shape), got, dtype.name, words, kept)

    @contextmanager
    def _waiting(self, limit: float, what: str) -> Iterator[float]:
        """Gives the deadline for one wait, charges the time to the budget, and says which limit was met."""
        started = time.monotonic()
        try:
            yield started + max(0.0, min(limit, self._budget.seconds))
        except Failed as failed:
            self._budget.seconds -= time.monotonic() - started
            if failed.verdict is not Verdict.TIME_LIMIT:
                raise
            raise Failed(Verdict.TIME_LIMIT, self._which_limit(limit, what)) from None
        else:
            self._budget.seconds -= time.monotonic() - started

    def _which_limit(self, limit: float, what: str) -> str:
        if self._budget.seconds > 0:
            return f"{what} may take {limit:g} s; yours was stopped then. Is there a loop that never ends?"
        total = self._limits.load_seconds + self._limits.total_seconds
        return f"Loading and all calls together may take {total:g} s, and that was used up."


class Pending:
    """A call whose answer is still to come."""

    def __init__(self, remote: Remote, peer: Peer, call: Call, call_id: int, digest: bool) -> None:
        self._remote, self._peer, self._call, self._call_id, self._digest = (
            remote,
            peer,
            call,
            call_id,
            digest,
        )

    def answer(self, shape: tuple[int, ...]) -> Answer:
        """Waits for the answer; its array is there only where it has exactly this shape. Raises Failed."""
        answers = self.answers([shape])
        return (*answers.parts, Answer(None, None, None, answers.returned, answers.inputs_kept))[0]

    def answers(self, shapes: Sequence[tuple[int, ...]]) -> Answers:
        """The same where a tuple may come: the shapes of all its arrays."""
        asked = [tuple(shape) for shape in shapes]
        return self._remote.receive(self._peer, self._call, self._call_id, asked, self._digest)
