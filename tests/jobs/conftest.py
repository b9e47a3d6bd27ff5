"""Real workers, on the database and the broker of the test."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import redis
from django.conf import settings

PATIENCE = 120.0  # seconds; nothing here takes nearly as long on a machine that is not busy


def eventually(condition: Callable[[], bool], what: str, seconds: float = PATIENCE) -> None:
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until, f"not within {seconds:g} seconds: {what}"
        time.sleep(0.02)


@dataclass
class CeleryProcess:
    """One process of Celery with its pool, and where its log is."""

    process: subprocess.Popen[bytes]
    log: Path

    def pool(self) -> list[int]:
        """The processes that grade."""
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        return [int(pid) for pid in children.read_text().split()]

    def stop(self) -> None:
        """Warm: what is being graded is finished."""
        self.process.terminate()
        self.process.wait(60)

    def kill(self) -> None:
        """All at once, as a power cut would."""
        for pid in [*self.pool(), self.process.pid]:
            os.kill(pid, signal.SIGKILL)
        self.process.wait()


@pytest.fixture
def broker() -> Iterator[redis.Redis]:
    """The broker of the test, empty."""
    with redis.Redis.from_url(settings.REDIS_URL) as client:
        client.flushdb()
        yield client
        client.flushdb()


_shared: list[CeleryProcess] = []  # a worker that tests may use as it is: starting one takes seconds


@pytest.fixture
def worker(
    site_environment: dict[str, str], broker: redis.Redis, tmp_path_factory: pytest.TempPathFactory
) -> CeleryProcess:
    """A worker of every queue that grades, not to be harmed."""
    if not _shared:
        log = tmp_path_factory.mktemp("worker") / "log"
        _shared.append(_start(site_environment, log, ["grade.cpu", "grade.batch"], 1))
    return _shared[0]


@pytest.fixture(scope="session", autouse=True)
def _no_worker_is_left() -> Iterator[None]:
    yield
    _end_shared()


def _end_shared() -> None:
    while _shared:
        _shared.pop().kill()


@pytest.fixture
def start_worker(
    site_environment: dict[str, str], broker: redis.Redis, tmp_path: Path
) -> Iterator[Callable[..., CeleryProcess]]:
    """`start_worker("grade.cpu", processes=2)`, ready to grade; to be killed, and the only ones there are."""
    _end_shared()
    started: list[CeleryProcess] = []

    def start(*queues: str, processes: int = 1) -> CeleryProcess:
        started.append(_start(site_environment, tmp_path / f"worker-{len(started)}.log", queues, processes))
        return started[-1]

    yield start
    for worker in started:
        if worker.process.poll() is None:
            worker.kill()


def _start(environment: dict[str, str], log: Path, queues: Iterable[str], processes: int) -> CeleryProcess:
    command = [
        sys.executable, "-m", "celery", "-A", "softmark.config.celery", "worker", "-Q", ",".join(queues),
        "-c", str(processes), "-Ofair", "--without-mingle", "--without-gossip",
        "-n", f"{log.parent.name}-{log.name}@here",
    ]  # fmt: skip
    with log.open("wb") as file:
        process = subprocess.Popen(command, env=environment, stdout=file, stderr=file)

    def is_ready() -> bool:
        assert process.poll() is None, f"the worker ended:\n{log.read_text()}"
        return b" ready." in log.read_bytes()

    eventually(is_ready, "a worker that is ready")
    return CeleryProcess(process, log)
