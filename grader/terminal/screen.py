"""The terminal as everything else sees it: its width, its characters, and text that is safe to show."""

from __future__ import annotations

import os
from typing import IO, cast

from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.text import Text

from grader.report import printable
from grader.terminal.stream import SafeStream

# Each sign and what stands for it where the encoding lacks it.
_PLAIN_SIGNS = {"✓": "+", "✗": "x", "●": "@", "○": "o", "·": ".", "×": "x", "–": "-"}
_WIDTH_OF_A_FILE = 80


class Screen:
    """Prints text; never markup, as much of it comes from other people's code."""

    def __init__(self, stream: IO[str], *, widest: int = 100) -> None:
        """`widest`: the most columns to use, as long lines are hard to read."""
        self._stream = SafeStream(stream)
        self.console = Console(
            file=cast(IO[str], self._stream),
            width=None if self._stream.isatty() else _width_from_environment(),
            markup=False,
            emoji=False,
            highlight=False,
        )
        self.console.width = min(self.console.width, widest)
        # With FORCE_COLOR a file may get colours; a line that redraws itself belongs on a terminal only.
        self.live = self._stream.isatty() and self.console.is_terminal and not self.console.is_dumb_terminal

    @property
    def width(self) -> int:
        return self.console.width

    def sign(self, sign: str) -> str:
        return sign if self._stream.can_show(sign) else _PLAIN_SIGNS.get(sign, "?")

    @property
    def spinner(self) -> str:
        return "dots" if self._stream.can_show("⠋") else "line"

    def blank(self) -> None:
        self.console.print()

    def show(self, what: RenderableType, *, indent: int = 0) -> None:
        self.console.print(Padding(what, (0, 0, 0, min(indent, self.width // 5)), expand=False))

    def say(self, text: str, style: str = "", *, indent: int = 0) -> None:
        """Print text that may come from anywhere, wrapped to the width."""
        self.show(plain(text, style), indent=indent)

    def one_line(self, text: str) -> Text:
        """Text cut to what fits on one line beside a spinner."""
        line = Text(" ".join(printable(text).split()))
        line.truncate(max(1, self.width - 4), overflow="ellipsis")
        return line


def plain(text: str, style: str = "") -> Text:
    """Text without markup and without anything that acts on a terminal."""
    return Text(printable(text), style=style)


def _width_from_environment() -> int:
    try:
        columns = int(os.environ.get("COLUMNS", ""))
    except ValueError:
        return _WIDTH_OF_A_FILE
    return columns if 0 < columns < 10_000 else _WIDTH_OF_A_FILE
