"""The site's own processes: the web, the worker, beat, and the job that prepares the database for them."""

from __future__ import annotations

import errno
import http.client
import importlib.util
import ipaddress
import os
import socket
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from softmark.config.local.folder import Folder
from softmark.config.local.service import Service
from softmark.config.local.trouble import Trouble

WEB_THREADS = 8
# Bells of short tasks first, of live submissions next: the order is the order of service (see config.celery).
_QUEUES = ("default", "grade.cpu", "grade.gpu", "grade.batch")
_GPU = Path("/dev/nvidiactl")  # made by the driver
_LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
_EVERYWHERE = ("0.0.0.0", "::", "")


@dataclass(frozen=True)
class Site:
    folder: Folder
    listener: socket.socket
    environment: Mapping[str, str]

    @classmethod
    def at(cls, listener: socket.socket, folder: Folder, environment: Mapping[str, str]) -> Site:
        """The site at a socket that is open already; `environment` holds where its services are."""
        ours = {"DJANGO_SETTINGS_MODULE": "softmark.config.settings", "PYTHONUNBUFFERED": "1"}
        ours |= {"DEBUG": "0", "SECURE": "0"}  # without https: it is for this machine
        host = listener.getsockname()[0]
        hosts = ",".join([*_LOOPBACK, host, socket.gethostname()])
        ours["ALLOWED_HOSTS"] = environment.get("ALLOWED_HOSTS") or hosts
        # Everybody may know the password of the demo's people.
        private = ipaddress.ip_address(host).is_loopback and not environment.get("ALLOWED_HOSTS")
        ours["DEMO"] = environment.get("DEMO") or ("1" if private else "0")
        ours["STATIC_ROOT"] = environment.get("STATIC_ROOT") or str(folder.path / "static")
        ours["SECRET_KEY"] = environment.get("SECRET_KEY") or folder.secret_key()
        return cls(folder, listener, {**environment, **ours})

    @property
    def address(self) -> str:
        host, port = self.listener.getsockname()[:2]
        host = "127.0.0.1" if host in _EVERYWHERE else host
        return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"

    def prepare(self, note: Path) -> Service:
        return self._service("prepare", ["-m", "softmark.config.local.prepare", str(note)], patience=60.0)

    def web(self) -> Service:
        descriptor = self.listener.fileno()
        command = [
            "-m",
            "gunicorn",
            "softmark.config.wsgi",
            f"--bind=fd://{descriptor}",
            "--no-control-socket",
        ]
        command += ["--worker-class=gthread", f"--threads={WEB_THREADS}", "--preload", "--graceful-timeout=4"]
        command += ["--access-logfile=-"]
        if os.access("/dev/shm", os.W_OK):
            command += ["--worker-tmp-dir=/dev/shm"]
        return self._service("web", command, descriptors=(descriptor,), patience=6.0)

    def worker(self) -> Service:
        command = ["-m", "celery", "-A", "softmark.config.celery", "worker", "-Q", queues(), "-O", "fair"]
        command += ["-c", str(max(1, processors() - 1)), "--without-gossip", "--without-mingle", "-l", "INFO"]
        return self._service(
            "worker", command, patience=10.0
        )  # what it grades is taken up again at the next start

    def beat(self) -> Service:
        schedule = self.folder.path / "beat-schedule"
        command = ["-m", "celery", "-A", "softmark.config.celery", "beat", "--schedule", str(schedule)]
        return self._service("beat", [*command, "--pidfile=", "-l", "INFO"])

    def _service(
        self, name: str, command: list[str], descriptors: tuple[int, ...] = (), patience: float = 5.0
    ) -> Service:
        return Service(
            name=name,
            command=[sys.executable, "-P", *command],
            log=self.folder.fresh_log(name),
            environment=self.environment,
            is_ready=self._answers if name == "web" else lambda process: True,
            patience=patience,
            descriptors=descriptors,
        )

    def _answers(self, process: int) -> bool:
        """Whether the web says anything at all; the socket itself is open long before."""
        host, port = urlsplit(self.address).hostname or "", self.listener.getsockname()[1]
        web = http.client.HTTPConnection(host, port, timeout=5)
        try:
            web.request("GET", "/livez")
            web.getresponse()
        except (OSError, http.client.HTTPException):
            return False
        finally:
            web.close()
        return True


def queues() -> str:
    """What the worker listens to: what needs a GPU only where one can be used."""
    can_use_gpu = _GPU.exists() and importlib.util.find_spec("cupy") is not None
    return ",".join(queue for queue in _QUEUES if queue != "grade.gpu" or can_use_gpu)


def processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def listen(host: str, port: int) -> socket.socket:
    """The web's socket. The parent keeps it: while the web starts again, browsers wait instead of failing."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host or None, port, type=socket.SOCK_STREAM)[
            0
        ]
    except OSError:
        raise Trouble(f"HOST={host} is not an address of this machine.") from None
    listener = socket.socket(family, kind, protocol)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(address)
        listener.listen(128)
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRINUSE:
            other = port + 1 if port < 65535 else port - 1
            raise Trouble(
                f"Port {port} is in use{_user_of(port)}. Stop that, or choose another port: make run PORT={other}"
            ) from None
        if error.errno == errno.EACCES:
            raise Trouble(
                f"Ports below 1024 are not for everybody, {port} neither: make run PORT=8000"
            ) from None
        raise Trouble(f"The site cannot listen at {host} port {port}: {error.strerror}.") from None
    return listener


def _user_of(port: int) -> str:
    """By whom, as far as one may know."""
    sockets = {f"socket:[{inode}]" for inode in _listening(port)}
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if any(os.readlink(each) in sockets for each in (folder / "fd").iterdir()):
                words = (
                    (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace").strip()
                )
                return f" by process {folder.name} ({words[:80]})"
    return " by another program"


def _listening(port: int) -> Iterator[str]:
    """The sockets that listen at a port, by the numbers that the system gives them."""
    for table in ("tcp", "tcp6"):
        with suppress(OSError):
            for line in Path("/proc/net", table).read_text().splitlines()[1:]:
                fields = line.split()
                if fields[1].endswith(f":{port:04X}") and fields[3] == "0A":
                    yield fields[9]


def check_database(url: str) -> None:
    """Whether the server that DATABASE_URL names can be used. Raises Trouble."""
    import psycopg

    try:
        psycopg.connect(url, connect_timeout=5).close()
    except psycopg.Error as error:
        reason = (str(error).strip().splitlines() or ["no reason given"])[-1]
        raise Trouble(
            f"The database that DATABASE_URL names cannot be used: {reason}\n"
            "Is the server running, and are address, name and password right? "
            "Without DATABASE_URL, Softmark starts a PostgreSQL of its own."
        ) from None


def check_broker(url: str) -> None:
    """Whether the server that REDIS_URL names can be used. Raises Trouble."""
    import redis

    try:
        with redis.Redis.from_url(url, socket_connect_timeout=5, socket_timeout=5) as client:
            client.ping()
    except (redis.RedisError, ValueError) as error:
        raise Trouble(
            f"The broker that REDIS_URL names cannot be used: {error}\n"
            "Is the server running, and are address and password right? "
            "Without REDIS_URL, Softmark starts a Valkey of its own."
        ) from None
