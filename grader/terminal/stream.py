"""Standard output that takes every character and says when nobody reads it any more."""

from __future__ import annotations

import errno
import io
import os
import re
import sys
from typing import IO, Any, TextIO

_TRAILING_SPACES = re.compile(r" +(?=\n)")


class OutputClosed(Exception):
    """Whoever read our output has gone, as in `grader check … | head`."""


class OutputFailed(Exception):
    """What we show cannot be written, as on a full disk. Holds the reason in the system's words."""


class SafeStream(io.TextIOBase):
    """Wraps a text stream: what its encoding lacks becomes "?"; raises OutputClosed and OutputFailed.

    BrokenPipeError itself would not do, since a sandbox that breaks raises it too.
    """

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream

    @property
    def encoding(self) -> str:  # type: ignore[override]  # a plain attribute in the base class
        return getattr(self._stream, "encoding", None) or "utf-8"

    def can_show(self, text: str) -> bool:
        """True where the encoding has all of these characters."""
        try:
            text.encode(self.encoding)
        except UnicodeError:
            return False
        return True

    def write(self, text: str) -> int:
        shown = text.encode(self.encoding, "replace").decode(self.encoding)
        if not self.isatty():
            shown = _TRAILING_SPACES.sub("", shown)  # columns are filled up, which a file need not keep
        with _OwnErrors():
            return self._stream.write(shown)

    def flush(self) -> None:
        with _OwnErrors():
            self._stream.flush()

    def isatty(self) -> bool:
        return self._stream.isatty()

    def fileno(self) -> int:
        return self._stream.fileno()


def write_utf8(stream: TextIO, text: str) -> None:
    """Write text for programs: UTF-8 whatever the terminal prefers. Half characters become JSON's \\uXXXX."""
    with _OwnErrors():
        if (raw := getattr(stream, "buffer", None)) is None:
            stream.write(text)
        else:
            stream.flush()
            raw.write(text.encode("utf-8", "backslashreplace"))
        stream.flush()


def abandon_stdout() -> None:
    """Point standard output at nothing, so that Python's last flush at the exit stays quiet."""
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
    except (OSError, ValueError):
        pass  # it is not a real file, so there is no last flush that could fail


class _OwnErrors:
    """Turns the system's errors into ours."""

    def __enter__(self) -> None: ...

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if isinstance(error, OSError):
            # Windows says EINVAL instead of EPIPE.
            if error.errno in (errno.EPIPE, errno.EINVAL):
                raise OutputClosed from error
            raise OutputFailed(error.strerror or "unknown error") from error
