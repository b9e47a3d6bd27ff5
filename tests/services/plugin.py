"""Real PostgreSQL and Valkey for the tests: one of each for a whole run, however many processes it has.

A pytest plugin, loaded by pyproject.toml before Django's settings are. It only settles where the services will
be and says so in the environment; they start when the first test asks for them (the fixture `services`, which
every test with a database uses), so a run without such tests starts nothing. A process of its own, the keeper,
starts and stops them; it ends when the last process of the run has.

DATABASE_URL and REDIS_URL, where they are set, name other services to use instead. Each process of pytest-xdist
has a database of its own either way: test_<name>_<process>, and Valkey's database number plus the process's.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from secrets import token_hex, token_urlsafe
from urllib.parse import urlsplit, urlunsplit

import pytest

from softmark.config.local.postgres import Postgres
from softmark.config.local.valkey import Valkey, free_port

PLAN = "SOFTMARK_TEST_SERVICES"  # how the processes of one run know of each other
_KEEPER = Path(__file__).with_name("keeper.py")
_START_SECONDS = 60


@dataclass(frozen=True)
class Plan:
    """Where the services of this run are, or will be, and which of the two are ours to start."""

    folder: str
    postgres: bool
    valkey: bool
    port: int
    password: str

    @classmethod
    def new(cls) -> Plan:
        return cls(
            folder=f"{tempfile.gettempdir()}/softmark-tests-{token_hex(6)}",
            postgres="DATABASE_URL" not in os.environ,
            valkey="REDIS_URL" not in os.environ,
            port=free_port(),
            password=token_urlsafe(),
        )

    @classmethod
    def from_environment(cls) -> Plan | None:
        return cls(**json.loads(os.environ[PLAN])) if PLAN in os.environ else None

    def postgres_server(self) -> Postgres:
        folder = Path(self.folder)
        return Postgres(folder / "postgres", folder / "sockets", forgetful=True)

    def valkey_server(self) -> Valkey:
        return Valkey(
            Path(self.folder) / "valkey", self.port, self.password, databases=1024, keeps_data=False
        )

    def announce(self) -> None:
        os.environ[PLAN] = json.dumps(asdict(self))
        if self.postgres:
            os.environ["DATABASE_URL"] = self.postgres_server().url
        if self.valkey:
            os.environ["REDIS_URL"] = self.valkey_server().url


@pytest.hookimpl(tryfirst=True)  # pytest-django's loads the settings
def pytest_load_initial_conftests() -> None:
    os.environ.setdefault("SECRET_KEY", "known to all, for the tests")
    os.environ.setdefault("SECURE", "0")
    if Plan.from_environment() is None:
        Plan.new().announce()
    elif worker := re.search(r"\d+$", os.environ.get("PYTEST_XDIST_WORKER", "")):
        os.environ["REDIS_URL"] = _with_number(os.environ["REDIS_URL"], int(worker.group()) + 1)


@pytest.fixture(scope="session")
def services() -> Iterator[None]:
    """PostgreSQL at DATABASE_URL and Valkey at REDIS_URL are running."""
    plan = Plan.from_environment()
    assert plan is not None
    if not (plan.postgres or plan.valkey):
        yield
        return
    held = _join(Path(plan.folder))
    yield
    os.close(held)


def _with_number(url: str, more: int) -> str:
    """The same server, another of its databases."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(path=f"/{int(parts.path.strip('/') or 0) + more}"))


def _join(folder: Path) -> int:
    """Starts the keeper, unless another process of this run has. The keeper stays while the descriptor is open."""
    with locked(folder):
        pipe = folder / "users"
        if pipe.exists():
            return os.open(pipe, os.O_WRONLY)
        os.mkfifo(pipe, 0o600)
        with (folder / "keeper.log").open("wb") as log:
            keeper = subprocess.Popen(
                [sys.executable, str(_KEEPER)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,  # Ctrl-C is for pytest, and the keeper ends after it
            )
        until = time.monotonic() + _START_SECONDS
        while not (folder / "ready").exists():
            if keeper.poll() is not None or time.monotonic() > until:
                keeper.kill()
                keeper.wait()
                said = (folder / "keeper.log").read_text()
                shutil.rmtree(folder)
                pytest.exit(f"The tests' services did not start:\n{said}", returncode=3)
            time.sleep(0.01)
        keeper.returncode = 0  # it outlives us, and that is as it should be: no warning about it
        return os.open(pipe, os.O_WRONLY)


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """One process at a time. The folder is made where it is not, and anew where its keeper has removed it."""
    while True:
        folder.mkdir(mode=0o711, exist_ok=True)
        try:
            file = (folder / "lock").open("wb")
        except FileNotFoundError:
            continue
        with file:
            fcntl.flock(file, fcntl.LOCK_EX)
            if os.fstat(file.fileno()).st_nlink:
                yield
                return
