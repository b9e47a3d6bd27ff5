"""The channel between judge and child: what is sent arrives as it was, and what a hostile child sends is harmless.

The judge's end is the real one, `Remote`, on real pipes; the test plays the child.
"""

from __future__ import annotations

import io
import json
import os
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from grader.assignment import Limits
from grader.checks import Failed
from grader.compare import Answer, Call
from grader.interface import ONE_ARRAY, Returns
from grader.judge import Bundle
from grader.report import Verdict
from grader.sandbox.inside import child, frames
from grader.sandbox.inside.devices import NumPy
from grader.sandbox.inside.frames import Kind
from grader.sandbox.peer import Peer
from grader.sandbox.remote import DRAIN_CAP, Remote
from tests.grader.sandbox.conftest import PATIENT, source
from tests.grader.sandbox.surroundings import file_of

QUICK = Limits(call_seconds=0.05, load_seconds=20.0, total_seconds=20.0)  # where a call is to run out of time
MOMENT = 5.0  # seconds: much less than what PATIENT allows for a call
SHAPE = (3, 5)
NUMPY = NumPy()


class Wires:
    """A Remote, and the child's ends of its pipes."""

    def __init__(self, children: int = 1, limits: Limits = PATIENT, returns: Returns = ONE_ARRAY) -> None:
        self.calls, self.replies, pairs = [], [], []
        for _ in range(children):
            call_out, call_in = os.pipe()
            reply_out, reply_in = os.pipe()
            pairs.append((call_in, reply_out))
            self.calls.append(call_out)
            self.replies.append(reply_in)
            os.set_blocking(reply_in, False)
        self._pairs = list(pairs)
        self.asked_fresh = 0
        bundle = Bundle("attention", "attention(q, k, v)", (), (), {}, returns)
        self.remote = Remote(pairs, limits, bundle, source("x = 1\n" * 9), self._fresh)

    def _fresh(self) -> None:
        self.asked_fresh += 1

    def say(self, data: bytes, which: int = 0) -> None:
        """As much as the pipe takes at once."""
        try:
            os.write(self.replies[which], data)
        except BlockingIOError:
            pass

    def hang_up(self) -> None:
        for fd in self.replies:
            os.close(fd)
        self.replies.clear()

    def call_id(self, which: int = 0) -> int:
        magic, call_id, length = frames.CALL.unpack(os.read(self.calls[which], frames.CALL.size))
        assert magic == frames.MAGIC
        os.read(self.calls[which], length)
        return int(call_id)

    def close(self) -> None:
        for fd in [*self.calls, *self.replies, *sum(self._pairs, ())]:
            os.close(fd)


@contextmanager
def wires(**options: Any) -> Iterator[Wires]:
    opened = Wires(**options)
    try:
        yield opened
    finally:
        opened.close()


def ready() -> bytes:
    return frames.pack_reply(0, Kind.READY, payload_bytes=0)


def answered(
    reply: Callable[[int], bytes], *, hang_up: bool = True, digest: bool = False, limits: Limits = PATIENT
) -> Answer | Failed:
    """What the judge makes of a reply, given the call's id; never more than a moment and a little memory."""
    with wires(limits=limits) as w:
        w.say(ready())
        pending = w.remote.ask(Call(np.zeros(SHAPE, np.float32)), digest=digest)
        w.say(reply(w.call_id()))
        if hang_up:
            w.hang_up()
        tracemalloc.start()
        started = time.monotonic()
        try:
            return pending.answer(SHAPE)
        except Failed as failed:
            return failed
        finally:
            assert time.monotonic() - started < MOMENT
            assert tracemalloc.get_traced_memory()[1] < DRAIN_CAP // 4
            tracemalloc.stop()


FAILURES = {
    Verdict.PROTOCOL_VIOLATION, Verdict.CRASHED, Verdict.TIME_LIMIT, Verdict.EXCEPTION, Verdict.MEMORY_LIMIT,
}  # fmt: skip


