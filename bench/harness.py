"""Measuring things beside one another in one run, and telling the result.

Machines differ and change while one looks at them, so every number is given beside a baseline that was measured
in the same rounds, in random order.
"""

from __future__ import annotations

import json
import random
import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

Clocked = Callable[[], float]


@dataclass(frozen=True)
class Row:
    """One line of the table. `baseline`: the name of what it is compared with, itself a row, or None."""

    name: str
    value: float
    unit: str
    baseline: str | None
    ratio: float | None
    low: float
    high: float


def clocked(work: Callable[[], object]) -> Clocked:
    """Seconds that one call of `work` takes."""

    def once() -> float:
        started = time.perf_counter()
        work()
        return time.perf_counter() - started

    return once


def interleaved(tasks: Mapping[str, Clocked], rounds: int, warm_up: int = 2) -> dict[str, list[float]]:
    """Every task once a round, in random order, `rounds` times after some that do not count."""
    order = random.Random(0)
    seconds: dict[str, list[float]] = {name: [] for name in tasks}
    for number in range(warm_up + rounds):
        names = list(tasks)
        order.shuffle(names)
        for name in names:
            taken = tasks[name]()
            if number >= warm_up:
                seconds[name].append(taken)
    return seconds


def rows(
    seconds: Mapping[str, list[float]], baselines: Mapping[str, str | None], *, per_second: bool = False
) -> list[Row]:
    """Medians, with the median over rounds of the ratio to the baseline."""
    table = []
    for name, taken in seconds.items():
        values = [1 / t for t in taken] if per_second else [1000 * t for t in taken]
        baseline = baselines[name]
        ratio = None
        if baseline is not None:
            pairs = zip(taken, seconds[baseline], strict=True)
            ratio = statistics.median(
                theirs / ours if per_second else ours / theirs for ours, theirs in pairs
            )
        ordered = sorted(values)
        low, high = ordered[len(ordered) // 10], ordered[-1 - len(ordered) // 10]
        table.append(
            Row(name, statistics.median(values), "per s" if per_second else "ms", baseline, ratio, low, high)
        )
    return table


def show(table: list[Row]) -> None:
    from rich.console import Console
    from rich.table import Column, Table

    view = Table(
        Column("what", min_width=49),
        "median",
        "10 % to 90 %",
        "unit",
        "ratio",
        "to",
        box=None,
        pad_edge=False,
    )
    for row in table:
        ratio = "" if row.ratio is None else f"{row.ratio:.2f}"
        view.add_row(
            row.name,
            f"{row.value:.1f}",
            f"{row.low:.1f} to {row.high:.1f}",
            row.unit,
            ratio,
            row.baseline or "",
        )
    Console(width=140).print(view)  # a table that wraps cannot be read


def save(table: list[Row], path: Path) -> None:
    told = {
        row.name: {
            "value": round(row.value, 3),
            "unit": row.unit,
            "baseline": row.baseline,
            "ratio": None if row.ratio is None else round(row.ratio, 3),
        }
        for row in table
    }
    path.write_text(json.dumps(told, indent=2) + "\n")
