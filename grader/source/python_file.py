"""The text of a .py file, decoded as Python itself would."""

from __future__ import annotations

import codecs

from grader.source.encoding import Unaccepted, declare_utf8, declared_encoding
from grader.source.model import MAX_CODE_BYTES, Source, SourceError, check_size, normal_lines

_NOT_PYTHON = {
    b"PK\x03\x04": "a ZIP archive",
    b"\x1f\x8b": "a gzip archive",
    b"%PDF-": "a PDF document",
    b"\x89PNG": "an image",
    b"\xff\xd8\xff": "an image",
    b"\x7fELF": "a compiled program",
    b"\xd0\xcf\x11\xe0": "an Office document",
}


def read_python(name: str, data: bytes) -> Source:
    """The source in the bytes of the file `name`. Raises SourceError."""
    for start, what in _NOT_PYTHON.items():
        if data.startswith(start):
            raise SourceError(f"{name} is {what} and not Python code. Hand in the .py file itself.")
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise SourceError(f'{name} is saved as UTF-16, which some editors call "Unicode". Save it as UTF-8.')
    if b"\0" in data:
        line = data.count(b"\n", 0, data.index(b"\0")) + 1
        raise SourceError(
            f"{name} holds a NUL character in line {line}, so it is not Python code. "
            "Hand in the .py file that you edit."
        )
    too_large = f"{name} is larger than {MAX_CODE_BYTES // 10**6} MB, the most allowed."
    if len(data) > 4 * MAX_CODE_BYTES:  # in every encoding that is too much, so it need not be decoded
        raise SourceError(f"{too_large} Hand in only the code that is asked for.")
    marked = data.startswith(codecs.BOM_UTF8)
    encoding = "utf-8" if marked else _encoding(name, data)
    text = normal_lines(_decode(name, data.removeprefix(codecs.BOM_UTF8), encoding))
    check_size(text, too_large)
    if not text.strip():
        raise SourceError(f"{name} is empty. Save your code in it and try again.")
    if text.lstrip().startswith("{") and '"nbformat"' in text and '"cells"' in text:
        raise SourceError(f"{name} is a notebook. Let its name end in .ipynb and try again.")
    if encoding == "utf-8":
        return Source(declare_utf8(text) if marked else text)
    note = f"The file says that it is written in {encoding} and was read so; UTF-8 is the safer choice."
    return Source(declare_utf8(text), (note,))


def _encoding(name: str, data: bytes) -> str:
    try:
        return declared_encoding(normal_lines(data.decode("latin-1")))
    except Unaccepted as unaccepted:
        raise SourceError(
            f"{name} says that it is written in {str(unaccepted)[:40]}, which is not accepted here. "
            "Save it as UTF-8 and remove that comment."
        ) from None


def _decode(name: str, data: bytes, encoding: str) -> str:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        line = normal_lines(data[: error.start].decode("latin-1")).count("\n") + 1
        shown = "UTF-8" if encoding == "utf-8" else encoding
        raise SourceError(
            f"{name} is not {shown} text: line {line} holds the byte {data[error.start]:#04x}. "
            "Save it as UTF-8 in your editor and try again."
        ) from None
