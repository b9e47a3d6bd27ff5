"""The child's loop: loads a submission, then answers one call at a time.

From the moment the submission is loaded, everything in this process is the student's. Nothing here is relied on
to be honest: it only has to serve those who are.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import select
import sys
import types
from typing import Any

import numpy as np

from . import NO_DEVICE, OUT_OF_MEMORY, devices, frames
from .devices import Arrays
from .frames import Kind
from .waiting import wait

FILE_NAME = "<submission>"
_MESSAGE_CAP = 2_000
_FRAMES_SHOWN = 5
_NUMPY = devices.NumPy()


def main(job: dict[str, Any], descriptors: list[int]) -> None:
    """`descriptors`: calls in, replies out, the submission's source; none where only the device is to be tried."""
    arrays = _device(job["arrays"], to_try=not descriptors)
    if not descriptors:
        print(arrays.name)
        return
    calls, replies, source_fd = descriptors
    source = os.pread(source_fd, job["source_bytes"], 0)
    os.close(source_fd)
    os.set_blocking(calls, False)
    random.seed(0)
    np.random.seed(0)
    arrays.allow(job["memory_bytes"])
    try:
        function = load_submission(source.decode(), job["function"], job["class_form"])
        _flush()
    except BaseException as error:  # SystemExit and KeyboardInterrupt too: they are the submission's doing
        _send_error(replies, 0, error)
        return
    _write(replies, frames.pack_reply(0, Kind.READY, payload_bytes=0))
    while True:
        try:
            call_id, args, kwargs, wants_digest, counts = _read_call(calls, arrays)
        except MemoryError:  # the submission keeps too much
            os._exit(OUT_OF_MEMORY)
        try:
            try:
                result = function(*args, **kwargs)
            finally:
                _flush()
            digest = digest_of(args, kwargs, arrays) if wants_digest else None
            _send_result(replies, call_id, result, digest, counts, arrays)
        except BaseException as error:
            _send_error(replies, call_id, error, spent=not arrays.works())


def _device(library: str, *, to_try: bool) -> Arrays:
    """The library on its device. Where that is not to be had the process ends, and says why."""
    try:
        arrays = devices.open_arrays(library)
        if to_try:
            devices.try_out(arrays)
        return arrays
    except devices.NoDevice as why:
        os.write(2, " ".join(str(why).split()).encode("utf-8", "replace"))  # one line: CuPy's words are many
        os._exit(NO_DEVICE)


_EXAMPLE = """
import numpy as np

def example(q, k, v, mask=None):
    scores = np.where(True, q @ k.swapaxes(-1, -2) / np.sqrt(np.float32(q.shape[-1])), -np.inf)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return (weights / weights.sum(axis=-1, keepdims=True)) @ v
"""


def rehearse() -> None:
    """A submission and a few calls of our own, through real pipes: what a job touches first is touched by then."""
    function = load_submission(_EXAMPLE, "example")
    (call_out, call_in), (reply_out, reply_in) = os.pipe(), os.pipe()
    for dtype in (np.float32, np.float64):
        small = np.ones((2, 3, 16, 8), dtype)
        _write(call_in, *frames.pack_call(1, [small] * 3, {"mask": None}, digest=True))
        call_id, args, kwargs, _, counts = _read_call(call_out, _NUMPY)
        digest = digest_of(args, kwargs, _NUMPY)
        _send_result(reply_in, call_id, function(*args, **kwargs), digest, counts, _NUMPY)
        _read(reply_out, frames.REPLY.size + small.nbytes)
    del sys.modules["submission"]
    for fd in (call_out, call_in, reply_out, reply_in):
        os.close(fd)


