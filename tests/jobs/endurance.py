"""Fifty submissions while everything dies in turn: `python -m tests.jobs.endurance` prints what it saw as JSON.

The site is the one of `make run`, in a folder of its own. Each death is answered by its parent, by Celery, or by the
leases; what counts is that each submission is graded once, and that no attempt is lost or gained.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from softmark.config.local.folder import environment_of_running_site
from softmark.config.local.trouble import Trouble

STUDENTS, VICTIMS = 10, 5
PATIENCE = 240.0
SLOW = "import time\ntime.sleep(0.7)\n"  # long enough that somebody is always in the middle of something

T = TypeVar("T")


@contextmanager
def running_site(folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """The whole site; the environment of this process leads to its data."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    environment = {
        name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "REDIS_URL")
    }
    environment |= {
        "SOFTMARK_DATA": str(folder),
        "PORT": str(port),
        "DEMO": "0",
        "SUBMISSIONS_PER_MINUTE": "1000",
    }
    with (folder / "site.log").open("wb") as log:
        site = subprocess.Popen(
            [sys.executable, "-m", "softmark.config.local"], env=environment, stdout=log, stderr=log
        )
    try:
        until = time.monotonic() + PATIENCE
        while True:
            try:
                os.environ.update(environment_of_running_site(folder))
                break
            except Trouble:
                if site.poll() is not None or time.monotonic() > until:
                    sys.exit(f"the site did not start:\n{(folder / 'site.log').read_text()}")
                time.sleep(0.1)
        yield site
    finally:
        site.terminate()
        site.wait(180)


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="softmark-endurance-") as name:
        Path(name).chmod(0o711)
        with running_site(Path(name)) as site:
            print(json.dumps(endure(site.pid), indent=2))


def endure(parent: int) -> dict[str, object]:
    os.environ |= {"DJANGO_SETTINGS_MODULE": "softmark.config.settings", "SUBMISSIONS_PER_MINUTE": "1000"}
    import django

    django.setup()

    from grader.source import Source
    from softmark.accounts.models import User
    from softmark.gradebook.models import Event
    from softmark.grading.models import Run
    from softmark.submissions import queries
    from softmark.submissions.actions import submit
    from softmark.submissions.models import Status, Submission
    from tests.factories import enrol, make_assignment

    assignment = patient(lambda: make_assignment(attempts=VICTIMS))
    students = patient(lambda: [enrol(assignment.course) for _ in range(STUDENTS)])
    source = Source(SLOW + assignment.version.files["solution.py"])

    def hand_in(some: list[User]) -> None:
        for student in some:
            token = uuid.uuid4()  # the same for every try, as the form's is
            patient(lambda s=student, t=token: submit(assignment, s, source, "", t, datetime.now(UTC)))

    began = time.monotonic()
    recovery = {}
    victims = (
        ("pool process", lambda: pool_process(parent)),
        ("worker", lambda: service(parent, "softmark.config.celery worker")),
        ("beat", lambda: service(parent, "softmark.config.celery beat")),
        ("valkey", lambda: service(parent, "valkey-server")),
        ("postgres", lambda: service(parent, "bin/postgres")),
    )
    for victim, kill in victims:  # each student hands in once for each: half before the death, half after it
        count = patient(lambda: Run.objects.count())
        hand_in(students[::2])
        wait_until(lambda count=count: patient(lambda: Run.objects.count()) > count + 1, "progress")
        # PostgreSQL is restarted as an administrator would do it; all others are simply gone.
        os.kill(kill(), signal.SIGINT if victim == "postgres" else signal.SIGKILL)
        killed, count = time.monotonic(), patient(lambda: Run.objects.count())
        hand_in(students[1::2])
        wait_until(
            lambda count=count: patient(lambda: Run.objects.count()) > count, f"a grade after {victim}"
        )
        recovery[victim] = round(time.monotonic() - killed, 2)
    ours = Submission.objects.filter(assignment=assignment)
    wait_until(
        lambda: patient(lambda: ours.filter(status=Status.GRADED).count()) == STUDENTS * VICTIMS,
        "all graded",
    )
    runs = list(Run.objects.filter(submission__in=ours).values_list("submission", flat=True))
    return {
        "submissions": ours.count(),
        "graded": ours.filter(status=Status.GRADED).count(),
        "graded twice": len(runs) - len(set(runs)),
        "full marks": Run.objects.filter(submission__in=ours, verdict="passed").count(),
        "grade events": Event.objects.filter(submission__in=ours).count(),
        "attempts used": sum(queries.attempts_used(assignment, student) for student in students),
        "attempts given back": ours.filter(returned=True).count(),
        "deaths of workers under them": sum(ours.values_list("deaths", flat=True)),
        "seconds to the next grade after the death of": recovery,
        "seconds in all": round(time.monotonic() - began, 1),
    }


def patient(step: Callable[[], T]) -> T:
    """As a person who presses the button again when the page says that the database is away."""
    from django.db import InterfaceError, OperationalError, connection

    until = time.monotonic() + PATIENCE
    while True:
        try:
            return step()
        except (OperationalError, InterfaceError):
            connection.close()
            if time.monotonic() > until:
                raise
            time.sleep(0.1)


def wait_until(condition: Callable[[], bool], what: str) -> None:
    until = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < until, f"waited in vain for {what}"
        time.sleep(0.02)


def service(parent: int, words: str) -> int:
    """The process among the parent's own that has these words in its command line."""
    for pid in children(parent):
        if words in command(pid):
            return pid
    raise AssertionError(f"no process with {words!r}")


def pool_process(parent: int) -> int:
    return children(service(parent, "softmark.config.celery worker"))[0]


def children(pid: int) -> list[int]:
    found = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        found += [int(child) for child in (task / "children").read_text().split()]
    return found


def command(pid: int) -> str:
    return Path(f"/proc/{pid}/cmdline").read_text("utf-8", "replace").replace("\0", " ")


if __name__ == "__main__":
    main()
