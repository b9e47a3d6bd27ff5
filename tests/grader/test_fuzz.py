"""A moment of `fuzz.py`: in CI from the same start always, elsewhere from another each day so that the days add up."""

from __future__ import annotations

import os
import time

import pytest

from grader.grade import SandboxUnavailable
from tests.grader.fuzz import fuzz


def test_junk_is_never_believed_and_never_waited_for() -> None:
    first_seed = 0 if os.environ.get("CI") else int(time.time() // 86_400) * 1_000
    try:
        outcomes = fuzz(3.0, first_seed)
    except SandboxUnavailable as unavailable:
        pytest.skip(str(unavailable))
    assert any(outcome.startswith("submission") for outcome in outcomes)
    assert outcomes["folder: refused"]