def load_submission(source: str, name: str, class_form: dict[str, Any] | None = None) -> Any:
    """Runs a submission's top level and returns its function `name`, or a class as one: see `grader.interface`.

    Raises whatever the top level raises, or MissingFunction, whose words are for the student.
    """
    module = types.ModuleType("submission")
    module.__file__ = FILE_NAME
    sys.modules["submission"] = module  # dataclasses and pickling look their module up
    exec(compile(source, FILE_NAME, "exec", dont_inherit=True), module.__dict__)
    if not hasattr(module, name):
        if class_form is not None and hasattr(module, class_form["name"]):
            return _as_function(getattr(module, class_form["name"]), class_form)
        wanted = f"`{name}`" + (f" or the class `{class_form['name']}`" if class_form is not None else "")
        raise MissingFunction(f"your file does not define {wanted}; it defines {_defined(module)}")
    function = getattr(module, name)
    if not callable(function):
        raise MissingFunction(f"`{name}` is {in_words(function)}, not a function")
    return function


def _as_function(made: Any, form: dict[str, Any]) -> Any:
    """A call makes an object with some of the arguments and calls its method with the others."""
    if not isinstance(made, type):
        raise MissingFunction(f"`{form['name']}` is {in_words(made)}, not a class")
    if not callable(getattr(made, form["method"], None)):
        raise MissingFunction(f"the class `{form['name']}` has no method `{form['method']}`")

    def call(*args: Any, **kwargs: Any) -> Any:
        given = dict(zip(form["parameters"], args, strict=False)) | kwargs
        first = {name: given.pop(name) for name in form["init"] if name in given}
        return getattr(made(**first), form["method"])(**given)

    return call


def _defined(module: types.ModuleType) -> str:
    """The functions and classes that a submission does define, for a reader who looks for a slip of the pen."""
    kinds = {types.FunctionType: "", type: "class "}
    names = [
        f"{kinds[type(value)]}{name}"
        for name, value in vars(module).items()
        if type(value) in kinds and value.__module__ == module.__name__
    ]
    return ", ".join(names[:8]) or "no function"


class MissingFunction(Exception):
    """The submission lacks the function it is asked for."""


def digest_of(args: list[Any], kwargs: dict[str, Any], arrays: Arrays = _NUMPY) -> bytes:
    """Fingerprint of the arrays among the arguments, by their elements in C order."""
    fingerprint = hashlib.blake2b(digest_size=frames.DIGEST_BYTES)
    for value in (*args, *kwargs.values()):
        array = arrays.give(value)
        if array is not None:
            fingerprint.update(np.ascontiguousarray(array).reshape(-1).view(np.uint8))
    return fingerprint.digest()


def _send_result(
    fd: int, call_id: int, result: Any, digest: bytes | None, counts: range, arrays: Arrays
) -> None:
    if type(result) in (tuple, list) and len(result) in counts:
        # All of them before the first word: a GPU's errors come out here.
        items = [(item, arrays.give(item)) for item in result]
        header = frames.pack_reply(
            call_id, Kind.TUPLE, ndim=len(items), payload_bytes=0, digest=digest
        )  # fmt: skip
        _write(fd, header)
        for item, given in items:
            _send_one(fd, call_id, item, given, None, arrays)
        return
    _send_one(fd, call_id, result, arrays.give(result), digest, arrays)


def _send_one(
    fd: int, call_id: int, result: Any, given: np.ndarray | None, digest: bytes | None, arrays: Arrays
) -> None:
    """`given`: the result as numpy's array, if it is one."""
    plain = given is not None and given.dtype.newbyteorder("<").str in frames.DTYPES
    if given is None or not plain or given.ndim > frames.MAX_NDIM:
        words = in_words(result, arrays) if given is None else in_words(given)
        _send_text(fd, call_id, Kind.OTHER, words, digest)
        return
    array = np.ascontiguousarray(given.astype(given.dtype.newbyteorder("<"), copy=False)).reshape(given.shape)
    header = frames.pack_reply(
        call_id,
        Kind.ARRAY,
        dtype=array.dtype.str,
        shape=array.shape,
        payload_bytes=array.nbytes,
        digest=digest,
    )
    _write(fd, header, array.reshape(-1).view(np.uint8))


