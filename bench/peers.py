"""How many wrong attentions the published tests of others would let pass, by their shapes and tolerances; and ours.

Only facts are taken from elsewhere: the shapes of the inputs, their spread and the tolerances. A variant passes a
suite where all its answers lie within the suite's tolerance of the right ones. Variants without masks are tried
only where nothing is hidden.
"""

from __future__ import annotations

import tomllib
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from bench.catalogue import assignment
from grader.checks import Failed, LocalStudent
from grader.judge import Bundle, load_checks, load_mistakes
from grader.reference import expected_attention

VARIANTS = Path(__file__).with_name("variants.toml")
PROBES = {
    "rectangular": "rectangular, causal, padded",
    "square": "square, causal, padded, an empty row",
    "nothing-hidden": "rows of tiny and huge scores",
    "far-from-zero": "all scores far below 0",
    "hot-hidden-key": "a hidden key with a huge score",
}

Case = tuple[tuple[np.ndarray, np.ndarray, np.ndarray], dict[str, Any]]


@dataclass(frozen=True)
class Suite:
    """Inputs and tolerances as somebody published them."""

    name: str
    relative: float
    absolute: float
    cases: list[Case]

    def lets_pass(self, function: Callable[..., Any]) -> bool:
        for args, hidden in self.cases:
            q, k, v = args
            right = expected_attention(q, k, v, **hidden).value
            try:
                got = np.asarray(function(*(each.copy() for each in args), **hidden))
            except Exception:
                return False
            if got.shape != right.shape or not np.all(
                np.abs(got - right) <= self.absolute + self.relative * np.abs(right)
            ):
                return False
        return True

    @property
    def hides(self) -> bool:
        return any(hidden for _, hidden in self.cases)


def suites() -> list[Suite]:
    dice = np.random.default_rng(0)

    def normal(*shape: int, sd: float = 1.0) -> np.ndarray:
        return sd * dice.standard_normal(shape)

    def whole(*shape: int) -> np.ndarray:
        return dice.integers(-12, 13, shape).astype(np.float64)

    def uniform(*shape: int) -> np.ndarray:
        return dice.uniform(-0.1, 0.1, shape)

    q, k, v = normal(4, 1, 12, 64), normal(4, 1, 16, 64), normal(4, 1, 16, 64)
    mask = dice.random((4, 1, 12, 16)) > 0.5
    square = (normal(4, 1, 128, 64), normal(4, 1, 128, 64), normal(4, 1, 128, 64))
    wide = (2, 4, 512, 64)
    tiny = (normal(*wide, sd=0.01), normal(*wide, sd=0.01), normal(*wide, sd=0.01))
    flat = (np.zeros((3, 5)), np.zeros((3, 5)), np.zeros((3, 5)))
    small = (whole(4, 3), whole(4, 3), whole(4, 3))
    pair = np.array([[1.0, 1.0], [1.0, 0.0]])
    three = np.array([[1.0, 0.0, 1.0], [0.0, 1.0, 1.0], [1.0, 1.0, 0.0]])
    return [
        Suite("CS336, assignment 1: one boolean mask", 1e-4, 1e-6, [((q, k, v), {"mask": mask})]),
        Suite("CS336, assignment 2, processor: T = 128", 1e-2, 1e-2, [(square, {})]),
        Suite("CS336, assignment 2, GPU: causal as well", 1e-2, 1e-2, [(square, {}), (square, {"causal": True})]),
        Suite("Tensara: inputs of sd 0.01", 2e-2, 5e-3, [(tiny, {})]),
        Suite(
            "LeetGPU, softmax attention: four small cases", 1e-4, 1e-4,
            [
                ((np.eye(2, 4), np.eye(3, 4), np.arange(1.0, 13.0).reshape(3, 4)), {}), (flat, {}), (small, {}),
                ((uniform(64, 32), uniform(128, 32), uniform(128, 32)), {}),
            ],
        ),
        Suite(
            "LeetGPU, causal attention", 1e-5, 1e-5,
            [
                ((np.eye(2, 4), np.eye(2, 4), np.arange(1.0, 9.0).reshape(2, 4)), {"causal": True}),
                (flat, {"causal": True}), (small, {"causal": True}),
                ((uniform(128, 32), uniform(128, 32), uniform(128, 32)), {"causal": True}),
            ],
        ),
        Suite(
            "Deep-ML, self attention: two or three tokens", 1e-3, 1e-2,
            [
                ((np.eye(2), np.eye(2), np.array([[1.0, 2.0], [3.0, 4.0]])), {}),
                ((pair, pair, pair), {}),
                ((three, three, three), {}),
            ],
        ),
    ]  # fmt: skip


@cache
def variants() -> list[tuple[str, str, Callable[..., Any]]]:
    """Slug, id and function of each."""
    found = []
    for slug, listed in tomllib.loads(VARIANTS.read_text()).items():
        functions = load_mistakes(Bundle.of(assignment(slug))).functions
        found += [(slug, id_, functions[id_]) for id_ in listed["mistakes"]]
    return found


def survivors(suite: Suite) -> tuple[list[str], int]:
    """The variants that a suite lets pass, and how many were tried."""
    tried = [
        (id_, function) for slug, id_, function in variants() if slug == "causal-mask" or not suite.hides
    ]
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [id_ for id_, function in tried if suite.lets_pass(function)], len(tried)


def ours() -> tuple[list[str], dict[str, int]]:
    """The variants that pass all checks of their assignment, and how many fail each of the five probes."""
    checks = {
        slug: load_checks(Bundle.of(assignment(slug))) for slug in ("causal-mask", "scaled-dot-product")
    }
    passing, caught = [], dict.fromkeys(PROBES, 0)
    for slug, id_, function in variants():
        failed = {check for check in checks[slug] if not _passes(checks[slug][check], function)}
        if not failed:
            passing.append(id_)
        if slug == "causal-mask":
            for probe in failed & PROBES.keys():
                caught[probe] += 1
    return passing, caught


def _passes(check: Any, function: Callable[..., Any]) -> bool:
    try:
        check.run(LocalStudent(function), 0)
    except Failed:
        return False
    return True


def main() -> None:
    print("Wrong attentions that published shapes and tolerances let pass")
    for suite in suites():
        passing, tried = survivors(suite)
        print(f"  {suite.name:48} {len(passing):2d} of {tried}: {', '.join(passing)}")
    passing, caught = ours()
    print(f"  {'Softmark, the checks of the two assignments':48} {len(passing):2d} of {len(variants())}")
    print("\nOf the 53 with masks, caught by each of the five probes")
    for probe, words in PROBES.items():
        print(f"  {words:48} {caught[probe]:2d}")


if __name__ == "__main__":
    main()
