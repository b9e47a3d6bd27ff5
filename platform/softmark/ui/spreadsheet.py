"""What is written into files for spreadsheets."""

from __future__ import annotations

_FORMULA = tuple("=+-@\t\r\n＝＋－＠")


def plain_text(text: str) -> str:
    """Text that no spreadsheet takes for a formula."""
    return f"'{text}" if text.startswith(_FORMULA) else text
