"""What stands between `make run` and a site that answers, told in sentences."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
import redis

from softmark.config.local import site
from softmark.config.local.service import stop, wait_until_ready
from softmark.config.local.trouble import Trouble
from softmark.config.local.valkey import Valkey, free_port
from tests.services.waiting import eventually, processes_with


@pytest.fixture
def taken() -> Iterator[int]:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        yield listener.getsockname()[1]


def start(folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """`make run`, where it is not expected to get far."""
    return subprocess.run(
        [sys.executable, "-m", "softmark.config.local"],
        env=os.environ | {"SOFTMARK_DATA": str(folder), "PORT": str(free_port())} | environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=180,
    )


def test_a_busy_port_is_said_with_who_has_it_and_which_to_try(tmp_path: Path, taken: int) -> None:
    ended = start(tmp_path, PORT=str(taken))
    assert ended.returncode == 1
    assert f"Port {taken} is in use by process {os.getpid()} (" in ended.stderr
    assert f"make run PORT={taken + 1}" in ended.stderr
    assert "Traceback" not in ended.stderr


@pytest.mark.parametrize("port", ["http", "0", "65536", "-1"])
def test_a_port_that_is_none(tmp_path: Path, port: str) -> None:
    assert f"PORT={port} is not a port" in start(tmp_path, PORT=port).stderr


def test_an_address_of_another_machine(tmp_path: Path) -> None:
    with pytest.raises(Trouble, match=r"cannot listen at 192\.0\.2\.1 port 8000"):
        site.listen("192.0.2.1", 8000)
    with pytest.raises(Trouble, match="HOST=no such host is not an address"):
        site.listen("no such host", 8000)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("DATABASE_URL", "postgres://somebody:secret@127.0.0.1:1/softmark"),
        ("DATABASE_URL", "nonsense"),
        ("REDIS_URL", "redis://:secret@127.0.0.1:1/0"),
        ("REDIS_URL", "nonsense"),
    ],
)
@pytest.mark.usefixtures("services")
def test_a_server_that_is_named_and_not_there(tmp_path: Path, name: str, value: str) -> None:
    given = {"DATABASE_URL": os.environ["DATABASE_URL"]} if name == "REDIS_URL" else {}
    ended = start(tmp_path, **given, **{name: value})
    assert ended.returncode == 1
    assert f"that {name} names cannot be used: " in ended.stderr
    assert "Without" in ended.stderr
    assert "secret" not in ended.stderr
    assert "Traceback" not in ended.stderr
    assert not processes_with(str(tmp_path))


@pytest.mark.parametrize("driver", [True, False])
@pytest.mark.parametrize("library", [True, False])
def test_what_needs_a_gpu_is_graded_here_only_where_one_can_be_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, driver: bool, library: bool
) -> None:
    if driver:
        (tmp_path / "nvidiactl").touch()
    if library:
        (tmp_path / "cupy.py").write_text("raise AssertionError('this takes seconds')")
    monkeypatch.setattr(site, "_GPU", tmp_path / "nvidiactl")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *(each for each in sys.path if "-packages" not in each)])
    gpu = "grade.gpu," if driver and library else ""
    assert site.queues() == f"default,grade.cpu,{gpu}grade.batch"


def test_valkey_keeps_what_it_was_told_and_opens_only_to_its_password(tmp_path: Path) -> None:
    for expected in (None, b"value"):
        server = Valkey(tmp_path / "valkey")
        child = server.service(tmp_path / "valkey.log", os.environ).start()
        try:
            wait_until_ready([child])
            with redis.Redis.from_url(server.url) as client:
                assert client.get("key") == expected
                assert client.config_get("maxmemory-policy") == {"maxmemory-policy": "noeviction"}
                client.set("key", "value")
            with redis.Redis(port=server.port) as stranger, pytest.raises(redis.AuthenticationError):
                stranger.ping()
        finally:
            stop([child])


PAIR = """
import sys
from pathlib import Path
from softmark.config.local import __main__ as local
from softmark.config.local.folder import Folder
from softmark.config.local.leftovers import MARK
from softmark.config.local.parent import Parent
import os

folder = Folder(Path(sys.argv[1]))
parent = Parent(folder, local.say)
urls = local.start_services(parent, folder, os.environ | {MARK: str(folder.path)})
print(urls["DATABASE_URL"], urls["REDIS_URL"], flush=True)
parent.watch()
parent.stop(local.ORDER)
"""


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[tuple[subprocess.Popen[str], str, str]]:
    """PostgreSQL and Valkey under a parent, and where they are."""
    own = {name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "REDIS_URL")}
    with subprocess.Popen(
        [sys.executable, "-c", PAIR, str(tmp_path)], env=own, stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout is not None
        assert "Making a database" in parent.stdout.readline()
        database, broker = parent.stdout.readline().split()
        yield parent, database, broker
        if parent.poll() is None:
            parent.terminate()
            assert parent.wait(120) == 0
    assert eventually(lambda: not processes_with(str(tmp_path)))


Pair = tuple[subprocess.Popen[str], str, str]


def test_postgres_and_valkey_come_back_with_their_data(pair: Pair) -> None:
    _, database, broker = pair
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute("CREATE TABLE kept ()")
        process = connection.execute("SELECT pg_backend_pid()").fetchone()
    assert process is not None
    with redis.Redis.from_url(broker) as client:
        client.set("key", "value")
        client.wait(0, 0)
        eventually(lambda: client.info("persistence")["aof_pending_bio_fsync"] == 0)
        os.kill(client.info("server")["process_id"], signal.SIGKILL)
        assert eventually(lambda: answers(client))
        assert client.get("key") == b"value"
    with psycopg.connect(database) as connection:
        os.kill(postmaster_of(connection.info.backend_pid), signal.SIGKILL)

    def is_back() -> bool:
        try:
            with psycopg.connect(database) as connection:
                return connection.execute("SELECT count(*) FROM kept").fetchone() == (0,)
        except psycopg.OperationalError:
            return False

    assert eventually(is_back)


def test_a_killed_parent_leaves_neither(pair: Pair, tmp_path: Path) -> None:
    parent, database, broker = pair
    with redis.Redis.from_url(broker) as client:
        valkey = Path("/proc", str(client.info("server")["process_id"]))
    assert valkey.exists()
    with psycopg.connect(database):  # one that is in use
        parent.kill()
        parent.wait()
        assert eventually(lambda: not processes_with(str(tmp_path)))
    assert eventually(lambda: not valkey.exists())
    assert "database system is shut down" in (tmp_path / "logs" / "postgres.log").read_text()


def test_everything_ends_in_order_when_nobody_reads_what_it_says(pair: Pair, tmp_path: Path) -> None:
    parent, _, _ = pair
    assert parent.stdout is not None
    parent.stdout.close()
    parent.terminate()
    assert parent.wait(120) == 0
    assert "bye bye" in (tmp_path / "logs" / "valkey.log").read_text()


def answers(client: redis.Redis) -> bool:
    try:
        return bool(client.ping())
    except redis.RedisError:
        return False


def postmaster_of(backend: int) -> int:
    return int(Path(f"/proc/{backend}/stat").read_text().rpartition(")")[2].split()[1])
