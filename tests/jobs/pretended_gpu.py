"""The site's Celery application on a machine that pretends to have a GPU: `celery -A tests.jobs.pretended_gpu`."""

from __future__ import annotations

from functools import partial

from grader import grade

grade.Grader = partial(grade.Grader, stand_in=True)  # before the tasks are imported, which use it

from softmark.config.celery import app  # noqa: E402, F401
