"""Reading what a form brings: the text of the editor, or one file."""

from __future__ import annotations

import codecs
from dataclasses import dataclass

from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest

from softmark.coursework.source import (
    MAX_CODE_BYTES,
    MAX_NOTEBOOK_BYTES,
    Source,
    SourceError,
    parse_source,
)
from softmark.submissions.text import count_unstorable, normal_lines, storable
from softmark.ui import body

# A form around the largest file: its borders, its other fields.
MAX_BODY_BYTES = MAX_NOTEBOOK_BYTES + (1 << 20)
_MEGABYTES = MAX_CODE_BYTES // 10**6


@dataclass(frozen=True)
class HandedIn:
    """What can be graded, and the name of the file; none for what was written in the editor."""

    source: Source
    filename: str = ""


def parse_body(request: HttpRequest) -> bool:
    """Reads the fields and files of a request. False: they are too large or too many, and cannot be had."""
    return body.parse(request, MAX_BODY_BYTES)


def read_form(request: HttpRequest) -> HandedIn:
    """What was handed in. Raises SourceError, whose sentence says what is wrong with it."""
    files = [file for _, several in request.FILES.lists() for file in several]
    text = request.POST.get("text")
    if files and text:
        raise SourceError(
            "You sent a file and the text of the editor. Submit one of them, so that it is clear which."
        )
    if len(files) > 1:
        raise SourceError(f"You chose {len(files)} files. Choose the one that holds your function.")
    if files:
        return _read_file(files[0])
    if text is None:
        raise SourceError("You chose no file. Choose a .py or .ipynb file, or submit what is in the editor.")
    return HandedIn(read_editor(text))


def typed_text(request: HttpRequest) -> str | None:
    """What stood in the editor, as it can be kept; None where the form has no editor."""
    text = request.POST.get("text")
    return None if text is None else storable(normal_lines(text))


def text_to_rescue(request: HttpRequest) -> str:
    """The code that a form brings, in whatever way; nothing where there is none that can be read."""
    typed = typed_text(request)
    if typed:
        return typed
    try:
        return read_form(request).source.text
    except SourceError:
        return ""


def read_editor(text: str) -> Source:
    """The text of the editor as source. Raises SourceError."""
    if not storable(text).strip():
        raise SourceError("The editor is empty. Write your function in it, or upload a file.")
    if is_too_long(normal_lines(text)):
        raise SourceError(
            f"The text in the editor is longer than {_MEGABYTES} MB, the most allowed. "
            "Hand in only the code that is asked for."
        )
    if text.lstrip().startswith("{") and '"nbformat"' in text and '"cells"' in text:
        raise SourceError(
            "The editor holds a whole notebook file. Upload the .ipynb file, or paste only your code."
        )
    dropped = count_unstorable(text)
    # The mark says that this is UTF-8, whatever a comment in it may say: it comes from a page and not from a file.
    source = parse_source("editor.py", codecs.BOM_UTF8 + storable(text).encode())
    if dropped:
        characters = "1 invisible character" if dropped == 1 else f"{dropped} invisible characters"
        note = f"{characters} that no Python file can hold: left out."
        source = Source(source.text, (*source.notes, note), source.cells)
    return source


def is_too_long(text: str) -> bool:
    return len(text.encode("utf-8", "surrogatepass")) > MAX_CODE_BYTES


def _read_file(file: UploadedFile[bytes]) -> HandedIn:
    name = file.name or "your file"
    return HandedIn(parse_source(name, file.read(MAX_NOTEBOOK_BYTES + 1)), name)
