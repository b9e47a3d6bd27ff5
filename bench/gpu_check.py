"""`make gpu-check`, or `python -m bench.gpu_check` on a bare CUDA machine: does the grader's reference hold there?

Needs Python, numpy, array-api-compat and CuPy; bubblewrap for the last part. Prints the reference library as a
submission to every assignment, judged by the assignment's own checks; its speed beside the two bare matmuls; and an
assignment for a GPU, with right, wrong and hostile submissions, in the sandbox that submissions to a GPU are graded in.
Exits with 1 where something is not as it should be. `--arrays strict` runs the same without a GPU, on
array_api_strict's second device.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from bench.catalogue import REFERENCE, assignment, outcomes
from grader.assignment import Assignment, Device, load_assignment
from grader.checks import Failed
from grader.grade import Grader, SandboxUnavailable
from grader.reference import attention
from grader.sandbox.inside.devices import Arrays, CuPy, NoDevice, NumPy, Strict, Unsupported, on
from grader.verify import verify

SEEDS = range(3)
SIZES = ((8, 1024), (8, 4096), (8, 16384))  # heads, tokens
WIDTH = 64
ROUNDS = 9
GPU_ASSIGNMENT = Path(__file__).parents[1] / "fixtures" / "assignments" / "gpu-attention"


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="gpu-check", description="Does the grader's reference hold on this GPU?"
    )
    parser.add_argument("--arrays", choices=("cupy", "strict", "numpy"), default="cupy")
    options = parser.parse_args()
    try:
        arrays = _arrays(options.arrays)
    except NoDevice as error:
        print(f"There is nothing to check on this machine: {error}.", file=sys.stderr)
        return 2
    started = time.monotonic()
    print(f"The reference on {arrays.name}, judged by every assignment's checks, {len(SEEDS)} seeds each\n")
    wrong = sum(_show_parity(slug, arrays) for slug in REFERENCE)
    print("\nIts speed beside the two bare matmuls, float32, best of rounds in random order\n")
    for heads, tokens in SIZES if options.arrays == "cupy" else SIZES[:1]:
        _show_speed(arrays, heads, tokens)
    if options.arrays != "numpy":
        wrong += _show_sandbox(stand_in=options.arrays == "strict")
    print(
        f"\n{time.monotonic() - started:.0f} s; {'all is well' if not wrong else f'{wrong} checks failed'}."
    )
    return 1 if wrong else 0


def _arrays(name: str) -> Arrays:
    if name == "strict":
        return Strict("device1")
    return CuPy() if name == "cupy" else NumPy()


def _show_parity(slug: str, arrays: Arrays) -> int:
    """How many checks failed."""
    found = parity(assignment(slug), REFERENCE[slug], arrays)
    counts = Counter("failed" if isinstance(outcome, Failed) else outcome for outcome in found.values())
    print(f"{slug:22} " + ", ".join(f"{count} {name}" for name, count in sorted(counts.items())))
    for check, outcome in found.items():
        if isinstance(outcome, Failed):
            print(f"    {check}: {outcome}")
    return counts["failed"]


def parity(whole: Assignment, function: Callable[..., Any], arrays: Arrays) -> dict[str, str | Failed]:
    """Of each check that is not about speed or memory: "passed", its failure, or that the device has no such dtype."""
    return {id_: _told(outcome) for id_, outcome in outcomes(whole, on(arrays, function), SEEDS).items()}


def _told(outcome: Exception | None) -> str | Failed:
    if outcome is None:
        return "passed"
    if isinstance(outcome, Unsupported):
        return f"without {outcome}"
    if isinstance(outcome, Failed):
        return outcome
    raise outcome


def _show_sandbox(*, stand_in: bool) -> int:
    """How much is not as it should be; the sandbox itself, where there is none, is that too."""
    print("\nAn assignment for a GPU in the sandbox\n")
    try:
        with Grader(device=Device.CUDA, stand_in=stand_in) as grader:
            print(f"rung {grader.rung.number}, {grader.device_name}")
            started = time.monotonic()
            found = verify(load_assignment(GPU_ASSIGNMENT), grader)
    except SandboxUnavailable as unavailable:
        print(f"It could not be tried: {unavailable}")
        return 1
    for row in found.table:
        told = ", ".join(
            f"{check.id} {check.verdict} {1000 * check.seconds:.0f} ms" for check in row.report.checks
        )
        print(f"{row.name:22} {row.result}: {told}")
    for line in (*found.problems, *found.notes):
        print(f"    {line}")
    print(f"{len(found.table)} files, {(time.monotonic() - started) / len(found.table):.2f} s each")
    return len(found.problems)


def _show_speed(arrays: Arrays, heads: int, tokens: int) -> None:
    dice = np.random.default_rng(0)
    q, k, v = (arrays.take(dice.standard_normal((heads, tokens, WIDTH), dtype=np.float32)) for _ in range(3))
    xp = arrays.xp
    tasks: dict[str, Callable[[], Any]] = {
        "bare matmuls": lambda: xp.matmul(xp.matmul(q, xp.matrix_transpose(k)), v),
        "reference": lambda: attention(q, k, v, block=1024),
        "reference, causal": lambda: attention(q, k, v, causal=True, block=1024),
    }
    best = dict.fromkeys(tasks, float("inf"))
    for round_ in range(ROUNDS + 1):
        for place in dice.permutation(len(tasks)):
            name = list(tasks)[place]
            began = time.perf_counter()
            tasks[name]()
            arrays.works()
            if round_:  # the first round compiles and allocates
                best[name] = min(best[name], time.perf_counter() - began)
    told = (f"{name} {1000 * best[name]:.2f} ms ({best[name] / best['bare matmuls']:.2f})" for name in tasks)
    print(f"{heads} heads, {tokens} tokens: " + ", ".join(told))


if __name__ == "__main__":
    sys.exit(main())