def is_in_order(result: Answer | Failed) -> None:
    if isinstance(result, Failed):
        assert result.verdict in FAILURES
        assert len(result.message) < 5_000
    elif result.array is not None:
        assert type(result.array) is np.ndarray
        assert result.array.shape == SHAPE
        assert result.array.dtype.name == result.dtype
        assert result.array.dtype.str in frames.DTYPES


# -- what is sent arrives

_dtypes = st.sampled_from(frames.DTYPES).map(np.dtype)
_plain = arrays.arrays(
    dtype=_dtypes, shape=arrays.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=5)
)


@st.composite
def laid_out(draw: st.DrawFn) -> np.ndarray:
    """Arrays in all the layouts that a check may choose, some of them read-only."""
    array = draw(_plain)
    way = draw(st.sampled_from(["C", "F", "every other", "backwards", "transposed", "repeated"]))
    if way == "F":
        array = np.asfortranarray(array)
    elif way == "every other" and array.ndim:
        array = np.repeat(array, 2, axis=-1)[..., ::2]
    elif way == "backwards" and array.ndim:
        array = array[..., ::-1]
    elif way == "transposed":
        array = array.T
    elif way == "repeated":
        array = np.broadcast_to(array, (2, *array.shape))
    if draw(st.booleans()):
        array = array.view()
        array.flags.writeable = False
    return array


_scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.just("\ud800")
_arguments = laid_out() | _scalars


def received(parts: list[memoryview]) -> tuple[int, list[Any], dict[str, Any], bool, range]:
    fd = file_of(b"".join(parts))
    try:
        return child._read_call(fd, NUMPY)
    finally:
        os.close(fd)


@given(
    call_id=st.integers(0, 2**64 - 1),
    args=st.lists(_arguments, max_size=4),
    kwargs=st.dictionaries(st.text(min_size=1), _arguments, max_size=3),
    digest=st.booleans(),
)
@settings(max_examples=200)
def test_a_call_arrives_as_it_was_sent(
    call_id: int, args: list[Any], kwargs: dict[str, Any], digest: bool
) -> None:
    got = received(frames.pack_call(call_id, args, kwargs, digest=digest))
    assert got[0] == call_id
    assert got[3] == digest
    assert list(got[2]) == list(kwargs)
    for sent, came in zip([*args, *kwargs.values()], [*got[1], *got[2].values()], strict=True):
        assert type(sent) is type(came)
        if isinstance(sent, np.ndarray):
            assert sent.dtype == came.dtype
            assert sent.shape == came.shape
            assert sent.tobytes() == came.tobytes()
            assert frames.layout(sent) == frames.layout(came)
            assert came.flags.writeable == sent.flags.writeable
        else:
            assert repr(sent) == repr(came)


@given(args=st.lists(laid_out(), min_size=1, max_size=3))
def test_the_digest_sees_every_change(args: list[np.ndarray]) -> None:
    before = child.digest_of(args, {})
    assert child.digest_of([array.copy() for array in args], {}) == before
    changed = [array.copy() for array in args]
    if changed[-1].size:
        raw = np.ascontiguousarray(changed[-1])
        raw.reshape(-1).view(np.uint8)[-1] ^= 1
        assert child.digest_of([*changed[:-1], raw], {}) != before


@given(array=laid_out(), wants_digest=st.booleans(), other_order=st.booleans())
def test_an_answer_arrives_as_it_was_sent(array: np.ndarray, wants_digest: bool, other_order: bool) -> None:
    result = array.astype(array.dtype.newbyteorder(">")) if other_order else array
    with wires() as w:
        w.say(ready())
        call = Call(np.ones(4), mask=None)
        pending = w.remote.ask(call, digest=wants_digest)
        kept = child.digest_of(list(call.args), call.kwargs) if wants_digest else None
        child._send_result(w.replies[0], w.call_id(), result, kept, range(0), NUMPY)
        answer = pending.answer(array.shape)
    assert answer.array is not None
    assert answer.array.dtype == array.dtype
    assert answer.array.shape == array.shape
    assert answer.array.tobytes() == array.tobytes()
    assert answer.inputs_kept is (True if wants_digest else None)


