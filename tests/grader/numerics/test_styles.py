"""No false alarm: right implementations in many styles pass every check of their assignment, whatever the seed.

They are those that an assignment's folder holds, and more in `styles/`; the first two assignments have theirs in
`right_styles.py` and `test_assignments.py`.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bench.catalogue import assignment, outcomes, styles

STYLES = Path(__file__).with_name("styles")
SLUGS = sorted(path.stem.replace("_", "-") for path in STYLES.glob("*.py") if path.stem != "__init__")
SEEDS = (0, 1)


@cache
def right(slug: str) -> dict[str, Callable[..., Any]]:
    """By name, the right implementations of an assignment."""
    module = importlib.import_module(f"tests.grader.numerics.styles.{slug.replace('-', '_')}")
    more: dict[str, Callable[..., Any]] = module.STYLES
    own = styles(slug)
    assert not own.keys() & more.keys()
    return own | more


def test_there_are_enough() -> None:
    counts = {slug: len(right(slug)) for slug in SLUGS}
    assert min(counts.values()) >= 5
    assert sum(counts.values()) >= 30


@pytest.mark.parametrize(("slug", "name"), [(slug, name) for slug in SLUGS for name in right(slug)])
def test_a_right_style_passes_every_check(slug: str, name: str) -> None:
    with np.errstate(all="ignore"):
        found = outcomes(assignment(slug), right(slug)[name], SEEDS)
    assert found
    assert {id_: str(outcome) for id_, outcome in found.items() if outcome is not None} == {}
