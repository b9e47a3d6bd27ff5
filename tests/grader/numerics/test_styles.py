"""No false alarm: right implementations in many styles pass every check of their assignment, whatever the seed.

The styles of the first two assignments are in `right_styles.py` and `test_assignments.py`.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bench.catalogue import assignment
from grader import judge
from grader.checks import Check, Failed, LocalStudent
from grader.judge import Bundle

STYLES = Path(__file__).with_name("styles")
SLUGS = sorted(path.stem.replace("_", "-") for path in STYLES.glob("*.py") if path.stem != "__init__")
SEEDS = (0, 1)


def styles() -> Iterator[tuple[str, str]]:
    for slug in SLUGS:
        for name in _module(slug).STYLES:
            yield slug, name


def _module(slug: str) -> Any:
    return importlib.import_module(f"tests.grader.numerics.styles.{slug.replace('-', '_')}")


@pytest.fixture(scope="module")
def checks() -> dict[str, dict[str, Check]]:
    loaded = {}
    for slug in SLUGS:
        whole = assignment(slug)
        loaded[slug] = judge.load_checks(
            Bundle(
                whole.function, whole.signature, whole.checks, (), dict(whole.files), returns=whole.returns
            )
        )
    return loaded


def test_there_are_enough() -> None:
    counts = {slug: len(_module(slug).STYLES) for slug in SLUGS}
    assert min(counts.values()) >= 5
    assert sum(counts.values()) >= 30


@pytest.mark.parametrize(("slug", "name"), list(styles()))
def test_a_right_style_passes_every_check(slug: str, name: str, checks: dict[str, dict[str, Check]]) -> None:
    function: Callable[..., Any] = _module(slug).STYLES[name]
    student = LocalStudent(function, _as_it_is, assignment(slug).returns)
    failed = []
    for id_, check in checks[slug].items():
        if check.measures:
            continue
        for seed in SEEDS:
            try:
                with np.errstate(all="ignore"):
                    check.run(student, seed)
            except Failed as failure:
                failed.append(f"{id_}, seed {seed}: {failure}")
    assert not failed


def _as_it_is(error: BaseException) -> Failed:
    raise error
