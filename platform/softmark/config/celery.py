"""The queue's settings. The broker carries bells only: what is to be done stands in the database.

Order of limits, each above the one before: the sandbox's own deadlines (one grading of the longest assignment, with
every retry, takes 39 minutes) < soft < hard < the broker's patience.
"""

from __future__ import annotations

import os
import sys
from logging.config import dictConfig
from typing import Any

from celery import Celery, signals
from celery.schedules import crontab
from django.conf import settings
from django.db import close_old_connections

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "softmark.config.settings")
# Django's checks load every page, and with the lessons numpy, which a process that only hands out work can do without.
# `manage.py migrate`, without which nothing starts, runs them.
os.environ.setdefault("CELERY_SKIP_CHECKS", "1")

SOFT_SECONDS = 40 * 60
HARD_SECONDS = SOFT_SECONDS + 60
REAP_SECONDS = 10.0
SETTLE_SECONDS = 60.0

app = Celery("softmark")
app.conf.update(
    broker_url=settings.REDIS_URL,
    broker_connection_retry_on_startup=True,
    broker_connection_max_retries=None,  # a broker may be away for an hour
    broker_transport_options={
        "visibility_timeout": 10 * HARD_SECONDS,
        # With the defaults a silent break of the network leaves a worker deaf for ever.
        "socket_timeout": 15,
        "socket_connect_timeout": 5,
        "socket_keepalive": True,
        "health_check_interval": 10,
        "queue_order_strategy": "priority",  # in the order of -Q: a batch never goes before a live submission
    },
    # A bell is answered when it is heard: what it rang for is in the database, and is rung for again. A late answer
    # that finds the broker gone leaves a worker deaf for ever: it counts the bell among those that it works on.
    task_acks_late=False,
    task_ignore_result=True,
    task_store_errors_even_if_ignored=False,
    task_soft_time_limit=SOFT_SECONDS,
    task_time_limit=HARD_SECONDS,
    task_default_queue="default",
    task_create_missing_queues=True,
    task_publish_retry=False,  # who submits does not wait for a broker that is away: the reaper rings again
    # A bell that nobody is free to hear stays where others hear it: Celery counts what it works on. The transport's own
    # count is off (0), as a bell whose answer finds the broker gone stays in it for ever, and the worker would be deaf.
    worker_disable_prefetch=True,
    worker_prefetch_multiplier=0,
    # A pool process opens its sandboxes before it says that it is up, and may have to wait for the database; a GPU that
    # does not answer is tried for a minute on each of two rungs. With the 4 seconds of the default a slow machine would
    # kill each of them for ever.
    worker_proc_alive_timeout=240.0,
    worker_soft_shutdown_timeout=20.0,
    worker_enable_soft_shutdown_on_idle=False,
    worker_cancel_long_running_tasks_on_connection_loss=False,
    worker_send_task_events=False,
    worker_enable_remote_control=False,  # nobody uses it, and whoever reached the broker could
    beat_schedule={
        "reap": {
            "task": "softmark.grading.tasks.reap",
            "schedule": REAP_SECONDS,
            "options": {"expires": REAP_SECONDS},
        },
        "settle-lessons": {
            "task": "softmark.lessons.tasks.settle_overdue",
            "schedule": SETTLE_SECONDS,
            "options": {"expires": SETTLE_SECONDS},
        },
        "clear-sessions": {
            "task": "softmark.config.tasks.clear_sessions",
            "schedule": crontab(hour="4", minute="7"),
        },
    },
    timezone="UTC",
)
app.autodiscover_tasks()


# Celery closes the database's connections before and after each task. A new one costs PostgreSQL a process, and a
# submission more time than all its statements; so they are kept as the web keeps its own: tried before they are used,
# and closed when they are old.
app.conf["CELERY_DB_REUSE_MAX"] = sys.maxsize


@signals.task_prerun.connect
def _close_old_connections(**kwargs: Any) -> None:
    close_old_connections()


@signals.setup_logging.connect
def _log_as_the_site_does(**kwargs: Any) -> None:
    """Celery's own lines go the way of all others."""
    dictConfig(settings.LOGGING)