def in_words(value: Any, arrays: Arrays = _NUMPY) -> str:
    """What came back instead of an array, for a person to read."""
    kind = type(value)
    if kind is np.ndarray and arrays.name != _NUMPY.name:
        return "a numpy array, which is not on the GPU"
    if value is None:
        return "None"
    if kind in (list, tuple):
        kinds = ", ".join(type(item).__name__ for item in value[:3]) + (", ..." if len(value) > 3 else "")
        return f"a {kind.__name__} of {len(value)} ({kinds})" if value else f"an empty {kind.__name__}"
    if kind is np.ndarray:
        return f"an array of dtype {value.dtype}" + (
            f" with {value.ndim} axes" if value.ndim > frames.MAX_NDIM else ""
        )
    if isinstance(value, np.ndarray):
        return f"a {kind.__name__}, a subclass of numpy.ndarray"
    if isinstance(value, np.generic):
        return f"a numpy {kind.__name__} scalar"
    return f"{'an' if kind.__name__[:1] in 'aeiou' else 'a'} {kind.__name__}"


def describe_error(error: BaseException, *, spent: bool = False) -> str:
    """JSON for the judge: the exception's type, its words, and where in the submission, innermost last.

    spent: whether this process can answer no more.
    """
    lines: list[int] = []
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == FILE_NAME:
            lines.append(trace.tb_lineno)
        trace = trace.tb_next
    if isinstance(error, SyntaxError) and error.filename == FILE_NAME and error.lineno:
        lines, words = [error.lineno], error.msg
    else:
        words = _words_of(error)
    return json.dumps(
        {
            "type": type(error).__name__[:100],
            "message": words[:_MESSAGE_CAP],
            "lines": lines[-_FRAMES_SHOWN:],
            "memory": isinstance(error, MemoryError),
            "spent": spent,
        }
    )


def _words_of(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:
        return "(its message could not be made)"


def _send_error(fd: int, call_id: int, error: BaseException, *, spent: bool = False) -> None:
    try:
        _flush()
    except BaseException:
        pass  # sys.stdout may be anything by now
    _send_text(fd, call_id, Kind.ERROR, describe_error(error, spent=spent))


def _send_text(fd: int, call_id: int, kind: Kind, text: str, digest: bytes | None = None) -> None:
    raw = text.encode("utf-8", "replace")[: frames.TEXT_CAP]
    _write(fd, frames.pack_reply(call_id, kind, payload_bytes=len(raw), digest=digest), raw)


def _flush() -> None:
    sys.stdout.flush()
    sys.stderr.flush()


def _read_call(fd: int, arrays: Arrays) -> tuple[int, list[Any], dict[str, Any], bool, range]:
    _, call_id, length = frames.CALL.unpack(_read(fd, frames.CALL.size))
    head = json.loads(_read(fd, length))

    def take(spec: dict[str, Any]) -> Any:
        if "value" in spec:
            return spec["value"]
        return arrays.lay_out(_read(fd, frames.payload_bytes(spec)), spec)

    args = [take(spec) for spec in head["args"]]
    kwargs = {name: take(spec) for name, spec in head["kwargs"].items()}
    return call_id, args, kwargs, head["digest"], range(*head["counts"])


def _read(fd: int, count: int) -> bytearray:
    buffer = bytearray(count)
    view = memoryview(buffer)
    got = 0
    while got < count:
        try:
            n = os.readv(fd, [view[got:]])
        except BlockingIOError:
            wait(fd, select.POLLIN)
            continue
        if n == 0:
            os._exit(0)  # the judge has gone: nothing more will be asked
        got += n
    return buffer


def _write(fd: int, *parts: Any) -> None:
    views = [memoryview(part).cast("B") for part in parts if len(part)]
    while views:
        written = os.writev(fd, views)
        while views and written >= len(views[0]):
            written -= len(views.pop(0))
        if views:
            views[0] = views[0][written:]