GRADIENTS = Returns(("dq", "dk", "dv"), 2)


@given(sent=st.lists(laid_out(), min_size=1, max_size=4), as_list=st.booleans(), wants_digest=st.booleans())
def test_a_tuple_arrives_as_it_was_sent(sent: list[np.ndarray], as_list: bool, wants_digest: bool) -> None:
    result: Any = list(sent) if as_list else tuple(sent)
    with wires(returns=GRADIENTS) as w:
        w.say(ready())
        call = Call(np.ones(4))
        pending = w.remote.ask(call, digest=wants_digest)
        kept = child.digest_of(list(call.args), call.kwargs) if wants_digest else None
        child._send_result(w.replies[0], w.call_id(), result, kept, GRADIENTS.counts, NUMPY)
        answers = pending.answers([array.shape for array in (*sent, sent[0], sent[0])][:3])
    assert answers.inputs_kept is (True if wants_digest else None)
    if len(sent) not in GRADIENTS.counts:
        assert answers.parts == ()
        assert answers.returned == child.in_words(result)
        return
    assert len(answers.parts) == len(sent)
    for array, answer in zip(sent, answers.parts, strict=True):
        assert answer.array is not None
        assert (answer.array.dtype, answer.array.shape) == (array.dtype, array.shape)
        assert answer.array.tobytes() == array.tobytes()


