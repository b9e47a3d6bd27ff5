"""From a folder of lessons to versions that never change, and to lessons of a course."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from django.db import transaction
from django.db.models import Max

from grader.assignment.model import Problem, Problems
from softmark.courses.actions import held_course
from softmark.courses.models import Course, Item
from softmark.lessons.compiled import Compiled, Unshowable, compiled
from softmark.lessons.models import Lesson, LessonVersion, Prediction
from softmark.lessons.queries import lessons_of
from softmark.lessons.written.folder import Checked, check_folder, check_texts, named_files
from softmark.lessons.written.lesson import Lesson as WrittenLesson
from softmark.lessons.written.source import read_lesson


@dataclass
class NotFit(Exception):
    """The lessons are not fit to be shown; all that is wrong with them, as `check_lessons` tells it."""

    problems: tuple[Problem, ...]


@dataclass
class Misplaced(Exception):
    """What was brought does not fit with what the course holds: sentences."""

    sentences: tuple[str, ...]


@dataclass(frozen=True)
class Placed:
    """What putting a version into a course did. moved_from: None where it is new there, or was there already."""

    lesson: Lesson
    is_new: bool
    moved_from: LessonVersion | None


def read_folder(folder: Path) -> tuple[WrittenLesson, ...]:
    """The lessons of a folder with which nothing is wrong. Raises NotFit or FolderUnreadable."""
    return _fit(check_folder(folder))


def read_texts(file: str, text: str, data: Mapping[str, bytes]) -> WrittenLesson:
    """The same for one: the text of the file called so, and the files beside it. Raises NotFit."""
    (lesson,) = _fit(check_texts(file, text, data))
    return lesson


def _fit(checked: Checked) -> tuple[WrittenLesson, ...]:
    if checked.problems:
        raise NotFit(checked.problems)
    return checked.lessons


def digest_of(text: str, data: Mapping[str, bytes]) -> str:
    """64 hexadecimal digits that change with a lesson's text and with any file."""
    digest = hashlib.sha256()
    parts = [text.encode()]
    for name in sorted(data):
        parts += [name.encode(), data[name]]
    for part in parts:
        digest.update(len(part).to_bytes(8, "big") + part)  # lengths keep the parts apart
    return digest.hexdigest()


def digests_in(folder: Path) -> dict[str, str]:
    """By id the digest of each lesson of a folder as it is now. Nothing is checked, so this is quick."""
    found = {}
    for path in sorted(folder.glob("*.md")):
        text = path.read_text("utf-8-sig")
        lesson = read_lesson(path.name, text, Problems())
        if lesson is not None:
            files = [folder / name for name in named_files(lesson)]
            data = {each.name: each.read_bytes() for each in files if each.is_file()}
            found[lesson.id] = digest_of(lesson.text, data)
    return found


def publish(lesson: WrittenLesson) -> tuple[LessonVersion, bool]:
    """Freezes what `read_folder` or `read_texts` gave, and says whether it is new: the same content is there once."""
    return LessonVersion.objects.get_or_create(
        slug=lesson.id,
        digest=digest_of(lesson.text, lesson.data),
        defaults={
            "kind": lesson.kind,
            "title": lesson.title,
            "minutes": lesson.minutes,
            "summary": lesson.summary,
            "text": lesson.text,
            "data": {name: base64.b64encode(each).decode() for name, each in lesson.data.items()},
        },
    )


@transaction.atomic
def bring(course: Course, lessons: Sequence[WrittenLesson]) -> tuple[Placed, ...]:
    """Freezes lessons and puts them into a course, all or none. Locks the course; raises Misplaced."""
    held_course(course)
    versions = [publish(each)[0] for each in lessons]
    if changed := tuple(_changed_ids(course, versions)):
        raise Misplaced(changed)
    return tuple(place(course, version) for version in versions)


@transaction.atomic
def place(course: Course, version: LessonVersion) -> Placed:
    """Puts a version into a course, or moves the lesson that is there to it: whoever has begun reads theirs to its end.

    Full marks, at first one for each stop, and the title are the course's own from then on. Locks the course, so that
    two imports at once do not both make the item. Raises Misplaced.
    """
    held_course(course)
    lesson = lessons_of(course).filter(version__slug=version.slug).first()
    if lesson is not None:
        was = lesson.version
        if was == version:
            return Placed(lesson, is_new=False, moved_from=None)
        lesson.version = version
        lesson.save(update_fields=["version"])
        return Placed(lesson, is_new=False, moved_from=was)
    if Item.objects.filter(course=course, slug=version.slug).exists():
        raise Misplaced(
            (
                f"The name “{version.slug}” is taken in {course}: another of its items is called so. Rename that one.",
            )
        )
    item = Item.objects.create(
        course=course,
        slug=version.slug,
        title=version.title,
        kind=Item.Kind.LESSON,
        points=len(compiled(version).questions),
        position=(course.items.aggregate(last=Max("position"))["last"] or 0) + 1,
    )
    return Placed(Lesson.objects.create(item=item, version=version), is_new=True, moved_from=None)


def _changed_ids(course: Course, versions: Sequence[LessonVersion]) -> Iterator[str]:
    """Sentences: which lesson or stop is there under another id, so that what was predicted would be lost from it."""
    coming = {version.slug for version in versions}
    placed = {lesson.version.slug: lesson for lesson in lessons_of(course)}
    for version in versions:
        new = compiled(version)
        lesson = placed.get(version.slug)
        if lesson is not None:
            yield from _changed_stops(lesson, version, new)
            continue
        for slug, other in placed.items():
            if slug not in coming and (
                other.version.title == version.title or _same_stops(other.version, new)
            ):
                yield (
                    f"“{version.title}” is in {course} already, with the id “{slug}”, and here it has the id "
                    f"“{version.slug}”. Give it back its id; if it is another lesson, give it another title and stops."
                )


def _changed_stops(lesson: Lesson, version: LessonVersion, new: Compiled) -> Iterator[str]:
    if lesson.version == version:
        return
    try:
        old = compiled(lesson.version).questions
    except Unshowable:
        return
    fresh = [each for each in new.questions if each not in old]
    gone = [each for each in old if each not in new.questions]
    if not (fresh and gone):
        return
    predicted = Prediction.objects.filter(
        draw__reading__lesson=lesson, draw__reading__trial=False, draw__question__in=gone
    )
    for stop in sorted(set(predicted.values_list("draw__question", flat=True))):
        yield (
            f"The stop “{stop}” of “{version.slug}” has predictions in {lesson.course} and is gone, and there is a new "
            f"one, “{fresh[0]}”. If it has only another id now, give it back its own. If they are two different "
            "stops, import the lesson without the old one first, and add the new one after that."
        )


def _same_stops(version: LessonVersion, new: Compiled) -> bool:
    try:
        return set(compiled(version).questions) == set(new.questions)
    except Unshowable:
        return False
