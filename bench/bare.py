"""The same checks without a sandbox: in a bare interpreter, or in this process."""

from __future__ import annotations

import sys
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

from grader import judge
from grader.assignment import CheckSpec
from grader.checks import LocalStudent
from grader.judge import Bundle
from grader.report import Verdict, Visibility


def run_checks(bundle: Bundle, function: Callable[..., Any], seed: int) -> None:
    """The same judge and the same checks, with nothing between them and the function. They must all pass."""
    lines: list[dict[str, Any]] = []
    judge.run(bundle, lambda: LocalStudent(function), seed=seed, emit=lines.append)
    assert all(line["verdict"] == Verdict.PASSED for line in lines[:-1]), lines


def bundle(folder: Path, checks: list[tuple[str, str]], function: str) -> Bundle:
    """From a folder's check files alone. checks: id and visibility of each."""
    files = {
        f"checks/{name}.py": (folder / "checks" / f"{name}.py").read_text() for name in ("public", "hidden")
    }
    specs = tuple(CheckSpec(id_, "", Decimal(1), Visibility(visibility)) for id_, visibility in checks)
    return Bundle(function, function, specs, (), files)


def main(folder: str, function: str, *checks: str) -> None:
    """`python -m bench.bare FOLDER FUNCTION ID:VISIBILITY...`: loads the solution and runs the checks once."""
    namespace: dict[str, Any] = {}
    exec(compile((Path(folder) / "solution.py").read_text(), "solution.py", "exec"), namespace)
    pairs = [(id_, visibility) for id_, _, visibility in (check.partition(":") for check in checks)]
    run_checks(bundle(Path(folder), pairs, function), namespace[function], 1)


if __name__ == "__main__":
    main(*sys.argv[1:])
