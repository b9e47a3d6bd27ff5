"""Text as the database can hold it."""

from __future__ import annotations

import re

_UNSTORABLE = re.compile("[\0\ud800-\udfff]")  # PostgreSQL knows no NUL, and UTF-8 no half characters


def storable(text: str) -> str:
    """The text without the characters that no database column holds."""
    return _UNSTORABLE.sub("", text)


def count_unstorable(text: str) -> int:
    return len(_UNSTORABLE.findall(text))


def normal_lines(text: str) -> str:
    """The text with "\\n" for every line end; a browser sends "\\r\\n"."""
    return text.replace("\r\n", "\n").replace("\r", "\n")
