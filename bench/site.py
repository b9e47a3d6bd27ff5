"""The whole path: from a submission's row to its grade in the database, by a real worker; and many at once.

Everything runs as `make run` runs it: PostgreSQL and Valkey from wheels, on disk, and a worker of Celery.
"""

from __future__ import annotations

import os
import secrets
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from collections import Counter, defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from bench.grading import LARGE, SMALL
from bench.harness import Row, show
from grader.assignment import Assignment as Folder
from grader.assignment import digest_of, load_assignment
from grader.grade import Grader
from grader.source import Source

if TYPE_CHECKING:
    from softmark.accounts.models import User
    from softmark.config.local.service import Service
    from softmark.coursework.models import Assignment
    from softmark.submissions.models import Submission

STUDENTS = 40
PER_STUDENT = 5
_TICKS = os.sysconf("SC_CLK_TCK")


# Whose processor time it is, by a word of the command line.
_PARTS = {
    "judge_process": "judge",
    "inside.zygote": "child",
    "celery": "worker",
    "postgres": "PostgreSQL",
    "valkey": "Valkey",
}


@dataclass(frozen=True)
class Course:
    """A course with one assignment and people enough."""

    folder: Folder
    assignment: Assignment
    students: list[User]


@contextmanager
def services() -> Iterator[Path]:
    """PostgreSQL and Valkey in a folder that is removed afterwards, and Django set up to use them."""
    from softmark.config.local.postgres import Postgres
    from softmark.config.local.service import stop, wait_until_ready
    from softmark.config.local.valkey import Valkey

    with tempfile.TemporaryDirectory(prefix="softmark-bench-") as name:
        folder = Path(name)
        folder.chmod(0o711)
        postgres, valkey = Postgres(folder / "postgres", folder / "sockets"), Valkey(folder / "valkey")
        os.environ |= {
            "DATABASE_URL": postgres.url, "REDIS_URL": valkey.url, "SECRET_KEY": secrets.token_urlsafe(),
            "SECURE": "0", "DJANGO_SETTINGS_MODULE": "softmark.config.settings", "LOG_LEVEL": "WARNING",
            "SUBMISSIONS_PER_MINUTE": "100000", "ALLOWED_HOSTS": "127.0.0.1",
            "STATIC_ROOT": str(folder / "static"),
        }  # fmt: skip
        children = [
            _with_commit_times(postgres.service(folder / "postgres.log", os.environ)).start(),
            valkey.service(folder / "valkey.log", os.environ).start(),
        ]
        try:
            wait_until_ready(children)
            import django

            django.setup()
            from django.core.management import call_command

            call_command("migrate", verbosity=0)
            yield folder
        finally:
            stop(children)


@contextmanager
def site(processes: int) -> Iterator[None]:
    """The services, and a worker."""
    from softmark.config.local.service import Service, stop

    with services() as folder:
        command = [
            sys.executable,
            "-m",
            "celery",
            "-A",
            "softmark.config.celery",
            "worker",
            "-Q",
            "grade.cpu",
        ]
        command += ["-c", str(processes), "-Ofair", "--without-gossip", "--without-mingle"]
        worker = Service("worker", command, folder / "worker.log", os.environ).start()
        try:
            _until_workers_are_there(processes)
            yield
        finally:
            stop([worker])


def _with_commit_times(postgres: Service) -> Service:
    """So that nobody need ask the database again and again whether a grade is there yet."""
    return replace(postgres, command=[*postgres.command, "-c", "track_commit_timestamp=on"])


def _until_workers_are_there(count: int) -> None:
    from softmark.grading.models import Worker

    while Worker.objects.count() < count:
        time.sleep(0.1)


def course(folder: Path) -> Course:
    """A fresh course with the assignment of a folder."""
    from softmark.accounts.models import User
    from softmark.courses import models as courses
    from softmark.coursework.models import Assignment, AssignmentVersion

    loaded = load_assignment(folder)
    slug = f"bench-{secrets.token_hex(4)}"
    made = courses.Course.objects.create(slug=slug, title=loaded.title)
    item = courses.Item.objects.create(
        course=made, slug=loaded.slug, title=loaded.title, points=loaded.points
    )
    version = AssignmentVersion.objects.create(
        slug=loaded.slug, version=loaded.version, digest=digest_of(loaded.files), title=loaded.title,
        function=loaded.function, signature=loaded.signature, points=loaded.points, files=dict(loaded.files),
        verification={},
    )  # fmt: skip
    students = []
    for number in range(STUDENTS):
        student = User.objects.create_user(f"{slug}-{number}@example.org", name=f"Student {number}")
        courses.Enrolment.objects.create(course=made, user=student)
        students.append(student)
    return Course(loaded, Assignment.objects.create(item=item, version=version), students)


def hand_in(where: Course, student: User, source: Source) -> int:
    """As the page does it, without the page."""
    from softmark.submissions.actions import submit

    return submit(where.assignment, student, source, "", uuid.uuid4(), datetime.now(UTC)).pk


