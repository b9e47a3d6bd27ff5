"""The tests' own services: started only when a test asks, and gone with the last process of the run."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.services.plugin import PLAN, Plan
from tests.services.waiting import eventually, processes_with

Run = Callable[..., subprocess.CompletedProcess[str]]

ASKS = """
import os, signal
def test_a(services):
    import psycopg, redis
    psycopg.connect(os.environ["DATABASE_URL"]).close()
    with redis.Redis.from_url(os.environ["REDIS_URL"]) as client:
        print("number", client.connection_pool.connection_kwargs["db"])
        client.ping()
    if os.environ.get("DIE"):
        os.kill(os.getpid(), signal.SIGKILL)
def test_b(services): pass
def test_c(services): pass
"""


@pytest.fixture
def plan(monkeypatch: pytest.MonkeyPatch) -> Plan:
    """Of a run inside this one."""
    for name in ("DATABASE_URL", "REDIS_URL", "PYTEST_XDIST_WORKER", PLAN):
        monkeypatch.delenv(name, raising=False)
    plan = Plan.new()
    monkeypatch.setenv("DATABASE_URL", "set by announce")  # so that monkeypatch takes them away again
    monkeypatch.setenv("REDIS_URL", "set by announce")
    monkeypatch.setenv(PLAN, "set by announce")
    plan.announce()
    return plan


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """A run of pytest with this plugin and little else: the others would take seconds."""
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = -q -p tests.services.plugin -p xdist\n")
    without = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}

    def run(tests: str, *options: str, **environment: str) -> subprocess.CompletedProcess[str]:
        (tmp_path / "test_nested.py").write_text(tests)
        command = [sys.executable, "-m", "pytest", *options, "test_nested.py"]
        return subprocess.run(
            command,
            cwd=tmp_path,
            env=os.environ | without | environment,
            capture_output=True,
            text=True,
            check=False,
        )

    return run


def test_a_run_without_need_starts_nothing(run: Run, plan: Plan) -> None:
    ended = run(f"import os\ndef test_a(): assert not os.path.exists({plan.folder!r})\n")
    assert ended.returncode == 0, ended.stdout
    assert not Path(plan.folder).exists()


def test_several_processes_share_and_nothing_is_left(run: Run, plan: Plan) -> None:
    ended = run(ASKS, "-n", "2", "-rP")
    assert ended.returncode == 0, ended.stdout
    assert "number 1" in ended.stdout or "number 2" in ended.stdout
    assert eventually(lambda: not Path(plan.folder).exists() and not processes_with(plan.folder))


def test_nothing_is_left_of_a_run_that_was_killed(run: Run, plan: Plan) -> None:
    ended = run(ASKS, "-n", "0", DIE="1")
    assert ended.returncode == -signal.SIGKILL
    assert eventually(lambda: not Path(plan.folder).exists() and not processes_with(plan.folder))


def test_services_that_are_given_are_used(run: Run, services: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(PLAN)
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)
    given = os.environ["DATABASE_URL"]
    ended = run(f"{ASKS}def test_d(): assert os.environ['DATABASE_URL'] == {given!r}\n")
    assert ended.returncode == 0, ended.stdout
