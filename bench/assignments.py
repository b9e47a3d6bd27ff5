"""How long each assignment takes to grade: its solution, and its first known mistake with the naming."""

from __future__ import annotations

import statistics

from bench.catalogue import REFERENCE, assignment
from bench.harness import Row, show
from grader.grade import Grader
from grader.source import Source


def measure(rounds: int) -> list[Row]:
    """Prints the table, and returns its rows: medians of a warm grader, ratios to the first solution's."""
    table: list[Row] = []
    with Grader() as grader:
        for slug in REFERENCE:
            whole = assignment(slug)
            texts = {"solution": whole.files["solution.py"], "a mistake": whole.files[whole.mistakes[0].file]}
            for name, text in texts.items():
                taken = [grader.grade(whole, Source(text)).seconds for _ in range(rounds + 1)][1:]
                table.append(_row(f"{slug}: {name}", taken, table))
    show(table)
    return table


def _row(name: str, taken: list[float], before: list[Row]) -> Row:
    ordered = sorted(1000 * seconds for seconds in taken)
    value = statistics.median(ordered)
    first = before[0] if before else None
    ratio = value / first.value if first is not None else None
    low, high = ordered[len(ordered) // 10], ordered[-1 - len(ordered) // 10]
    return Row(name, value, "ms", first.name if first is not None else None, ratio, low, high)
