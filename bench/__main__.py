"""`python -m bench`: prints a table and writes bench/latest.json."""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as in the sandbox; before numpy is loaded
os.environ.setdefault("OMP_NUM_THREADS", "1")

import argparse
from dataclasses import replace
from pathlib import Path

from bench import assignments, grading, peers, reference, site
from bench.harness import save, show

LATEST = Path(__file__).parent / "latest.json"


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="bench",
        description="Measures the speed of the grader and of the whole site, as ratios in one run.",
    )
    parser.add_argument("--rounds", type=int, default=20, help="rounds of the latency table (default 20)")
    parser.add_argument("--submissions", type=int, default=100, help="submissions at once (default 100)")
    options = parser.parse_args()
    table = reference.measure()
    print("Each assignment, by a warm grader")
    table += assignments.measure(options.rounds // 2)
    print()
    peers.main()
    print()
    for size, folder in (("small", grading.SMALL), ("large", grading.LARGE)):
        print(f"One submission of {grading.CHECKS} {size} checks ({folder.name})")
        one = grading.latency(folder, options.rounds)
        show(one)
        own = {row.name: row.value for row in one}
        print(
            f"The sandbox adds {own[grading.WARM] - own[grading.IN_PROCESS]:.1f} ms to the checks' own time.\n"
        )
        print(f"{options.submissions} of them, per second")
        many = grading.throughput(folder, options.submissions, rounds=3)
        show(many)
        print()
        table += [replace(row, name=f"{size}: {row.name}") for row in one + many]
    table += site.measure(2 * options.rounds)
    save(table, LATEST)
    print(f"Written to {LATEST.relative_to(Path.cwd()) if LATEST.is_relative_to(Path.cwd()) else LATEST}")


if __name__ == "__main__":
    main()
