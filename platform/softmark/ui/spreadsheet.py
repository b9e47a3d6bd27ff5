"""What is written into files for spreadsheets."""

from __future__ import annotations

import re

_FORMULA = tuple("=+-@\t\r\n＝＋－＠")
_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?(e[+-]?[0-9]+)?", re.IGNORECASE)


def plain_text(text: str) -> str:
    """Text that no spreadsheet takes for a formula. What is a number stays one."""
    is_safe = _NUMBER.fullmatch(text) or not text.startswith(_FORMULA)
    return text if is_safe else f"'{text}"
