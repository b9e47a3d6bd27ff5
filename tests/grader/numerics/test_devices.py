"""The reference library as a submission to every assignment, where only what the array standard promises may be used.

On array_api_strict's second pretended device as well: whatever is made on the wrong device is refused.
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from bench.catalogue import ASSIGNMENTS, REFERENCE, assignment
from bench.gpu_check import parity
from grader.checks import Failed
from grader.sandbox.inside.devices import Arrays, NumPy, Strict, on


def test_every_assignment_has_its_reference() -> None:
    assert {path.name for path in ASSIGNMENTS.iterdir() if path.is_dir()} == set(REFERENCE)


@pytest.mark.parametrize("arrays", [NumPy(), Strict(), Strict("device1")], ids=lambda arrays: arrays.name)
@pytest.mark.parametrize("slug", REFERENCE)
def test_the_reference_passes_all_checks(slug: str, arrays: Arrays) -> None:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore", RuntimeWarning)  # of huge scores, which the checks bring on purpose
        outcomes = parity(assignment(slug), REFERENCE[slug], arrays)
    failed = {id_: str(outcome) for id_, outcome in outcomes.items() if isinstance(outcome, Failed)}
    assert not failed
    without = {id_ for id_, outcome in outcomes.items() if outcome != "passed"}
    assert not without or not isinstance(arrays, NumPy)
    assert len(without) <= 2, "only what is about half precision may be left out"


def test_what_comes_back_on_another_device_is_told() -> None:
    first, second = Strict(), Strict("device1")
    with pytest.raises(TypeError, match=r"no array on array_api_strict .*device1"):
        on(second, lambda x: first.take(np.asarray([1.0])))(np.asarray([1.0]))
