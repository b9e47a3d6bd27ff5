"""`manage.py worker_health`: for the health checks of containers."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from softmark.grading import workers


class Command(BaseCommand):
    help = "Exit 0 where a worker of this machine was heard of lately or is busy, else 1."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--queue", help="by default any of those that grade")

    def handle(self, *args: Any, queue: str | None, **options: Any) -> None:
        if not workers.heard_of_host(workers.own_host(), queue):
            raise CommandError("No worker of this machine was heard of lately.")
        self.stdout.write("A worker of this machine is at work.")
