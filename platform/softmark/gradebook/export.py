"""The gradebook as a file for spreadsheets."""

from __future__ import annotations

from decimal import Decimal

import tablib

from softmark.gradebook.queries import Grid
from softmark.ui.spreadsheet import plain_text


def csv(grid: Grid) -> bytes:
    """A row for each student; of each item the points, exact, and the state. UTF-8, with the mark Excel looks for."""
    table = tablib.Dataset(headers=_headers(grid))
    for row in grid.rows:
        user, section = row.enrolment.user, row.enrolment.section
        cells = [plain_text(str(user)), plain_text(user.email), plain_text(section.name if section else "")]
        for grade in row.grades:
            cells += [exact(grade.points), str(grade.state)]
        table.append([*cells, exact(row.total.points), exact(row.total.max)])
    text: str = table.export("csv")
    return text.encode("utf-8-sig")


def _headers(grid: Grid) -> list[str]:
    headers = ["Name", "Email", "Section"]
    for column in grid.columns:
        title = plain_text(f"{column.item.title} ({column.item.pk})")
        headers += [title, f"{title} state"]
    return [*headers, "Total", "Total out of"]


def exact(points: Decimal | None) -> str:
    """All of the digits there are; nothing where there are no points."""
    return "" if points is None else f"{points.normalize() + 0:f}"
