"""The bell: a message that carries a queue's name and nothing else."""

from __future__ import annotations

from functools import cache

import redis
import structlog
from celery import current_app
from django.conf import settings
from kombu import Connection
from kombu.exceptions import OperationalError
from kombu.pools import producers

log = structlog.get_logger(__name__)

DEFAULT = "default"  # the queue of chores
BURST = 1_000  # bells rung at once; the next round rings the rest


def ring(queue: str) -> None:
    """Rings once. Where the broker is away nothing is lost: the rows wait, and the reaper rings again."""
    try:
        with producers[_connection()].acquire(block=True) as producer:
            current_app.send_task("softmark.grading.tasks.hear", args=[queue], queue=queue, producer=producer)
    except (OperationalError, redis.RedisError) as error:
        log.warning("bell_not_rung", queue=queue, error=str(error))


@cache
def _connection() -> Connection:
    """For sending only: whoever hands something in does not wait for a broker that is away, or silent."""
    impatient = {"max_retries": 0, "socket_connect_timeout": 1, "socket_timeout": 2}
    return current_app.connection_for_write(transport_options=impatient)


def ring_for(queue: str, *, waiting: int) -> None:
    """Rings for every waiting row that has no bell yet; once where all is quiet, so that workers show themselves."""
    try:
        on_their_way = _length(queue)
    except redis.RedisError as error:
        log.warning("broker_away", error=str(error))
        return
    for _ in range(min(BURST, max(waiting, 1) - on_their_way)):
        ring(queue)


def _length(queue: str) -> int:
    with redis.Redis.from_url(settings.REDIS_URL, socket_timeout=5, socket_connect_timeout=5) as broker:
        return int(broker.llen(queue))
