"""What all tests share."""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from hypothesis import settings

# Machines are slow now and then, so no example has a deadline; in CI the examples are the same each time.
settings.register_profile("here", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True, database=None)
settings.load_profile("ci" if os.environ.get("CI") else "here")


@pytest.fixture(scope="session")
def root() -> Path:
    """The top folder of the repository."""
    return Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def django_db_modify_db_settings(services: None, django_db_modify_db_settings_parallel_suffix: None) -> None:
    """pytest-django asks for this before it makes the test database: the moment to have a server."""


@pytest.fixture
def site_environment(transactional_db: None) -> dict[str, str]:
    """The environment for a process of the site (a worker, a web server) that works on this test's database."""
    from django.db import connection

    server = urlsplit(os.environ["DATABASE_URL"])
    return os.environ | {"DATABASE_URL": server._replace(path=f"/{connection.settings_dict['NAME']}").geturl()}
