"""`make run`: the whole site on this machine, from the data folder up, until Ctrl-C."""

from __future__ import annotations

import errno
import os
import socket
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from softmark.config.local import site as sites
from softmark.config.local.folder import Folder
from softmark.config.local.leftovers import MARK
from softmark.config.local.parent import Parent, Stopped
from softmark.config.local.postgres import Postgres
from softmark.config.local.prepare import Prepared
from softmark.config.local.service import Service
from softmark.config.local.site import Site
from softmark.config.local.trouble import Trouble
from softmark.config.local.valkey import Valkey

REPOSITORY = Path(__file__).resolve().parents[4]
FOR_COMMANDS = ("DATABASE_URL", "REDIS_URL", "SECRET_KEY", "SECURE", "DEMO", "STATIC_ROOT")
# Users of what comes later in the list end first.
ORDER = (("beat", "worker", "web"), ("valkey",), ("postgres",))


@dataclass(frozen=True)
class Wishes:
    """What the environment asks for."""

    folder: Path
    host: str
    port: int

    @classmethod
    def from_environment(cls) -> Wishes:
        port = os.environ.get("PORT", "").strip() or "8000"
        if not port.isdigit() or not 0 < int(port) < 65536:
            raise Trouble(f"PORT={port} is not a port: it must be a number from 1 to 65535.")
        return cls(data_folder(), os.environ.get("HOST", "").strip() or "127.0.0.1", int(port))


def data_folder() -> Path:
    return Path(os.environ.get("SOFTMARK_DATA", "").strip() or REPOSITORY / "var").expanduser()


def say(words: str) -> None:
    _write(words, sys.stdout)


def complain(words: str) -> None:
    _write(f"\n{words}", sys.stderr)


def _write(words: str, stream: TextIO) -> None:
    """Whoever was reading may have gone, a closed terminal say; everything is to end in order all the same."""
    try:
        print(words, file=stream, flush=True)
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def main() -> int:
    try:
        wishes = Wishes.from_environment()
        folder = Folder(wishes.folder)
        try:
            with sites.listen(wishes.host, wishes.port) as listener:
                return run(folder, listener)
        finally:
            folder.close()
    except Trouble as trouble:
        complain(str(trouble))
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        complain(f"The disk is full: {error.filename or wishes.folder} could not be written.")
    except KeyboardInterrupt:
        pass  # before there was anything to stop
    return 1


def run(folder: Folder, listener: socket.socket) -> int:
    parent = Parent(folder, say)
    try:
        start(parent, folder, listener)
        parent.watch()
    except Stopped:
        pass
    except Trouble as trouble:
        complain(str(trouble))
        return 1
    finally:
        parent.stop(ORDER)
    say("Everything has stopped.")
    return 0


def start(parent: Parent, folder: Folder, listener: socket.socket) -> None:
    environment = os.environ | {MARK: str(folder.path)}
    environment |= start_services(parent, folder, environment)
    site = Site.at(listener, folder, environment)
    note = folder.path / "prepared.json"
    prepared = Prepared(note, site.environment)
    if not prepared.is_current():
        say("Preparing tables, static files and the demo course ...")
        parent.finish(site.prepare(note))
    web = parent.start(site.web())
    parent.start(site.worker())
    parent.wait([web])
    parent.start(site.beat())
    folder.note_site(site.address, {name: site.environment[name] for name in FOR_COMMANDS})
    say(summary(site, prepared.people()))


def start_services(parent: Parent, folder: Folder, environment: dict[str, str]) -> dict[str, str]:
    """PostgreSQL and Valkey, where no others are named; returns where they are."""
    database, broker = os.environ.get("DATABASE_URL"), os.environ.get("REDIS_URL")
    begun: list[Service] = []
    if database:
        sites.check_database(database)
    else:
        postgres = Postgres(folder.path / "postgres", folder.sockets)
        if not postgres.data.exists():
            say("Making a database for the site ...")
        begun.append(postgres.service(folder.fresh_log("postgres"), environment))
        database = postgres.url
    if broker:
        sites.check_broker(broker)
    else:
        valkey = Valkey(folder.path / "valkey")
        begun.append(valkey.service(folder.fresh_log("valkey"), environment))
        broker = valkey.url
    parent.check()
    parent.wait([parent.start(service) for service in begun])
    return {"DATABASE_URL": database, "REDIS_URL": broker}


def summary(site: Site, people: str) -> str:
    parts = [f"\nSoftmark is running at {site.address}"]
    if site.environment["DEMO"] == "0" and not os.environ.get("DEMO"):
        people = "There is no demo course, as others may reach this site. DEMO=1 loads it all the same."
    if people.strip():
        parts.append(people.strip("\n"))
    parts.append(f"Data and logs are in {site.folder.path}\nCtrl-C stops everything.")
    return "\n\n".join(parts)


if __name__ == "__main__":
    sys.exit(main())
