"""Rows and columns of numbers."""

from __future__ import annotations

from typing import Any

from softmark.lessons.questions.grid import Grid
from softmark.lessons.questions.wording import counted


class Matrix(Grid):
    name = "matrix"
    nested = True

    def shape(self, said: Any) -> tuple[int, int] | None:
        if not isinstance(said, list) or len(said) != 2:
            return None
        rows, columns = said
        return (rows, columns) if type(rows) is int and type(columns) is int else None

    def place(self, row: int, column: int) -> str:
        return f"Row {row}, column {column}"

    def shown_shape(self, rows: int, columns: int) -> str:
        return f"{counted(rows, 'row')} of {columns}"
