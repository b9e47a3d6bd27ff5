"""Logs: one line an event, for people on a terminal and as JSON elsewhere (LOG_FORMAT=json)."""

from __future__ import annotations

import os
from typing import Any

import structlog

_SHARED: list[Any] = [
    structlog.contextvars.merge_contextvars,
    structlog.processors.TimeStamper(fmt="iso"),
    structlog.stdlib.add_logger_name,
    structlog.stdlib.add_log_level,
    structlog.stdlib.PositionalArgumentsFormatter(),
]

_RENDERER: Any = (
    structlog.processors.JSONRenderer()
    if os.environ.get("LOG_FORMAT") == "json"
    else structlog.dev.ConsoleRenderer(  # its own tracebacks show the values of variables: passwords, people
        colors=False, exception_formatter=structlog.dev.plain_traceback
    )
)

LOGGING: dict[str, Any] = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "line": {
            "()": structlog.stdlib.ProcessorFormatter,
            "processor": _RENDERER,
            "foreign_pre_chain": [*_SHARED, structlog.processors.format_exc_info],
        }
    },
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["console"], "level": os.environ.get("LOG_LEVEL", "INFO")},
    "loggers": {
        "django_structlog": {"level": "WARNING"},  # a line a request is the web server's business
        "django.server": {"level": "WARNING"},
        "celery.worker.strategy": {"level": "WARNING"},  # two lines a bell
        "celery.app.trace": {"level": "WARNING"},
        "celery.beat": {"level": "WARNING"},  # a line for each round of the reaper
        "gunicorn.error": {"propagate": True},
    },
}


def configure_structlog() -> None:
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.stdlib.filter_by_level,
            *_SHARED[1:],
            structlog.processors.StackInfoRenderer(),
            structlog.processors.format_exc_info,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=True,
    )