def latency(where: Course, rounds: int) -> list[Row]:
    """One at a time, beside a warm grader in this process, in turn."""
    from softmark.grading.models import Run
    from softmark.submissions.models import Status, Submission

    source = Source(where.folder.files["solution.py"])
    whole, inside, alone = [], [], []
    with Grader() as grader:
        for number in range(rounds + 3):
            direct = grader.grade(where.folder, source, seed=number).seconds
            time.sleep(0.05)  # both have time to make the next fork in advance
            started = time.time()
            pk = hand_in(where, where.students[number % STUDENTS], source)
            while Submission.objects.filter(pk=pk).exclude(status=Status.GRADED).exists():
                time.sleep(0.02)
            taken = _committed_at(pk) - started
            if number >= 3:
                whole.append(taken)
                inside.append(Run.objects.get(submission=pk).seconds)
                alone.append(direct)
            time.sleep(0.05)
    added = [path - own for path, own in zip(whole, inside, strict=True)]
    base = "a warm grader beside it"
    named = {
        base: alone,
        "the same in the worker": inside,
        "from submit to graded": whole,
        "what queue and database add": added,
    }
    return [_row(name, values, base, alone) for name, values in named.items()]


def _committed_at(pk: int) -> float:
    """When the transaction that wrote the grade was committed, by the clock of this machine."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT extract(epoch FROM pg_xact_commit_timestamp(xmin)) FROM submissions_submission WHERE id = %s",
            [pk],
        )
        return float(cursor.fetchone()[0])


def _row(name: str, values: list[float], base: str, baseline: list[float]) -> Row:
    ordered = sorted(1000 * value for value in values)
    ratio = None if name == base else statistics.median(values) / statistics.median(baseline)
    return Row(
        name, statistics.median(ordered), "ms", None if name == base else base, ratio,
        ordered[len(ordered) // 10], ordered[min(len(ordered) - 1, round(len(ordered) * 0.95))],
    )  # fmt: skip


@dataclass(frozen=True)
class Burst:
    """What came of STUDENTS who hand in PER_STUDENT times each, all at once.

    per_second: from the first hand-in to the last grade. shares: of the processor time, by whose it was.
    overtakings: how often one student was served at most while another waited for their turn.
    """

    per_second: float
    shares: dict[str, float]
    overtakings: int


def burst(where: Course) -> Burst:
    from django.db import connection

    from softmark.submissions.models import Status, Submission

    source = Source(where.folder.files["solution.py"])
    before = processor_time()
    started = time.perf_counter()

    def all_of(student: User) -> list[int]:
        try:
            return [hand_in(where, student, source) for _ in range(PER_STUDENT)]
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        made = [pk for pks in pool.map(all_of, where.students) for pk in pks]
    waiting = Submission.objects.filter(pk__in=made).exclude(status=Status.GRADED)
    while waiting.exists():
        time.sleep(0.02)
    taken = time.perf_counter() - started
    spent = {name: seconds - before[name] for name, seconds in processor_time().items()}
    graded = Submission.objects.filter(pk__in=made)
    assert graded.filter(claim_no=1, runs__isnull=False).count() == len(made), "not each graded once"
    whole = sum(spent.values())
    shares = {name: spent[name] / whole for name in sorted(spent, key=spent.__getitem__, reverse=True)}
    return Burst(len(made) / taken, shares, overtakings(list(graded)))


def overtakings(graded: list[Submission]) -> int:
    """While somebody waited for their turn, how often was one other student served at most? 1 is fair."""
    by_claim = sorted(graded, key=_claimed_at)
    last: dict[int, datetime] = {}
    worst = 0
    for each in by_claim:
        began = max(each.received_at, last.get(each.student_id, each.received_at))
        meanwhile = Counter(
            other.student_id
            for other in by_claim
            if began < _claimed_at(other) < _claimed_at(each) and other.student_id != each.student_id
        )
        worst = max([worst, *meanwhile.values()])
        last[each.student_id] = _claimed_at(each)
    return worst


def _claimed_at(submission: Submission) -> datetime:
    assert submission.claimed_at is not None
    return submission.claimed_at


def processor_time() -> dict[str, float]:
    """Seconds so far of all that this process started, and of itself; forks count with the zygote that reaped them."""
    sums: dict[str, float] = defaultdict(float)
    for pid in _descendants(os.getpid()):
        try:
            command = Path(f"/proc/{pid}/cmdline").read_text("utf-8", "replace")
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        whose = next((name for mark, name in _PARTS.items() if mark in command), None)
        if whose is not None:
            sums[whose] += sum(map(int, fields[11:15])) / _TICKS
    sums["handing in"] += sum(os.times()[:2])
    return sums


def _descendants(root: int) -> list[int]:
    listing = subprocess.run(["ps", "-eo", "pid=,ppid="], capture_output=True, text=True, check=True).stdout
    parents = {int(pid): int(parent) for pid, parent in (line.split() for line in listing.splitlines())}
    found = [root]
    for pid in found:  # grows as it goes
        found += [child for child, parent in parents.items() if parent == pid]
    return found[1:]


def measure(rounds: int) -> list[Row]:
    """Prints what it sees, and returns the rows of the table."""
    table = []
    with site(processes=2):
        for size, folder in (("small", SMALL), ("large", LARGE)):
            where = course(folder)
            print(f"The whole path, one submission at a time ({folder.name})")
            one = latency(where, rounds)
            show(one)
            many = burst(where)
            shares = ", ".join(f"{name} {share:.0%}" for name, share in many.shares.items())
            print(
                f"{STUDENTS} students, {PER_STUDENT} submissions each, at once: {many.per_second:.1f} per second."
            )
            print(
                f"Processor time: {shares}. While one waited, no other was served more than {many.overtakings} times.\n"
            )
            table += [replace(row, name=f"{size}: {row.name}") for row in one]
            table.append(Row(f"{size}: whole path, many at once", many.per_second, "per s", None, None, 0, 0))
    return table
