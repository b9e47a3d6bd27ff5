"""Measures the factors of grader/reference/oracle/factors.py: `python -m tests.grader.numerics.measure_factors 500`.

For every operation and dtype, over so many problems: the largest error of a right style in units of what its oracle
counts. Styles that use np.logaddexp are told apart: it adds one key at a time to a logarithm, and so loses a digit.
"""

from __future__ import annotations

import sys
import zlib
from collections.abc import Iterator

import numpy as np

from grader.reference.oracle import factors
from tests.grader.numerics.operations import DTYPES, OPERATIONS, Numbers, kinds, misses

FACTORS = {
    "attention": factors.ATTENTION,
    "scores": factors.SCORES,
    "softmax": factors.SOFTMAX,
    "weights": factors.WEIGHTS,
    "multi head": factors.MULTI_HEAD,
    "rope": factors.ROPE,
    "backward": factors.BACKWARD,
}
LOGADDEXP = ("log-sum-exp", "one-key-at-a-time", "blocks-of-keys")
SLOW = (
    "loops",
    "list-comprehension",
    "only-the-keys-that-count",
    "broadcast-and-sum",
)  # of attention's styles


def measured(name: str, dtype: type, problems: int) -> Iterator[tuple[bool, float, str]]:
    """The error of each style in each problem: whether it uses np.logaddexp, how large it is, and where it was."""
    operation, factor = OPERATIONS[name], FACTORS[name][np.dtype(dtype)]
    random = np.random.default_rng(zlib.crc32(f"{name} {dtype.__name__}".encode()))
    for _ in range(problems):
        long = bool(random.random() < 0.15)
        kind = str(random.choice(kinds(long)))
        spread = float(random.choice([0.1, 1.0] if dtype is np.float16 else [0.1, 1.0, 3.0, 10.0, 50.0]))
        call = operation.problem(Numbers(random, dtype, kind, spread, long))
        right = operation.right(call)
        for style, function in operation.styles.items():
            if long and name == "attention" and style in SLOW:
                continue
            with np.errstate(all="ignore"):
                worst = max(misses(function(*call.args, **call.kwargs), right).values())
            if np.isfinite(worst):  # float16 overflows
                where = f"{style}, {kind}, {spread}, {'long' if long else 'tiny'}"
                yield style.endswith(LOGADDEXP), worst * factor, where


def main(problems: int, names: list[str]) -> None:
    for name in names or FACTORS:
        for dtype in DTYPES:
            found = list(measured(name, dtype, problems))
            usual = max((each[1:] for each in found if not each[0]), default=(0.0, ""))
            logaddexp = max((each[1:] for each in found if each[0]), default=(0.0, ""))
            print(f"{name}, {dtype.__name__}: factor {FACTORS[name][np.dtype(dtype)]}", flush=True)
            for worst, where in (usual, logaddexp):
                print(f"    {worst:5.2f}  {where}")


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
