"""The encoding that a Python file declares for itself, by the rules of PEP 263, with fewer encodings."""

from __future__ import annotations

import codecs
import re

# A comment in line 1, or in line 2 after a comment or an empty line.
_DECLARATION = re.compile(r"([ \t\f]*#.*?coding[:=][ \t]*)([-\w.]+)", re.ASCII)
_NO_CODE = re.compile(r"[ \t\f]*(?:#.*)?")
_EDITORS_OWN = re.compile(r"-(?:unix|dos|mac)$")  # Emacs adds how lines end
# Some codecs need quadratic time or are no text at all, and the student chooses: hence only these.
_ACCEPTED = re.compile(r"utf-8|ascii|iso8859-\d+|cp\d+|koi8-[rtu]|mac-\w+|gb\w+|big5\w*|euc_\w+|shift_jis\w*")


class Unaccepted(Exception):
    """The declared encoding is unknown, or none that is read here. Holds its name."""


def declared_encoding(text: str) -> str:
    """Python's name for the encoding that these lines declare; "utf-8" where they declare none."""
    found = _find(text.split("\n", 2))
    if found is None:
        return "utf-8"
    written = found[1][2]
    try:
        name = codecs.lookup(_EDITORS_OWN.sub("", written.lower())).name.removesuffix("-sig")
    except (LookupError, ValueError):
        raise Unaccepted(written) from None
    if not _ACCEPTED.fullmatch(name):
        raise Unaccepted(written)
    return name


def declare_utf8(text: str) -> str:
    """The text with the name of another encoding replaced in its declaration, if it has one.

    The text is Unicode by now. Written to a file, the old declaration would be obeyed a second time.
    """
    lines = text.split("\n", 2)
    found = _find(lines)
    if found is None:
        return text
    number, declaration = found
    lines[number] = f"{declaration[1]}utf-8{lines[number][declaration.end() :]}"
    return "\n".join(lines)


def _find(lines: list[str]) -> tuple[int, re.Match[str]] | None:
    """The line, from 0, that declares an encoding, and the match in it."""
    for number, line in enumerate(lines[:2]):
        if declaration := _DECLARATION.match(line):
            return number, declaration
        if not _NO_CODE.fullmatch(line):
            break
    return None
