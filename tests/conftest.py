"""What all tests share."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import redis
from hypothesis import settings
from xdist.scheduler import LoadGroupScheduling

from tests.processes import CeleryProcess, Workers

# Machines are slow now and then, so no example has a deadline; in CI the examples are the same each time.
settings.register_profile("here", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True, database=None, max_examples=40)
settings.load_profile("ci" if os.environ.get("CI") else "here")


class BrowserTogether(LoadGroupScheduling):
    """The tests of tests/browser in two processes, so that there are two sites and not one for each.

    A mark would say so, but pytest-xdist 3.8 does not see its marks with pytest 9.2 (its issue 1386).
    """

    def _split_scope(self, nodeid: str) -> str:
        if not nodeid.startswith("tests/browser/"):
            return nodeid
        return "every page" if nodeid.startswith("tests/browser/test_accessibility") else "browser"


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> BrowserTogether | None:
    """For --dist=loadgroup; other ways remain as they are."""
    return BrowserTogether(config, log) if config.getvalue("dist") == "loadgroup" else None


@pytest.fixture(scope="session")
def root() -> Path:
    """The top folder of the repository."""
    return Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def django_db_modify_db_settings(services: None, django_db_modify_db_settings_parallel_suffix: None) -> None:
    """pytest-django asks for this before it makes the test database: the moment to have a server."""


@pytest.fixture(scope="session")
def site_environment(django_db_setup: None) -> dict[str, str]:
    """The environment for a process of the site (a worker, a web server) that works on the tests' database.

    The database goes when the session ends, so whoever starts such a process for a session depends on this, and
    ends it before.
    """
    from django.db import connection

    server = urlsplit(os.environ["DATABASE_URL"])
    return os.environ | {
        "DATABASE_URL": server._replace(path=f"/{connection.settings_dict['NAME']}").geturl()
    }


@pytest.fixture(scope="session")
def workers(site_environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workers]:
    """Starts and ends the workers of these tests."""
    workers = Workers(site_environment, tmp_path_factory.mktemp("workers"))
    yield workers
    workers.end_all()


@pytest.fixture
def broker(services: None) -> Iterator[redis.Redis]:
    """The broker of the test, empty."""
    with redis.Redis.from_url(os.environ["REDIS_URL"]) as client:
        client.flushdb()
        yield client
        client.flushdb()


@pytest.fixture
def bells(broker: redis.Redis, workers: Workers) -> redis.Redis:
    """The broker, where all that rings stays in its queue: no worker that other tests share takes it."""
    workers.end_all()
    return broker


@pytest.fixture
def worker(workers: Workers, transactional_db: None, broker: redis.Redis) -> CeleryProcess:
    """A worker of every queue that grades, not to be harmed."""
    return workers.shared()
