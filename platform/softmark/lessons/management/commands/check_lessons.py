"""`manage.py check_lessons`: everything that is wrong with a folder of lessons, before anybody learns from it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, NoReturn

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

from grader.report import printable
from softmark.lessons.written.folder import FolderUnreadable, check_folder

NOT_FIT = 1
UNUSABLE = 2

_DEFAULT = Path("fixtures") / "lessons"


class Command(BaseCommand):
    help = (
        "Reads a folder of lessons and says what is wrong, with file and line: also what would give an answer away. "
        "Touches no database. Exit codes: 1 something is wrong, 2 the folder cannot be read."
    )
    requires_system_checks = ()
    requires_migrations_checks = False

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "folder",
            type=Path,
            nargs="?",
            metavar="FOLDER",
            help="by default fixtures/lessons, if it is there",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        folder = options["folder"]
        if folder is None:
            folder = settings.REPOSITORY / _DEFAULT
            if not folder.exists():
                self.stdout.write(f"There are no lessons: {_DEFAULT} is not there.")
                return
        try:
            checked = check_folder(folder)
        except FolderUnreadable as unreadable:
            self._stop(UNUSABLE, str(unreadable))
        count = _counted(len(checked.lessons), "lesson")
        for problem in checked.problems:
            place = folder if problem.file == "." else folder / problem.file
            line = "" if problem.line is None else f":{problem.line}"
            self.stdout.write(printable(f"{place}{line}: {problem.sentence}"))
        if checked.problems:
            self._stop(NOT_FIT, f"{_counted(len(checked.problems), 'problem')} in {count}.")
        stops = sum(len(lesson.predicts) for lesson in checked.lessons)
        self.stdout.write(f"{count} with {_counted(stops, 'stop')}: nothing is wrong.")

    def _stop(self, code: int, sentence: str) -> NoReturn:
        self.stderr.write(sentence)
        sys.exit(code)


def _counted(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"
