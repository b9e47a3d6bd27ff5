"""Real workers, on the database and the broker of the test."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
import redis

from tests.processes import CeleryProcess, Workers


@pytest.fixture
def start_worker(
    workers: Workers, transactional_db: None, broker: redis.Redis
) -> Iterator[Callable[..., CeleryProcess]]:
    """`start_worker("grade.cpu", processes=2)`, ready to grade; to be killed, and the only ones there are."""
    workers.end_all()
    yield workers.start
    workers.end_all()
