"""A folder of lessons: *.md, and beside them the data of their widgets and their pictures."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from grader.assignment.model import Problem, Problems
from grader.assignment.wording import did_you_mean
from softmark.lessons.written.data_files import MAX_BYTES, MAX_FILES, is_picture, is_table
from softmark.lessons.written.lesson import Lesson, Widget
from softmark.lessons.written.lint import check_lesson, check_together
from softmark.lessons.written.render import named_in
from softmark.lessons.written.source import MAX_CHARACTERS, read_lesson

MAX_LESSONS = 200


class FolderUnreadable(Exception):
    """There is no folder to look at; the text says why."""


@dataclass(frozen=True)
class Checked:
    """The lessons, fit to be shown only where there are no problems at all."""

    lessons: tuple[Lesson, ...]
    problems: tuple[Problem, ...]


def check_folder(folder: Path) -> Checked:
    """Reads every lesson of a folder and finds all that is wrong. Raises FolderUnreadable."""
    try:
        entries = {entry.name: Path(entry.path) for entry in os.scandir(folder)}
    except OSError as error:
        raise FolderUnreadable(f"The folder {folder} cannot be read: {error.strerror}.") from None
    problems = Problems()
    names = sorted(name for name in entries if name.endswith(".md") and not name.startswith("."))
    if not names:
        problems.add(".", None, "This folder holds no lesson: a lesson is a file that ends with .md.")
    if len(names) > MAX_LESSONS:
        problems.add(".", None, f"This folder holds more than {MAX_LESSONS} lessons, the most allowed.")
    lessons = []
    for name in names[:MAX_LESSONS]:
        text = _text(name, entries[name], problems)
        lesson = None if text is None else read_lesson(name, text, problems)
        if lesson is not None:
            lesson = replace(lesson, data=_data(lesson, entries, problems))
            check_lesson(lesson, problems)
            lessons.append(lesson)
    check_together(lessons, problems)
    return Checked(tuple(lessons), problems.sorted())


def check_texts(name: str, text: str, data: Mapping[str, bytes]) -> Checked:
    """The same for one lesson whose files are at hand already."""
    problems = Problems()
    lesson = read_lesson(name, text, problems)
    if lesson is None:
        return Checked((), problems.sorted())
    lesson = replace(lesson, data={each: data[each] for each in named_files(lesson) if each in data})
    for each, line in named_files(lesson).items():
        if each not in data:
            problems.add(name, line, f"There is no file {each} with this lesson.")
    check_lesson(lesson, problems)
    return Checked((lesson,), problems.sorted())


def named_files(lesson: Lesson) -> dict[str, int | None]:
    """The files beside the lesson that it names, each with a line that does; not those that no file may have."""
    found: dict[str, int | None] = {}
    for block in lesson.blocks:
        if isinstance(block, Widget):
            if is_table(block.data):
                found.setdefault(block.data, block.values.line("data"))
        elif "![" in block.source:  # to parse all of them takes longer than to show them
            for named in named_in(block.source):
                if named.kind == "picture" and is_picture(named.name):
                    found.setdefault(named.name, block.line + named.line)
    return found


def _data(lesson: Lesson, entries: Mapping[str, Path], problems: Problems) -> dict[str, bytes]:
    named = named_files(lesson)
    if len(named) > MAX_FILES:
        problems.add(lesson.file, None, f"This lesson names more than {MAX_FILES} files, the most allowed.")
        return {}
    data = {}
    for name, line in named.items():
        if name not in entries:
            problems.add(
                lesson.file, line, f"There is no file {name} beside this lesson.{did_you_mean(name, entries)}"
            )
        elif (read := _bytes(name, entries[name], MAX_BYTES, problems)) is not None:
            data[name] = read
    return data


def _text(name: str, path: Path, problems: Problems) -> str | None:
    data = _bytes(name, path, 4 * MAX_CHARACTERS, problems)
    try:
        return None if data is None else data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1 if data is not None else None
        problems.add(name, line, "This file is not text in UTF-8.")
        return None


def _bytes(name: str, path: Path, most: int, problems: Problems) -> bytes | None:
    """Of a plain file only: no link leads out of the folder, and no pipe makes anybody wait."""
    try:
        if not stat.S_ISREG(path.lstat().st_mode):
            problems.add(name, None, "This is no plain file.")
            return None
        with path.open("rb") as file:
            data = file.read(most + 1)
    except OSError as error:
        problems.add(name, None, f"This file cannot be read: {error.strerror}.")
        return None
    if len(data) > most:
        problems.add(name, None, f"This file is larger than {most // 1024} KiB, the most allowed.")
        return None
    return data
