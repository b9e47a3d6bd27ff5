"""The Python code of a Jupyter notebook, read as JSON and as nothing else."""

from __future__ import annotations

import json
import re
from typing import Any

from grader.report import printable
from grader.source.encoding import declare_utf8
from grader.source.magics import Dropped, without_magics
from grader.source.model import (
    MAX_CODE_BYTES,
    Source,
    SourceError,
    check_size,
    normal_lines,
)

MAX_NOTEBOOK_BYTES = 20 * 1024 * 1024
# 20 MB of "[],[],[]…" would take a hundred times that in memory; real notebooks stay far below this.
MAX_PARTS = 500_000
MAX_NOTES = 20

_UNREADABLE = re.compile("[\0\ud800-\udfff]")

_SAVE_AGAIN = "Open it in Jupyter, save it once more and try again."


def read_notebook(data: bytes) -> Source:
    """The code cells in their order, joined. Raises SourceError."""
    raw = [normal_lines(cell) for cell in _code_cells(_parse(data))]
    check_size(
        "".join(raw),
        f"The code in the notebook is larger than {MAX_CODE_BYTES // 10**6} MB, the most allowed.",
    )
    cells: list[int] = []
    texts: list[str] = []
    notes: list[str] = []
    line = 1
    for number, cell in enumerate(raw, start=1):
        _refuse_unreadable(number, cell)
        text, dropped = without_magics(cell)
        text = text if cell.endswith("\n") else text + "\n"
        notes += [_note(number, what) for what in dropped]
        cells.append(line)
        texts.append(text)
        line += text.count("\n")
    joined = "".join(texts)
    if not joined.strip():
        raise SourceError(
            "The notebook holds no Python code. "
            "Write your function in a code cell, save the notebook and try again."
        )
    if len(notes) > MAX_NOTES:
        notes[MAX_NOTES:] = [f"{len(notes) - MAX_NOTES} more commands were left out in the same way."]
    return Source(declare_utf8(joined), tuple(notes), tuple(cells))


def _note(cell: int, dropped: Dropped) -> str:
    if dropped.whole_cell:
        place, what = f"Cell {cell}", "starts with"
    else:
        place, what = f"Cell {cell}, line {dropped.line}", "is"
    return (
        f"{place} was left out: it {what} a notebook command, which is not Python ({_short(dropped.text)})."
    )


def _parse(data: bytes) -> dict[str, Any]:
    if len(data) > MAX_NOTEBOOK_BYTES:
        raise SourceError(
            f"The notebook is larger than {MAX_NOTEBOOK_BYTES // 2**20} MB, the most allowed. "
            "Clear its outputs in Jupyter, save it and try again."
        )
    if data.count(b"[") + data.count(b"{") > MAX_PARTS:
        raise SourceError(
            "The notebook has far too many parts. Clear its outputs in Jupyter, save it and try again."
        )
    try:
        notebook = json.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise SourceError(f"The notebook is not UTF-8 text, so it is damaged. {_SAVE_AGAIN}") from None
    except RecursionError:
        raise SourceError(f"The notebook is nested too deep to be one. {_SAVE_AGAIN}") from None
    except json.JSONDecodeError as error:
        raise SourceError(
            f"The file ends in .ipynb, but is not a notebook: line {error.lineno} is not JSON. {_SAVE_AGAIN} "
            "If it is plain Python, let its name end in .py."
        ) from None
    except ValueError:  # a number with thousands of digits
        raise SourceError(f"The notebook holds a number that cannot be read. {_SAVE_AGAIN}") from None
    if not isinstance(notebook, dict):
        raise SourceError(f"The file ends in .ipynb, but is not a notebook. {_SAVE_AGAIN}")
    return notebook


def _code_cells(notebook: dict[str, Any]) -> list[str]:
    """The raw source of each code cell. Raises SourceError where the notebook is not as Jupyter writes it."""
    if "cells" not in notebook and "worksheets" in notebook:
        raise SourceError(
            f"The notebook is in a format from before 2014, which is not read here. {_SAVE_AGAIN}"
        )
    cells = notebook.get("cells")
    if not isinstance(cells, list):
        raise SourceError(f"The file ends in .ipynb, but has no list of cells. {_SAVE_AGAIN}")
    language = _language(notebook.get("metadata"))
    if language and "python" not in language.lower():
        raise SourceError(
            f"The notebook is written in {_short(language)}, but the code must be Python. "
            "Choose a Python kernel and try again."
        )
    sources: list[str] = []
    for cell in cells:
        if not isinstance(cell, dict) or cell.get("cell_type") != "code":
            continue
        source = cell.get("source", "")
        if isinstance(source, list) and all(isinstance(part, str) for part in source):
            source = "".join(source)
        if not isinstance(source, str):
            raise SourceError(
                f"The code of cell {len(sources) + 1} is not text, so the notebook is damaged. {_SAVE_AGAIN}"
            )
        sources.append(source)
    return sources


def _language(metadata: object) -> str | None:
    """The language that the notebook says it is in, if it says so."""
    if not isinstance(metadata, dict):
        return None
    for part, key in (("language_info", "name"), ("kernelspec", "language")):
        table = metadata.get(part)
        if isinstance(table, dict) and isinstance(table.get(key), str):
            return str(table[key])
    return None


def _refuse_unreadable(number: int, text: str) -> None:
    """JSON can hold NULs and half characters, which no Python file can. Raises SourceError."""
    if found := _UNREADABLE.search(text):
        line = text.count("\n", 0, found.start()) + 1
        what = "a NUL character" if found[0] == "\0" else "half of a character"
        raise SourceError(
            f"Cell {number}, line {line} holds {what}, which Python cannot read. "
            "Delete it, save and try again."
        )


def _short(text: str) -> str:
    one_line = printable(" ".join(text[:200].split()))
    return one_line if len(one_line) <= 60 else one_line[:59] + "…"
