"""`manage.py import_lessons FOLDER --course SLUG`: from a folder on disk to lessons of a course."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, NoReturn

from django.core.management.base import BaseCommand, CommandParser

from grader.report import printable
from softmark.courses.models import Course
from softmark.lessons.importing import Misplaced, NotFit, Placed, bring, read_folder
from softmark.lessons.written.folder import FolderUnreadable
from softmark.lessons.written.lesson import Lesson

# Exit codes, as those of check_lessons.
NOT_FIT = 1
UNUSABLE = 2


class Command(BaseCommand):
    help = (
        "Reads a folder of lessons as check_lessons does, and if nothing is wrong keeps each as a version that never "
        "changes and puts it into a course. A lesson that is there already moves to its new version; whoever has "
        "begun it reads the old one to its end. All are imported or none. Exit codes: 1 something is wrong with the "
        "lessons, 2 the folder or the command cannot be used."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", type=Path, metavar="FOLDER")
        parser.add_argument("--course", metavar="SLUG", required=True, help="the course to put them into")

    def handle(self, *args: Any, **options: Any) -> None:
        folder: Path = options["folder"]
        course = Course.objects.filter(slug=options["course"]).first()
        if course is None:
            there = ", ".join(Course.objects.values_list("slug", flat=True)) or "none so far"
            self._stop(
                UNUSABLE,
                f"There is no course “{options['course']}”. Courses: {there}. Make one under /admin/.",
            )
        for placed in self._placed(folder, course):
            self.stdout.write(_in_words(placed))

    def _placed(self, folder: Path, course: Course) -> tuple[Placed, ...]:
        try:
            return bring(course, self._read(folder))
        except NotFit as not_fit:
            told = [
                f"{folder if problem.file == '.' else folder / problem.file}"
                f"{'' if problem.line is None else f':{problem.line}'}: {problem.sentence}"
                for problem in not_fit.problems
            ]
            self._stop(NOT_FIT, *told, "Nothing was saved.")
        except Misplaced as misplaced:
            self._stop(NOT_FIT, *misplaced.sentences, "Nothing was saved.")

    def _read(self, folder: Path) -> tuple[Lesson, ...]:
        try:
            return read_folder(folder)
        except FolderUnreadable as unreadable:
            self._stop(UNUSABLE, str(unreadable))

    def _stop(self, code: int, *sentences: str) -> NoReturn:
        for sentence in sentences:
            self.stderr.write(printable(sentence))
        sys.exit(code)


def _in_words(placed: Placed) -> str:
    item, version = placed.lesson.item, placed.lesson.version
    if placed.is_new:
        return f"“{item}” is now a lesson of {item.course}, version {version.called}."
    if placed.moved_from is None:
        return f"“{item}” is in {item.course} with version {version.called} already."
    begun = placed.lesson.readings.filter(finished_at=None).exclude(version=version).count()
    told = f"“{item}” moved from version {placed.moved_from.called} to {version.called}."
    return f"{told} Whoever has begun it ({begun}) reads the version that they began." if begun else told
