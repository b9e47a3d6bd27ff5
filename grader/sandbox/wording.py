"""What a student reads when their code raised something: from the child's words, which are not trusted.

The message says what and where, and may be shown for every check. The exception's own text goes into the detail,
which only public checks show, as it could carry the inputs of a hidden check. The line of code is shown from the
judge's copy of the file, for the same reason.
"""

from __future__ import annotations

import builtins
import json
from dataclasses import dataclass

from grader.checks import Failed
from grader.report import Verdict
from grader.source import Source, where

_KNOWN = {
    name
    for name, value in vars(builtins).items()
    if isinstance(value, type) and issubclass(value, BaseException)
}
_KNOWN |= {"AxisError", "LinAlgError", "SkipTest"}
_KNOWN |= {
    "CUDARuntimeError",
    "CUDADriverError",
    "CUBLASError",
    "CompileException",
    "OutOfMemoryError",
}  # CuPy's
_ADVICE = {
    "EOFError": "Your code asked for keyboard input; there is none here.",
    "ModuleNotFoundError": "Your code imports what is not available here; numpy and the standard library are.",
    "SkipTest": "A check cannot be skipped from inside.",
    "PermissionError": "Processes, threads, the network and files are not available here.",
    "FileNotFoundError": "Files are not available here.",
    "BlockingIOError": "Processes, threads, the network and files are not available here.",
}
_NO_THREADS = "can't start new thread"
_LOADING = "Your file could not be loaded"
_LINE_SHOWN = 200  # characters


@dataclass(frozen=True)
class _Told:
    type: str = "Exception"
    message: str = ""
    lines: tuple[int, ...] = ()
    memory: bool = False
    spent: bool = False


def loading_raised(text: bytes | bytearray, source: Source, memory_mb: int) -> Failed:
    """The submission's top level raised, or it lacks its function."""
    told = _read(text)
    if told.type == "MissingFunction":
        return Failed(Verdict.EXCEPTION, f"Nothing to call: {told.message}.")
    return _failed(told, _LOADING, source, memory_mb)


def call_raised(text: bytes | bytearray, source: Source, signature: str, memory_mb: int) -> Failed:
    """A call of the submission's function raised."""
    told = _read(text)
    if told.type == "TypeError" and not told.lines:  # raised by the call, before the student's first line
        message = f"Your function cannot be called as {signature}."
        return Failed(Verdict.EXCEPTION, message, told.message)
    return _failed(told, "Your code failed", source, memory_mb)


def leaves_it_spent(text: bytes | bytearray) -> bool:
    """Whether the child can answer no more after that: a GPU is lost to a process after some errors."""
    return _read(text).spent


def _failed(told: _Told, what: str, source: Source, memory_mb: int) -> Failed:
    lines = source.text.split("\n")  # as Python counts them: splitlines() also splits at form feeds
    places = [line for line in told.lines if line <= len(lines)]
    at = "".join(f" at {where(line, source.cells)}" for line in places[-1:])
    called = dict.fromkeys(where(line, source.cells) for line in reversed(places[:-1]) if line != places[-1])
    from_ = f" (reached from {', then '.join(called)})" if called else ""
    shown = "".join(f"\n    {lines[line - 1].strip()[:_LINE_SHOWN]}" for line in places[-1:])
    if told.memory:
        message = f"Your code needed more than the {memory_mb} MB it may use{at}{from_}."
        return Failed(Verdict.MEMORY_LIMIT, message + shown, told.message)
    name = told.type if told.type in _KNOWN else "an exception of its own"
    message = f"{what}: {name}{at}{from_}."
    message += _advice(told, loading=what == _LOADING)
    detail = f"{told.type}: {told.message}" if told.message else ""
    return Failed(Verdict.EXCEPTION, message + shown, detail)


def _advice(told: _Told, *, loading: bool) -> str:
    if told.type == "SystemExit":
        ends = " sys.exit() and exit() end the whole program"
        return f"{ends}." if loading else f"{ends}; return the result instead."
    if told.message == _NO_THREADS:
        return f" {_ADVICE['PermissionError']}"
    return f" {_ADVICE[told.type]}" if told.type in _ADVICE else ""


def _read(text: bytes | bytearray) -> _Told:
    """What `child.describe_error` sent, or as much of it as has the right form."""
    try:
        sent = json.loads(text)
    except (ValueError, RecursionError):
        return _Told()
    if not isinstance(sent, dict):
        return _Told()
    lines = sent.get("lines")
    return _Told(
        type=sent["type"] if isinstance(sent.get("type"), str) else _Told.type,
        message=sent["message"] if isinstance(sent.get("message"), str) else "",
        lines=tuple(n for n in lines[:8] if type(n) is int and 0 < n < 10**7)
        if isinstance(lines, list)
        else (),
        memory=sent.get("memory") is True,
        spent=sent.get("spent") is True,
    )
