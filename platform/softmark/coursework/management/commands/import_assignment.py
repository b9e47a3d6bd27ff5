"""`manage.py import_assignment FOLDER`: from a folder on disk to an assignment in a course."""

from __future__ import annotations

import sys
from argparse import ArgumentTypeError
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any, NoReturn

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandParser
from django.db import transaction

from grader.terminal.screen import Screen
from grader.terminal.verify_view import VerifyView
from grader.verify import Verification
from softmark.courses.actions import Terms
from softmark.courses.models import Course
from softmark.courses.wall_time import instant_at
from softmark.coursework.actions import Misplaced, place, publish
from softmark.coursework.importing import (
    AssignmentError,
    Folder,
    SandboxUnavailable,
    gate,
    load_assignment,
    published,
)
from softmark.coursework.models import AssignmentVersion
from softmark.coursework.words import what_was_done

# Exit codes, the same as the grader's own.
NOT_FIT = 1
UNUSABLE = 2
FAULT = 3

_EPILOG = (
    "Times are read on the clock of the course, like 2026-12-01 23:59; “none” takes a date away. What is not said "
    "stays as it was. Exit codes: 1 the assignment did not pass its own checks, 2 the folder or the command cannot be "
    "used, 3 a fault of the assignment or of this machine."
)


def _percent(text: str) -> Decimal:
    try:
        value = Decimal(text)
    except InvalidOperation:
        raise ArgumentTypeError(f"{text} is not a number") from None
    if not 0 <= value <= 100:
        raise ArgumentTypeError(f"{text} is not between 0 and 100")
    return value


def _count(text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise ArgumentTypeError(f"{text} is not a whole number from 0 on")
    return int(text)


class Command(BaseCommand):
    help = (
        "Reads an assignment folder, grades its solution, starter and known mistakes, and if nothing is missing keeps "
        "it as a version that never changes. With --course it becomes, or replaces, an assignment of that course."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.epilog = _EPILOG
        parser.add_argument("folder", type=Path, metavar="FOLDER")
        parser.add_argument("--course", metavar="SLUG", help="put it into this course")
        parser.add_argument(
            "--item-slug", metavar="SLUG", help="its name in addresses; by default the folder's"
        )
        parser.add_argument("--attempts", type=_count, metavar="N", help="how many submissions count; 0: all")
        parser.add_argument("--opens", metavar="TIME", help="when students may begin")
        parser.add_argument("--due", metavar="TIME", help="until when it is on time")
        parser.add_argument("--closes", metavar="TIME", help="until when late work is taken")
        parser.add_argument("--grace", type=_count, metavar="MINUTES", help="late by so much costs nothing")
        parser.add_argument("--percent-per-day", type=_percent, metavar="P", help="lost for each day begun")
        parser.add_argument("--floor", type=_percent, metavar="P", help="kept at least, however late")
        parser.add_argument("--dry-run", action="store_true", help="look at everything, save nothing")

    def handle(self, *args: Any, **options: Any) -> None:
        course = self._course(options)
        terms = self._terms(options, course)
        folder = self._folder(options["folder"])
        version = published(folder)
        verification = None
        if version is not None:
            self._say(f"{folder.title}, version {folder.version}, is here already: nothing was graded again.")
        else:
            verification = self._verified(folder, Screen(options.get("stdout") or sys.stdout, widest=160))
        if options["dry_run"]:
            self._say("Nothing was saved.")
            return
        with transaction.atomic():
            version = publish(verification) if verification is not None else version
            assert version is not None
            done = self._placed(course, version, options, terms) if course is not None else []
        if verification is not None:
            self._say(f"Published as version {version.version}.")
        for sentence in done:
            self._say(sentence)

    def _course(self, options: dict[str, Any]) -> Course | None:
        slug = options["course"]
        if slug is None:
            only = ("item_slug", "attempts", "opens", "due", "closes", "grace", "percent_per_day", "floor")
            if lost := [name for name in only if options[name] is not None]:
                flags = ", ".join("--" + name.replace("_", "-") for name in lost)
                self._stop(UNUSABLE, f"{flags}: only with --course.")
            return None
        course = Course.objects.filter(slug=slug).first()
        if course is None:
            there = ", ".join(Course.objects.values_list("slug", flat=True)) or "none so far"
            self._stop(UNUSABLE, f"There is no course “{slug}”. Courses: {there}. Make one under /admin/.")
        return course

    def _terms(self, options: dict[str, Any], course: Course | None) -> Terms:
        terms = Terms()
        if course is None:
            return terms
        try:
            if options["opens"] is not None:
                terms["opens_at"] = _time(options["opens"], course)
            if options["due"] is not None:
                terms["due_at"] = _time(options["due"], course)
            if options["closes"] is not None:
                terms["closes_at"] = _time(options["closes"], course)
        except ValueError as wrong:
            self._stop(UNUSABLE, str(wrong))
        if options["grace"] is not None:
            terms["grace_minutes"] = options["grace"]
        if options["percent_per_day"] is not None:
            terms["percent_per_day"] = options["percent_per_day"]
        if options["floor"] is not None:
            terms["floor_percent"] = options["floor"]
        return terms

    def _folder(self, path: Path) -> Folder:
        try:
            return load_assignment(path)
        except AssignmentError as error:
            count = len(error.problems)
            some = "1 problem" if count == 1 else f"{count} problems"
            self._stop(
                UNUSABLE,
                f"The folder {path} cannot be used: {some}.",
                *(f"  {each}" for each in error.problems),
            )

    def _verified(self, folder: Folder, screen: Screen) -> Verification:
        try:
            with VerifyView(screen, folder) as view:
                verification = gate(folder, on_row=view.row)
                view.finish(verification)
        except SandboxUnavailable as unavailable:
            self._stop(FAULT, str(unavailable))
        if verification.problems:
            self._stop(FAULT if verification.faulty else NOT_FIT, "Nothing was saved.")
        return verification

    def _placed(
        self, course: Course, version: AssignmentVersion, options: dict[str, Any], terms: Terms
    ) -> list[str]:
        """Puts it into the course, and says in sentences what that did."""
        try:
            placed = place(
                course, version, item_slug=options["item_slug"], attempts=options["attempts"], terms=terms
            )
        except Misplaced as misplaced:
            self._stop(UNUSABLE, str(misplaced), "Nothing was saved.")
        except ValidationError as invalid:
            self._stop(UNUSABLE, *invalid.messages, "Nothing was saved.")
        return what_was_done(course, version, placed)

    def _say(self, text: str) -> None:
        self.stdout.write(text)

    def _stop(self, code: int, *sentences: str) -> NoReturn:
        for sentence in sentences:
            self.stderr.write(sentence)
        sys.exit(code)


def _time(text: str, course: Course) -> Any:
    return None if text.strip().lower() == "none" else instant_at(text, course.zone)
