"""What the workers do: hear a bell and grade one submission, or one file of an upload; look after claims and bells."""

from __future__ import annotations

import time
from typing import Any

import structlog
from celery import current_app, shared_task, signals

from grader.grade import SandboxUnavailable
from softmark.coursework import queue as uploads
from softmark.coursework.leases import LEASE_SECONDS
from softmark.grading import bell, letters, queue, workers
from softmark.grading.work import Bench
from softmark.submissions.models import Queue

log = structlog.get_logger(__name__)

_bench: Bench | None = None
_announced_at = 0.0


def bench() -> Bench:
    """This process's own: a fork of the pool makes one when it starts."""
    global _bench
    if _bench is None:
        _bench = Bench()
    return _bench


@signals.worker_process_init.connect
def _open(**kwargs: Any) -> None:
    """The zygotes die with the thread that starts them: the main one of a pool process, which is this."""
    if own_queues():
        _announce()


@signals.worker_process_shutdown.connect
def _close(**kwargs: Any) -> None:
    bench().close()


@shared_task(name="softmark.grading.tasks.hear")
def hear(queue_name: str) -> None:
    """One bell: grades whatever is next in the queue, if there is something."""
    if time.monotonic() - _announced_at > workers.ROLL_CALL_SECONDS / 2:
        _announce()
    try:
        # Somebody waits for an upload before its page; the rest of a batch has nobody waiting.
        found = (queue_name == Queue.BATCH and bench().verify_next()) or bench().grade_next(queue_name)
    except SandboxUnavailable as unavailable:
        log.error("sandbox_unavailable", reason=str(unavailable))
        if queue_name == Queue.BATCH:
            uploads.tell_trouble(str(unavailable))
        return
    if not found and _free_of_workers(queue_name):
        bell.ring(queue_name)


def _free_of_workers(queue_name: str) -> int:
    freed = queue.free_of_workers(workers.own_host(), workers.is_gone)
    if queue_name == Queue.BATCH:
        freed += uploads.free_of_workers(workers.own_host(), workers.is_gone)
    return freed


def own_queues() -> list[str]:
    """Those that this process grades."""
    return [name for name in current_app.amqp.queues.consume_from if name in Queue.values]


def _announce() -> None:
    """On all of its queues: whichever bell it was, the others are heard as well."""
    global _announced_at
    bench().announce(own_queues())
    _announced_at = time.monotonic()


@shared_task(name="softmark.grading.tasks.reap")
def reap() -> None:
    """Frees claims whose lease has run out, rings for rows that no bell announces, calls the roll, tells the staff."""
    if workers.was_away(bell.DEFAULT, LEASE_SECONDS):
        # So was the database, perhaps: whoever lives renews now, and who does not is found in the next round.
        log.warning("reaper_was_away")
    else:
        if freed := queue.free_expired():
            log.warning("leases_expired", submissions=freed)
        if freed := uploads.free_expired():
            log.warning("leases_expired", uploads=freed)
    workers.announce(workers.own_name(), bell.DEFAULT, None, "")
    for name in Queue.values:
        more = uploads.waiting() if name == Queue.BATCH else 0
        bell.ring_for(name, waiting=queue.waiting(name) + more)
    workers.forget_old()
    letters.send_due()
