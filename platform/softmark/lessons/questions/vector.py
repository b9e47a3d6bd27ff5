"""A row of numbers."""

from __future__ import annotations

from typing import Any

from softmark.lessons.questions.grid import Grid
from softmark.lessons.questions.wording import counted


class Vector(Grid):
    name = "vector"
    nested = False

    def shape(self, said: Any) -> tuple[int, int] | None:
        length = said[0] if isinstance(said, list) and len(said) == 1 else said
        return (1, length) if type(length) is int else None

    def place(self, row: int, column: int) -> str:
        return f"Number {column}"

    def shown_shape(self, rows: int, columns: int) -> str:
        shown = f"a row of {counted(columns, 'number')}"
        return shown if rows == 1 else f"{rows} rows of {columns}"
