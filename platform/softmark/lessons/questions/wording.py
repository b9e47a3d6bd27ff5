"""Texts that somebody else wrote, as they may stand in a sentence or a database."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

from softmark.lessons.questions.common import Invalid

_UNSEEN = frozenset({"Cc", "Cs"})  # control characters, and halves of a pair that stand alone


def quoted(text: str, most: int = 40) -> str:
    """In quotation marks, on one line, cut to `most` characters; what cannot be shown becomes U+FFFD."""
    one_line = " ".join(text[: 4 * most].split())
    shown = "".join(
        "\N{REPLACEMENT CHARACTER}" if unicodedata.category(letter) in _UNSEEN else letter
        for letter in one_line[:most]
    )
    return f"“{shown}…”" if len(one_line) > most or len(text) > 4 * most else f"“{shown}”"


def listed(values: Iterable[object]) -> str:
    """“river”, “bank”."""
    return ", ".join(quoted(str(value)) for value in values)


def storable(text: str) -> bool:
    """Whether PostgreSQL can keep it and a page can show it: lines and tabs, but no other control characters."""
    return not any(letter not in "\n\t" and unicodedata.category(letter) in _UNSEEN for letter in text)


def typed_lines(text: str, most: int) -> str:
    """What was typed into a large field, with line ends as \\n. Raises Invalid where it is too long or unstorable."""
    if len(text) > most:
        raise Invalid(f"That is {len(text):,} characters long; at most {most:,} are taken.")
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    for place, letter in enumerate(text, 1):
        if not storable(letter):
            raise Invalid(
                f"Character {place} (U+{ord(letter):04X}) cannot be shown or stored. Delete it, or type the text anew."
            )
    return text


def counted(number: int, thing: str) -> str:
    """1 row, 2 rows."""
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"
