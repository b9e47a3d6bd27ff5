"""The assignments, loaded once."""

from __future__ import annotations

import pytest

from tests.grader.numerics.harness import SLUGS, Loaded


@pytest.fixture(scope="session")
def scaled_dot_product() -> Loaded:
    return Loaded("scaled-dot-product")


@pytest.fixture(scope="session")
def causal_mask() -> Loaded:
    return Loaded("causal-mask")


@pytest.fixture(scope="session", params=SLUGS)
def assignment(request: pytest.FixtureRequest) -> Loaded:
    return Loaded(request.param)
