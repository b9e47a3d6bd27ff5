"""A version as questions, once a process: its text is read again, never its keys from anywhere else."""

from __future__ import annotations

import base64
import threading
from collections.abc import Mapping
from dataclasses import dataclass, replace

import structlog

from grader.assignment.model import Problems
from softmark.lessons.models import LessonVersion
from softmark.lessons.written.drawn import Question, read_question
from softmark.lessons.written.lesson import Lesson
from softmark.lessons.written.source import read_lesson

log = structlog.get_logger(__name__)

KEPT = 32


class Unshowable(Exception):
    """A version that this release of the site cannot read. Its text is for learners."""


@dataclass(frozen=True)
class Compiled:
    """questions: by the id of their stop, in the order of the lesson."""

    lesson: Lesson
    questions: Mapping[str, Question]


_lock = threading.Lock()
_kept: dict[str, Compiled | Unshowable] = {}  # by digest, the one used last at the end


def compiled(version: LessonVersion) -> Compiled:
    """Raises Unshowable."""
    with _lock:
        found = _kept.pop(version.digest, None)
    if found is None:
        try:
            found = _compile(version)
        except Unshowable as unshowable:  # kept like the others, without what its traceback holds
            found = Unshowable(*unshowable.args)
    with _lock:
        _kept[version.digest] = found
        while len(_kept) > KEPT:
            del _kept[next(iter(_kept))]
    if isinstance(found, Unshowable):
        raise Unshowable(*found.args)
    return found


def _compile(version: LessonVersion) -> Compiled:
    text, data = LessonVersion.objects.values_list("text", "data").get(pk=version.pk)
    problems = Problems()
    lesson = read_lesson(f"{version.slug}.md", text, problems)
    questions = {}
    for predict in lesson.predicts if lesson is not None else ():
        question = read_question(predict, f"{version.slug}.md", problems)
        if question is not None and question.reckoned:
            questions[predict.id] = question
    faults = problems.sorted()
    if lesson is None or faults or len(questions) < len(lesson.predicts):
        log.error("lesson_unshowable", version=version.pk, problem=str(faults[0]) if faults else "")
        raise Unshowable(
            "This lesson cannot be shown at the moment: the site reads lessons in another way now. What you predicted "
            "is kept. Tell the staff of your course: they can import the lesson again for those who have not begun, "
            "and give points by hand."
        )
    files = {name: base64.b64decode(each) for name, each in data.items()}
    return Compiled(replace(lesson, data=files), questions)
