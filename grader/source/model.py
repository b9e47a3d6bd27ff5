"""The code that a student hands in, as text, and the sentence that refuses it."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

MAX_CODE_BYTES = 1_000_000


@dataclass(frozen=True)
class Source:
    """Python text with "\\n" line ends, ready to compile.

    `cells[i]` is the line, from 1, where code cell i + 1 of a notebook starts; empty for a .py file.
    """

    text: str
    notes: tuple[str, ...] = ()  # sentences on what reading left out or took for granted
    cells: tuple[int, ...] = ()


class SourceError(Exception):
    """The file cannot be graded. The sentence says what is wrong, whose part it is and what to do."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence


def where(line: int, cells: tuple[int, ...]) -> str:
    """A line of `Source.text` as its author sees it: "line 7", or "cell 3, line 2" in a notebook.

    Only code cells are counted, as the reader of a notebook counts its In [ ].
    """
    cell = bisect_right(cells, line)
    return f"cell {cell}, line {line - cells[cell - 1] + 1}" if cell else f"line {line}"


def normal_lines(text: str) -> str:
    """The text with every line ended as Python itself would see it."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def check_size(text: str, sentence: str) -> None:
    """Raises SourceError, with the sentence and how to go on, if there is more code than is allowed."""
    if len(text.encode("utf-8", "surrogatepass")) > MAX_CODE_BYTES:
        raise SourceError(f"{sentence} Hand in only the code that is asked for.")
