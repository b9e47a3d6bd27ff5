"""`manage.py load_demo`: a course to look at, with people, assignments and graded submissions."""

from __future__ import annotations

import sys
from typing import Any, NoReturn

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

from softmark.accounts.models import User
from softmark.config.demo.play import is_played, play
from softmark.config.demo.script import ADMINISTRATOR, read_script
from softmark.courses.models import Role
from softmark.coursework.importing import SandboxUnavailable
from softmark.grading.work import Bench
from softmark.home.demo_people import DOMAIN, PASSWORD, demo_people
from softmark.lessons.importing import Misplaced


class Command(BaseCommand):
    help = (
        "Makes the demo course, unless it is there or the site has people of its own. Its submissions are graded as "
        "any others. Only where DEMO=1 is set, as everybody may know the password of the demo's people."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--people", action="store_true", help="only print who is in the demo course, and their password"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["people"]:
            self._print_people()
            return
        if not settings.DEMO:
            self._stop(
                "The demo's people have a password that everybody may know. Set DEMO=1 where that does no harm."
            )
        if User.objects.exclude(email__endswith=f"@{DOMAIN}").exists():
            self.stdout.write("There are people here already, so the demo course is left out.")
            return
        fixtures = settings.REPOSITORY / "fixtures"
        if not (fixtures / "course.toml").exists():
            self._stop(
                "The demo course is made from a source tree of Softmark, and this is an installed package."
            )
        script = read_script(fixtures)
        if is_played(script, fixtures / "lessons"):
            self.stdout.write(f"The demo course “{script.title}” is here.")
            return
        bench = Bench()
        try:
            play(
                script,
                settings.REPOSITORY / "assignments",
                fixtures / "submissions",
                fixtures / "lessons",
                bench,
            )
        except SandboxUnavailable as unavailable:
            self._stop(f"Nothing can be graded here, so there is no demo course. {unavailable}")
        except Misplaced as misplaced:  # it was loaded by an older release, and people have predicted in it
            self.stdout.write(
                f"The demo course “{script.title}” stays as an older release made it. {' '.join(misplaced.sentences)} "
                "To have the newest, start with an empty data folder."
            )
            return
        finally:
            bench.close()
        self.stdout.write(f"The demo course “{script.title}” is ready.")

    def _print_people(self) -> None:
        rows = []
        for person in demo_people():
            roles = [Role(enrolment.role).label for enrolment in person.enrolments.all()] or [ADMINISTRATOR]
            rows.append((str(person), ", ".join(roles), person.email))
        if not rows:
            return
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        self.stdout.write(f"Sign in as one of these people, with the password {PASSWORD}:")
        for row in rows:
            cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
            self.stdout.write("  " + "  ".join(cells).rstrip())

    def _stop(self, sentence: str) -> NoReturn:
        self.stderr.write(sentence)
        sys.exit(2)
