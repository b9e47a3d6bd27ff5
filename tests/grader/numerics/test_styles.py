"""No false alarm: right implementations in many styles pass every check of their assignment, whatever the seed.

The styles of the first two assignments are in `right_styles.py` and `test_assignments.py`.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bench.catalogue import assignment, outcomes

STYLES = Path(__file__).with_name("styles")
SLUGS = sorted(path.stem.replace("_", "-") for path in STYLES.glob("*.py") if path.stem != "__init__")
SEEDS = (0, 1)


def styles() -> Iterator[tuple[str, str]]:
    for slug in SLUGS:
        for name in _module(slug).STYLES:
            yield slug, name


def _module(slug: str) -> Any:
    return importlib.import_module(f"tests.grader.numerics.styles.{slug.replace('-', '_')}")


def test_there_are_enough() -> None:
    counts = {slug: len(_module(slug).STYLES) for slug in SLUGS}
    assert min(counts.values()) >= 5
    assert sum(counts.values()) >= 30


@pytest.mark.parametrize(("slug", "name"), list(styles()))
def test_a_right_style_passes_every_check(slug: str, name: str) -> None:
    with np.errstate(all="ignore"):
        found = outcomes(assignment(slug), _module(slug).STYLES[name], SEEDS)
    assert found
    assert {id_: str(outcome) for id_, outcome in found.items() if outcome is not None} == {}
