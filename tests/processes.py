"""Processes of the site for tests: a web server, workers."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

PATIENCE = 120.0  # seconds; nothing here takes nearly as long on a machine that is not busy
SITE = "softmark.config.celery"
_ROOT = Path(__file__).resolve().parent.parent


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
        self.process.wait(180)

    def kill(self) -> None:
        """All at once, as a power cut would."""
        # The parent first: it would start others for those of its pool that are gone.
        for pid in [self.process.pid, *self.pool()]:
            with suppress(ProcessLookupError):  # it has just ended by itself
                os.kill(pid, signal.SIGKILL)
        self.process.wait()


def start_celery(
    environment: Mapping[str, str], log: Path, queues: Iterable[str], processes: int = 1, app: str = SITE
) -> CeleryProcess:
    """A worker, ready to grade."""
    command = [
        sys.executable, "-m", "celery", "-A", app, "worker", "-Q", ",".join(queues),
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


class Workers:
    """The workers of the tests in this process: one that they share, as starting one takes seconds, or their own."""

    def __init__(self, environment: Mapping[str, str], folder: Path) -> None:
        self._environment, self._folder = environment, folder
        self._shared: CeleryProcess | None = None
        self._own: list[CeleryProcess] = []
        self._started = 0

    def shared(self) -> CeleryProcess:
        """A worker of every queue that grades, not to be harmed."""
        if self._shared is None:
            self._shared = self._start(["grade.cpu", "grade.batch"], 1)
        return self._shared

    def start(self, *queues: str, processes: int = 1, app: str = SITE, **environment: str) -> CeleryProcess:
        """One to be killed, with more in its environment where asked for. `end_all` comes before the first."""
        self._own.append(self._start(queues, processes, app, **environment))
        return self._own[-1]

    def end_all(self) -> None:
        for worker in [*self._own, *filter(None, [self._shared])]:
            if worker.process.poll() is None:
                worker.kill()
        self._own, self._shared = [], None

    def _start(
        self, queues: Iterable[str], processes: int, app: str = SITE, **environment: str
    ) -> CeleryProcess:
        self._started += 1
        log = self._folder / f"{self._started}.log"
        return start_celery({**self._environment, **environment}, log, queues, processes, app)


@dataclass
class WebProcess:
    """The web server, as `make run` and the container start it."""

    process: subprocess.Popen[bytes]
    url: str
    log: Path

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(180)


def start_web(environment: Mapping[str, str], folder: Path) -> WebProcess:
    """With its static files collected into the folder. Ready to answer."""
    environment = {**environment, "STATIC_ROOT": str(folder / "static")}
    collect = [sys.executable, str(_ROOT / "manage.py"), "collectstatic", "--noinput", "-v0"]
    subprocess.run(collect, env=environment, check=True)
    log = folder / "web.log"
    with socket.socket() as listener, log.open("wb") as file:
        listener.bind(("127.0.0.1", 0))
        listener.listen(128)
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        command = [
            sys.executable, "-m", "gunicorn", "softmark.config.wsgi", f"--bind=fd://{listener.fileno()}",
            "--worker-class=gthread", "--threads=8", "--no-control-socket", "--graceful-timeout=4",
            "--access-logfile=-",
        ]  # fmt: skip
        process = subprocess.Popen(
            command, env=environment, stdout=file, stderr=file, pass_fds=[listener.fileno()]
        )

    def answers() -> bool:
        assert process.poll() is None, f"the web server ended:\n{log.read_text()}"
        try:
            urllib.request.urlopen(f"{url}/livez", timeout=5).close()
        except (OSError, urllib.error.URLError):
            return False
        return True

    eventually(answers, "a web server that answers")
    return WebProcess(process, url, log)
