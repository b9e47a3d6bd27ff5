"""`python -m bench`: prints a table and writes bench/latest.json."""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as in the sandbox; before numpy is loaded
os.environ.setdefault("OMP_NUM_THREADS", "1")

import argparse
from pathlib import Path

from bench import grading
from bench.harness import save, show

LATEST = Path(__file__).parent / "latest.json"


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench", description="Measures grading speed as ratios in one run.")
    parser.add_argument("--rounds", type=int, default=20, help="rounds of the latency table (default 20)")
    parser.add_argument("--submissions", type=int, default=100, help="submissions at once (default 100)")
    options = parser.parse_args()
    print(f"One submission of {grading.CHECKS} checks")
    table = grading.latency(options.rounds)
    show(table)
    own = {row.name: row for row in table}
    over = own[grading.WARM].value - own[grading.IN_PROCESS].value
    print(f"The sandbox adds {over:.1f} ms to the checks' own time.\n")
    print(f"{options.submissions} submissions, per second")
    many = grading.throughput(options.submissions, rounds=3)
    show(many)
    save(table + many, LATEST)
    print(f"\nWritten to {LATEST.relative_to(Path.cwd()) if LATEST.is_relative_to(Path.cwd()) else LATEST}")


if __name__ == "__main__":
    main()
