"""Which processes grade, and whether any is there: each says so when it starts and whenever it hears a bell."""

from __future__ import annotations

import hashlib
import os
import socket
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path

from django.db.models import Max
from django.db.models.functions import Now
from django.utils import timezone

from softmark.coursework import queue as uploads
from softmark.grading.models import Worker
from softmark.grading.queue import is_busy
from softmark.submissions.models import Status, Submission

ROLL_CALL_SECONDS = 30.0  # an idle worker hears a bell at least so often
_BELIEVED = timedelta(seconds=3 * ROLL_CALL_SECONDS)
_KEPT = timedelta(days=1)


def announce(name: str, queue: str, rung: int | None, trouble: str) -> None:
    """Says that a process is there, in one statement."""
    Worker.objects.bulk_create(
        [Worker(name=name, queue=queue, rung=rung, trouble=trouble, seen_at=timezone.now())],
        update_conflicts=True, unique_fields=["name", "queue"], update_fields=["rung", "trouble", "seen_at"],
    )  # fmt: skip


def last_seen(queue: str) -> datetime | None:
    """When a process that can grade was last heard of on that queue."""
    found: datetime | None = Worker.objects.filter(queue=queue, rung__isnull=False).aggregate(
        at=Max("seen_at")
    )["at"]
    return found


def is_there(queue: str, seen_at: datetime | None) -> bool:
    """Whether somebody grades that queue: heard of lately, or busy right now."""
    if seen_at is not None and timezone.now() - seen_at < _BELIEVED:
        return True
    graded = Submission.objects.filter(queue=queue, status=Status.RUNNING, lease_until__gte=Now())
    return graded.exists() or uploads.is_claimed(queue)


def was_away(queue: str, seconds: float) -> bool:
    """Whether nobody was heard of on that queue for so long."""
    last = Worker.objects.filter(queue=queue).aggregate(at=Max("seen_at"))["at"]
    return last is None or timezone.now() - last > timedelta(seconds=seconds)


def heard_of_host(host: str, queue: str | None) -> bool:
    """Whether a worker of that machine is there, on that queue or on any."""
    found = Worker.objects.filter(name__startswith=f"{host}:", seen_at__gt=timezone.now() - _BELIEVED)
    if queue is not None:
        found = found.filter(queue=queue)
    return found.exists() or (queue is None and (is_busy(host) or uploads.is_busy(host)))


def forget_old() -> None:
    Worker.objects.filter(seen_at__lt=timezone.now() - _KEPT).delete()


def own_name() -> str:
    """host:process:start, the same for no two processes ever."""
    return f"{own_host()}:{os.getpid()}:{_started(os.getpid())}"


@cache
def own_host() -> str:
    """This machine, or container: two may have one name, but not one boot and one space of process numbers."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text() + os.readlink("/proc/self/ns/pid")
    except OSError:
        boot = ""
    return f"{socket.gethostname()[:50]}-{hashlib.sha256(boot.encode()).hexdigest()[:8]}"


def is_gone(worker: str) -> bool:
    """Whether that process, of this machine, has ended."""
    _, pid, started = worker.rsplit(":", 2)
    return _started(int(pid)) != started


def _started(pid: int) -> str:
    """When a process began, in clock ticks since the machine did: the number alone may be given away again."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return ""
    return "" if fields[0] == "Z" else fields[19]
