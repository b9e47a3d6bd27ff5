"""The page of a lesson, and what is sent from it."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from django.contrib import messages
from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from softmark.courses.access import CourseRequest, course_form, course_view
from softmark.courses.models import Role
from softmark.courses.policies import Allowed, Decision, Denied, may_see_course
from softmark.courses.queries import deadline_for
from softmark.lessons import actions, queries
from softmark.lessons.actions import Refused
from softmark.lessons.compiled import Unshowable, compiled
from softmark.lessons.inputs import posted_answer, posted_sure
from softmark.lessons.models import Lesson, Prediction
from softmark.lessons.page import Page, Typed, later_parts, parts_of, preview_of
from softmark.lessons.policies import may_begin, may_commit, may_read
from softmark.lessons.questions import Invalid

_BEFORE = "You have answered this question already, and the first answer counts. It is shown here."
_OVER = "Your time had run out before this came. What was in the form before counts, and is shown here."
_NOT_BEGUN = "You have not begun this lesson. Begin it, and answer its questions where they stand."


def may_predict(role: Role) -> Decision:
    """Staff read the lesson, and see what is behind its stops."""
    if role is Role.STUDENT:
        return Allowed()
    return Denied("Only students predict here. You belong to the staff of the course.")


@require_safe
@course_view(may_see_course)
def lesson(request: CourseRequest, item: str) -> HttpResponse:
    """The lesson as far as it is open to whoever asks."""
    found = _find(request, item)
    return _preview(request, found) if request.role.is_staff else _page(request, found)


@course_form(may_predict, "lessons:lesson", "course", "item")
def begin(request: CourseRequest, item: str) -> HttpResponse:
    found = _find(request, item)
    try:
        actions.begin(found, request.user, timezone.now())
    except Refused as refused:
        return _page(request, found, Typed("", (), None, refused.reason), status=409)
    return _see(found)


@course_form(may_predict, "lessons:lesson", "course", "item")
def predict(request: CourseRequest, item: str, stop: str) -> HttpResponse:
    """Takes a prediction, and leads to what it opens."""
    now = timezone.now()
    found = _find(request, item)
    texts, sure = posted_answer(request.POST), posted_sure(request.POST)
    reading = queries.reading_of(found, request.user)
    if reading is None:
        return _page(request, found, Typed("", tuple(texts), sure, _NOT_BEGUN), status=409)
    try:
        done = actions.commit(reading, stop, texts, sure, now)
    except Invalid as invalid:
        return _page(request, found, Typed(stop, tuple(texts), sure, str(invalid)), status=422)
    except Refused as refused:
        return _page(request, found, Typed(stop, tuple(texts), sure, refused.reason), status=409)
    if not done.is_new:
        by_time = done.prediction.how == Prediction.How.TIME_LIMIT
        messages.info(request, _OVER if by_time else _BEFORE)
    return _see(found, f"#revealed-{stop}")


def _find(request: CourseRequest, slug: str) -> Lesson:
    """The lesson. A hidden one is there for the staff."""
    found = queries.lesson_in(request.course, slug)
    if found is None or not (found.item.visible or request.role.is_staff):
        raise Http404("no such lesson")
    return found


def _page(
    request: CourseRequest, lesson: Lesson, typed: Typed | None = None, *, status: int = 200
) -> HttpResponse:
    """What a student sees."""
    now = timezone.now()
    reading = queries.reading_of(lesson, request.user)
    around = queries.circumstances(lesson, request.user, reading)
    version = lesson.version if reading is None else reading.version
    decision = may_begin(around, now) if reading is None else may_commit(around, now)
    page = Page(
        lesson, version, around.deadline, decision, reading=reading, shown=may_read(around, now).allowed,
        failed=typed is not None, problem=typed,
    )  # fmt: skip
    if page.shown and reading is not None:
        page = _opened(page, now)
    return render(request, "lessons/lesson.html", {"page": page}, status=status)


def _preview(request: CourseRequest, lesson: Lesson) -> HttpResponse:
    """What the staff see."""
    deadline = deadline_for(request.user, lesson.item)
    page = Page(lesson, lesson.version, deadline, Allowed(), is_staff=True)
    try:
        content = compiled(lesson.version)
        page = replace(page, parts=preview_of(content), stops=len(content.questions))
    except Unshowable as unshowable:
        page = replace(page, trouble=str(unshowable))
    return render(request, "lessons/lesson.html", {"page": page})


def _opened(page: Page, now: datetime) -> Page:
    assert page.reading is not None, "somebody has begun"
    try:
        standing = actions.look(page.reading, now)
        parts = parts_of(standing, page.decision.allowed, page.problem)
        locked = later_parts(compiled(page.reading.version), parts)
    except Refused as refused:
        return replace(page, trouble=refused.reason)
    problem = page.problem
    if problem is not None and page.decision.allowed and problem.stop == standing.reached:
        problem = None  # told beside the input
    return replace(
        page, parts=parts, locked=locked, stops=standing.stops, done=standing.done, problem=problem
    )


def _see(lesson: Lesson, anchor: str = "") -> HttpResponse:
    address = reverse("lessons:lesson", args=[lesson.item.course.slug, lesson.item.slug])
    return HttpResponseRedirect(address + anchor, status=303)
