"""What the workers do: hear a bell and grade one submission, or one file of an upload; look after claims and bells."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import structlog
from celery import current_app, shared_task, signals

from grader.grade import SandboxUnavailable
from softmark.coursework import queue as uploads
from softmark.coursework.leases import LEASE_SECONDS
from softmark.coursework.routing import Queue
from softmark.grading import bell, letters, queue, workers
from softmark.grading.work import Bench

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
    queues = own_queues()
    if queues:
        _announce()
    # It may take the place of one that died, and with it the bell that was heard.
    for queue_name in queues:
        _free_of_workers(queue_name)


@signals.worker_process_shutdown.connect
def _close(**kwargs: Any) -> None:
    bench().close()


@shared_task(name="softmark.grading.tasks.hear")
def hear(queue_name: str) -> None:
    """One bell: grades whatever is next in the queue, if there is something and this process can."""
    if time.monotonic() - _announced_at > workers.ROLL_CALL_SECONDS / 2:
        _announce()
    try:
        found = any(step(queue_name) for step in _steps(queue_name))
    except SandboxUnavailable as unavailable:
        log.error("sandbox_unavailable", queue=queue_name, reason=str(unavailable))
        uploads.tell_trouble(queue_name, str(unavailable))
        return
    if not found:
        _free_of_workers(queue_name)


def _steps(queue_name: str) -> tuple[Callable[[str], bool], Callable[[str], bool]]:
    """What a bell is for first, and what else: students go before uploads."""
    grade, verify = bench().grade_next, bench().verify_next
    # Somebody waits for an upload before its page; the rest of a batch has nobody waiting.
    return (verify, grade) if queue_name == Queue.BATCH else (grade, verify)


def _free_of_workers(queue_name: str) -> None:
    """Frees what the dead of this machine held of a queue, and rings for it."""
    freed = sum(
        each.free_of_workers(queue_name, workers.own_host(), workers.is_gone) for each in (queue, uploads)
    )
    for _ in range(freed):
        bell.ring(queue_name)


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
        bell.ring_for(name, waiting=queue.waiting(name) + uploads.waiting(name))
    workers.forget_old()
    letters.send_due()