def test_what_is_wrong_with_one_of_a_tuple_does_not_touch_the_others() -> None:
    with wires(returns=GRADIENTS) as w:
        w.say(ready())
        for odd, told in [(np.ones((2, 2)), (2, 2)), (None, None), (np.ones(DRAIN_CAP // 8 // 512), (4096,))]:
            pending = w.remote.ask(Call(1))
            result = (np.full(SHAPE, 3.0), odd, np.full(SHAPE, 5.0))
            child._send_result(w.replies[0], w.call_id(), result, None, GRADIENTS.counts, NUMPY)
            first, second, third = pending.answers([SHAPE] * 3).parts
            assert first.array is not None
            assert third.array is not None
            assert (first.array.max(), third.array.max()) == (3.0, 5.0)
            assert (second.array, second.shape) == (None, told)


_headers = st.tuples(st.integers(0, 6), st.integers(0, 20), st.integers(0, 9), st.integers(0, 2**40))


@given(
    count=st.integers(0, 255), payload=st.sampled_from([0, 0, 1, 2**40]), headers=st.lists(_headers, max_size=4),
    data=st.binary(max_size=300), as_one=st.booleans(),
)  # fmt: skip
@settings(max_examples=200)
def test_hostile_tuples_are_harmless(
    count: int, payload: int, headers: list[tuple[int, int, int, int]], data: bytes, as_one: bool
) -> None:
    def reply(call_id: int) -> bytes:
        sent = frames.REPLY.pack(frames.MAGIC, call_id, Kind.TUPLE, 0, count, 0, *[0] * 8, payload, bytes(16))
        for kind, code, ndim, size in headers:
            lengths = (*SHAPE, *[0] * 6)
            sent += frames.REPLY.pack(frames.MAGIC, call_id, kind, code, ndim, 0, *lengths, size, bytes(16))
            sent += data
        return sent

    with wires(returns=ONE_ARRAY if as_one else GRADIENTS) as w:
        w.say(ready())
        pending = w.remote.ask(Call(np.zeros(SHAPE, np.float32)))
        w.say(reply(w.call_id()))
        w.hang_up()
        try:
            answers = pending.answers([SHAPE] * 3)
        except Failed as failed:
            is_in_order(failed)
            return
    assert not as_one, "a tuple that nobody asked for was taken"
    for answer in answers.parts:
        is_in_order(answer)


_odd = st.sampled_from([
    None, 1, 1.5, "text", [1, "a"], (), (1,) * 9, {}, object(), np.float32(1), np.int64(3), Exception, print,
    np.zeros(3, "O"), np.zeros(2, "U3"), np.zeros(2, "M8[ns]"), np.zeros(2, np.longdouble), np.zeros(2, "i4,f4"),
    np.zeros((1,) * 9), np.ma.zeros(3), np.zeros(3).view(type("Mine", (np.ndarray,), {})),
])  # fmt: skip


@given(result=_odd)
def test_what_is_no_plain_array_arrives_as_words(result: object) -> None:
    def reply(call_id: int) -> bytes:
        out, into = os.pipe()
        child._send_result(into, call_id, result, None, range(0), NUMPY)
        os.close(into)
        with os.fdopen(out, "rb") as pipe:
            return pipe.read()

    answer = answered(reply)
    assert isinstance(answer, Answer)
    assert answer.array is answer.shape is answer.dtype is None
    assert answer.returned == child.in_words(result)


@given(
    message=st.text(max_size=3000),
    kind=st.sampled_from([ValueError, MemoryError, KeyError, SystemExit, OSError]),
)
@example(message="\N{SPEAKER}" * 2000, kind=ValueError)
def test_what_was_raised_arrives_in_words(message: str, kind: type[BaseException]) -> None:
    def reply(call_id: int) -> bytes:
        out, into = os.pipe()
        child._send_error(into, call_id, kind(message))
        os.close(into)
        with os.fdopen(out, "rb") as pipe:
            return pipe.read()

    failed = answered(reply)
    assert isinstance(failed, Failed)
    assert failed.verdict is (Verdict.MEMORY_LIMIT if kind is MemoryError else Verdict.EXCEPTION)
    assert kind is MemoryError or kind.__name__ in failed.message, "the exception's type was lost on the way"


@pytest.mark.parametrize(
    "value", [np.zeros(2, "O"), np.zeros(2, np.longdouble), np.zeros(2, ">f4"), [1], object(), 1j]
)
def test_what_cannot_be_sent_is_refused_before_a_byte_is_sent(value: object) -> None:
    with wires() as w:
        w.say(ready())
        with pytest.raises((TypeError, ValueError)):
            w.remote.ask(Call(1, np.ones(3), value))  # type: ignore[arg-type]
        os.set_blocking(w.calls[0], False)
        with pytest.raises(BlockingIOError):
            os.read(w.calls[0], 1)


# -- what a hostile child sends

_u8, _u64 = st.integers(0, 255), st.integers(0, 2**64 - 1)
_small = st.integers(0, 6) | _u64


@given(data=st.binary(max_size=600), hang_up=st.booleans())
@settings(max_examples=150)
def test_random_bytes_are_harmless(data: bytes, hang_up: bool) -> None:
    hang_up = hang_up or len(data) > frames.REPLY.size
    is_in_order(answered(lambda _: data, hang_up=hang_up, limits=PATIENT if hang_up else QUICK))


@given(
    data=st.binary(max_size=300), kind=_u8, code=_u8, ndim=_u8, has_digest=_u8,
    lengths=st.lists(_small, min_size=8, max_size=8), payload=_small,
    digest=st.binary(min_size=16, max_size=16), wants_digest=st.booleans(),
)  # fmt: skip
@settings(max_examples=400)
def test_random_headers_are_harmless(
    data: bytes, kind: int, code: int, ndim: int, has_digest: int, lengths: list[int], payload: int, digest: bytes,
    wants_digest: bool,
) -> None:  # fmt: skip
    def reply(call_id: int) -> bytes:
        return (
            frames.REPLY.pack(frames.MAGIC, call_id, kind, code, ndim, has_digest, *lengths, payload, digest)
            + data
        )

    is_in_order(answered(reply, digest=wants_digest))


@given(
    kind=st.sampled_from([Kind.ARRAY, Kind.OTHER, Kind.ERROR]), code=st.integers(0, len(frames.DTYPES) - 1),
    shape=st.just(SHAPE) | st.lists(st.integers(0, 2**20), max_size=8).map(tuple),
    slip=st.sampled_from([-1, 0, 0, 0, 1]), data=st.binary(max_size=2000),
)  # fmt: skip
@settings(max_examples=300)
def test_headers_that_hold_water_are_harmless(
    kind: Kind, code: int, shape: tuple[int, ...], slip: int, data: bytes
) -> None:
    """Header and shape agree, or nearly; what follows is too much, too little or junk."""
    size = (
        int(np.prod(shape, dtype=object)) * np.dtype(frames.DTYPES[code]).itemsize
        if kind is Kind.ARRAY
        else len(data)
    )
    payload = max(0, size + slip) % 2**64

    def reply(call_id: int) -> bytes:
        lengths = (*shape, *[0] * (8 - len(shape)))
        return (
            frames.REPLY.pack(frames.MAGIC, call_id, kind, code, len(shape), 0, *lengths, payload, bytes(16))
            + data
        )

    is_in_order(answered(reply))


@given(cut=st.integers(0, frames.REPLY.size + 60), hang_up=st.booleans())
@example(cut=frames.REPLY.size, hang_up=False)
def test_truncated_answers_are_harmless(cut: int, hang_up: bool) -> None:
    array = np.ones(SHAPE, np.float32)

    def reply(call_id: int) -> bytes:
        header = frames.pack_reply(call_id, Kind.ARRAY, shape=SHAPE, payload_bytes=array.nbytes)
        return (header + array.tobytes())[:cut]

    whole = cut >= frames.REPLY.size + array.nbytes
    result = answered(reply, hang_up=hang_up, limits=PATIENT if hang_up or whole else QUICK)
    if whole:
        assert isinstance(result, Answer)
        assert result.array is not None
    else:
        assert isinstance(result, Failed)
        assert result.verdict is (Verdict.CRASHED if hang_up else Verdict.TIME_LIMIT)


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=20,
)
_told = st.fixed_dictionaries(
    {},
    optional={
        "type": _json
        | st.sampled_from(["ValueError", "TypeError", "MissingFunction", "MemoryError", "SystemExit"]),
        "message": _json,
        "lines": _json | st.lists(st.integers(-5, 10**9) | _json, max_size=12),
        "memory": _json,
    },
)


@given(told=_json | _told, loading=st.booleans())
@settings(max_examples=300)
def test_errors_of_any_form_are_put_into_words(told: object, loading: bool) -> None:
    text = json.dumps(told).encode()[: frames.TEXT_CAP]
    if not loading:
        is_in_order(answered(lambda id_: frames.pack_reply(id_, Kind.ERROR, payload_bytes=len(text)) + text))
        return
    with wires() as w:
        w.say(frames.pack_reply(0, Kind.ERROR, payload_bytes=len(text)) + text)
        with pytest.raises(Failed) as caught:
            w.remote.load()
        is_in_order(caught.value)


@given(guess=_u64)
@example(guess=0)
@example(guess=1)
def test_only_the_calls_own_id_answers_it(guess: int) -> None:
    array = np.ones(SHAPE, np.float32)
    result = answered(
        lambda id_: (
            frames.pack_reply(guess ^ (guess == id_), Kind.ARRAY, shape=SHAPE, payload_bytes=array.nbytes)
            + array.tobytes()
        )
    )
    assert isinstance(result, Failed)
    assert result.verdict is Verdict.PROTOCOL_VIOLATION


def test_ids_do_not_repeat_and_are_never_that_of_loading() -> None:
    with wires() as w:
        w.say(ready())
        seen = set()
        for _ in range(200):
            pending = w.remote.ask(Call(None))
            seen.add(call_id := w.call_id())
            w.say(frames.pack_reply(call_id, Kind.OTHER, payload_bytes=4) + b"None")
            assert pending.answer(SHAPE).returned == "None"
        assert len(seen) == 200
        assert 0 not in seen


def test_what_comes_unasked_costs_the_child() -> None:
    with wires(children=2) as w:
        w.say(ready() + b"x")
        with pytest.raises(Failed, match="spoke before it was asked"):
            w.remote.ask(Call(None))
        w.say(ready(), which=1)
        w.remote.ask(Call(None))
        assert w.asked_fresh == 1


def test_the_fresh_children_run_out() -> None:
    with wires(children=3, limits=QUICK) as w:
        for which in range(3):
            w.say(ready(), which)
            pending = w.remote.ask(Call(None))
            with pytest.raises(Failed) as caught:
                pending.answer(SHAPE)
            assert caught.value.verdict is Verdict.TIME_LIMIT
        for _ in range(3):
            with pytest.raises(Failed) as caught:
                w.remote.ask(Call(None))
            assert caught.value.verdict is Verdict.NOT_RUN
        assert w.asked_fresh == 2


def test_one_budget_for_all_waiting() -> None:
    """Of two seconds; each call may take so little of it that the first is ended by its own limit."""
    with wires(children=25, limits=Limits(call_seconds=0.1, load_seconds=1, total_seconds=1)) as w:
        words = []
        started = time.monotonic()
        for which in range(25):
            w.say(ready(), which)
            with pytest.raises(Failed) as caught:
                w.remote.ask(Call(None)).answer(SHAPE)
            assert caught.value.verdict is Verdict.TIME_LIMIT
            words.append(caught.value.message)
        assert "One call may take 0.1 s" in words[0]
        assert "may take 2 s" in words[-1]
        assert "used up" in words[-1]
        assert time.monotonic() - started < 20


def test_a_call_that_nobody_reads_ends_in_time() -> None:
    with wires(limits=QUICK) as w:
        w.say(ready())
        started = time.monotonic()
        with pytest.raises(Failed) as caught:
            w.remote.ask(Call(np.zeros(1 << 20)))
        assert caught.value.verdict is Verdict.TIME_LIMIT
        assert time.monotonic() - started < MOMENT


def test_a_child_that_is_gone_is_told_from_one_that_is_late() -> None:
    with wires() as w:
        w.say(ready())
        w.remote.load()
        os.close(w.calls.pop())
        with pytest.raises(Failed) as caught:
            w.remote.ask(Call(None))
        assert caught.value.verdict is Verdict.CRASHED


@given(sizes=st.lists(st.integers(1, 3000), max_size=30), total=st.integers(0, 30_000))
@settings(max_examples=50)
def test_bytes_in_any_portions(sizes: list[int], total: int) -> None:
    """A peer reads exactly what was asked for, however it comes."""
    data = os.urandom(total)
    call_out, call_in = os.pipe()
    reply_out, reply_in = os.pipe()
    try:
        peer = Peer(call_in, reply_out)
        stream = io.BytesIO(data)
        for size in [*sizes, total]:
            os.write(reply_in, stream.read(size))
        os.close(reply_in)
        reply_in = -1
        deadline = time.monotonic() + 60
        half = total // 2
        assert peer.read(half, deadline) + peer.read(total - half, deadline) == data
        with pytest.raises(Failed):
            peer.read(1, deadline)
    finally:
        for fd in (call_out, call_in, reply_out, reply_in):
            if fd >= 0:
                os.close(fd)


def test_the_child_puts_a_lying_exception_into_words_that_are_json() -> None:
    class Odd(Exception):
        def __str__(self) -> str:
            raise ValueError

    told = json.loads(child.describe_error(Odd()))
    assert told["type"] == "Odd"
    assert sys.getrecursionlimit() < 10_000
