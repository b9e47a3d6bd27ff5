"""Chores of the site as a whole."""

from __future__ import annotations

from celery import shared_task
from django.core.management import call_command


@shared_task(name="softmark.config.tasks.clear_sessions")
def clear_sessions() -> None:
    """Sessions that have run out, and the texts that some of them kept for somebody who was signed out."""
    call_command("clearsessions")
