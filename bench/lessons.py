"""A class that predicts at once: what a commit takes, beside a view that does nothing for the same people.

`python -m bench.lessons`. The site is served as in production. Each of fifty people is a thread that looks and commits
with pauses as people make them, short ones; the times are theirs, with all the waiting for one another.
"""

from __future__ import annotations

import http.client
import os
import random
import secrets
import socket
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from bench.harness import Row, show
from bench.site import services

if TYPE_CHECKING:
    from softmark.lessons.models import Lesson, Reading

PEOPLE = 50
ROUNDS = 4
PAUSE = 12.0  # seconds at most between two requests of one person
THREADS = 8  # of the web's process, as on a server
LESSONS = Path(__file__).resolve().parents[1] / "fixtures" / "lessons"
NOTHING, COMMIT, PAGE = "a view that does nothing", "a commit", "the page of a lesson"


@dataclass
class Person:
    """Somebody's browser, signed in. readings: what they have begun."""

    port: int
    session: str
    token: str
    readings: list[Reading]

    def ask(self, method: str, address: str, fields: dict[str, str] | None = None) -> float:
        """Seconds until the answer had come whole."""
        web = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        headers = {
            "Cookie": f"sessionid={self.session}; csrftoken={self.token}", "X-CSRFToken": self.token,
            "Content-Type": "application/x-www-form-urlencoded", "HX-Request": "true",
        }  # fmt: skip
        if method == "GET":
            del headers["HX-Request"]
        started = time.perf_counter()
        try:
            web.request(method, address, urlencode(fields) if fields else None, headers)
            answer = web.getresponse()
            answer.read()
        finally:
            web.close()
        assert answer.status == 200, (method, address, answer.status)
        return time.perf_counter() - started


@contextmanager
def web(folder: Path) -> Iterator[int]:
    """Serves the site at the port that is given."""
    from django.core.management import call_command

    from softmark.config.local.service import Service, stop

    call_command("collectstatic", verbosity=0, interactive=False)
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = int(probe.getsockname()[1])
    command = [sys.executable, "-m", "gunicorn", "bench.web", f"--bind=127.0.0.1:{port}"]
    command += ["--worker-class=gthread", f"--threads={THREADS}", "--workers=2", "--no-control-socket"]
    server = Service("web", command, folder / "web.log", os.environ).start()
    try:
        until = time.monotonic() + 60
        while not _is_alive(port):
            if time.monotonic() > until:
                sys.exit((folder / "web.log").read_text())
            time.sleep(0.1)
        yield port
    finally:
        stop([server])


def _is_alive(port: int) -> bool:
    server = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        server.request("GET", "/livez")
        return server.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        server.close()


def class_of(count: int, port: int) -> list[Person]:
    """People who have begun every lesson, and see its first stop."""
    from django.conf import settings
    from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
    from django.contrib.sessions.backends.db import SessionStore
    from django.utils import timezone

    from softmark.accounts.models import User
    from softmark.courses.models import Course, Enrolment
    from softmark.lessons.actions import begin, look
    from softmark.lessons.importing import bring, read_folder

    course = Course.objects.create(slug=f"bench-{secrets.token_hex(4)}", title="Bench")
    lessons: list[Lesson] = [placed.lesson for placed in bring(course, read_folder(LESSONS))]
    people = []
    for number in range(count):
        user = User.objects.create_user(f"{course.slug}-{number}@example.org", name=f"Student {number}")
        Enrolment.objects.create(course=course, user=user)
        now = timezone.now()
        readings = [begin(lesson, user, now) for lesson in lessons]
        for reading in readings:
            look(reading, now)
        session = SessionStore()
        session[SESSION_KEY] = str(user.pk)
        session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
        session[HASH_SESSION_KEY] = user.get_session_auth_hash()
        session.create()
        people.append(Person(port, str(session.session_key), secrets.token_hex(16), readings))
    return people


def commits(reading: Reading) -> tuple[str, dict[str, str]] | None:
    """Where and with what the stop that waits is answered; None where it cannot be done with one field."""
    from django.urls import reverse
    from django.utils import timezone

    from softmark.lessons.actions import look
    from softmark.lessons.standing import Asked

    asked = look(reading, timezone.now()).parts[-1].stop
    if not isinstance(asked, Asked):
        return None
    settings = asked.settings
    match asked.type:
        case "number":
            fields = {"answer": "12"}
        case "choice" | "choices":
            fields = {"answer": settings.options[0].id}
        case "order":
            fields = {"place": settings.items[0].id}
        case "token":
            fields = {"answer": "0"}
        case "vector" | "matrix":
            rows, columns = settings.shape
            row = f"[{', '.join(['1'] * columns)}]"
            fields = {"pasted": row if asked.type == "vector" else f"[{', '.join([row] * rows)}]"}
        case _:
            fields = {"answer": "A sentence about queries, keys and values."}
    item = reading.lesson.item
    return reverse("lessons:predict", args=[item.course.slug, item.slug, asked.id]), fields


def measure() -> list[Row]:
    """Prints what it sees, and returns the rows of the table."""
    taken: dict[str, list[float]] = {NOTHING: [], PAGE: [], COMMIT: []}
    with services() as folder, web(folder) as port:
        people = class_of(PEOPLE, port)
        for number in range(ROUNDS):
            plans = [commits(person.readings[number]) for person in people]

            def all_of(at: int, number: int = number, plans: list = plans) -> list[tuple[str, float]]:  # type: ignore[type-arg]
                person, plan = people[at], plans[at]
                item = person.readings[number].lesson.item
                page = f"/courses/{item.course.slug}/lessons/{item.slug}/"
                tasks = [(NOTHING, ("GET", "/nothing/")), (PAGE, ("GET", page))]
                tasks += [(COMMIT, ("POST", *plan))] if plan else []
                chance, seconds = random.Random(at), []
                chance.shuffle(tasks)
                for name, asked in tasks:
                    time.sleep(chance.uniform(0, PAUSE))
                    seconds.append((name, person.ask(*asked)))
                return seconds

            with ThreadPoolExecutor(PEOPLE) as pool:
                for told in pool.map(all_of, range(PEOPLE)):
                    for name, seconds in told:
                        taken[name].append(seconds)
    base = _p95(taken[NOTHING])
    table = [
        Row(name, 1000 * _p95(values), "ms", None if name == NOTHING else NOTHING,
            None if name == NOTHING else _p95(values) / base, 1000 * min(values), 1000 * max(values))
        for name, values in taken.items()
    ]  # fmt: skip
    print(
        f"{PEOPLE} people at once, the 95th of a hundred (in place of medians), {len(taken[COMMIT])} commits"
    )
    show(table)
    return table


def _p95(values: list[float]) -> float:
    return sorted(values)[min(len(values) - 1, round(len(values) * 0.95))]


if __name__ == "__main__":
    measure()
