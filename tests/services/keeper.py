"""Keeps the tests' services running for as long as a process of the run uses them; then removes all of it."""

from __future__ import annotations

import os
import select
import shutil
import signal
import sys
from pathlib import Path

from softmark.config.local.service import Child, stop, wait_until_ready
from softmark.config.local.trouble import Trouble
from tests.services.plugin import Plan, locked


def main() -> None:
    plan = Plan.from_environment()
    assert plan is not None
    folder = Path(plan.folder)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    children: list[Child] = []
    try:
        if plan.valkey:
            children.append(plan.valkey_server().service(folder / "valkey.log", os.environ).start())
        if plan.postgres:
            children.append(plan.postgres_server().service(folder / "postgres.log", os.environ).start())
        wait_until_ready(children)
        users = os.open(folder / "users", os.O_RDONLY | os.O_NONBLOCK)
        (folder / "ready").touch()
        wait_for_the_last(users, folder, children)
    except Trouble as trouble:
        sys.exit(str(trouble))
    finally:
        stop(children)


def wait_for_the_last(users: int, folder: Path, children: list[Child]) -> None:
    poll = select.poll()
    poll.register(users, 0)
    while True:
        poll.poll()  # returns when nobody has the pipe open any more
        with locked(folder):  # whoever is just joining holds the lock, and has the pipe open when it is ours
            if poll.poll(0):
                stop(children)
                shutil.rmtree(folder)
                return


if __name__ == "__main__":
    main()
