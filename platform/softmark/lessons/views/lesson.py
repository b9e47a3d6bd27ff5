"""The page of a lesson, and what is sent from it."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from django.contrib import messages
from django.http import (
    Http404,
    HttpResponse,
    HttpResponseRedirect,
    JsonResponse,
)
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from softmark.courses.access import (
    CourseRequest,
    course_form,
    course_view,
    reloads_when_signed_out,
    told_when_signed_out,
)
from softmark.courses.addresses import linked_items
from softmark.courses.extra_time import said_limit
from softmark.courses.policies import Allowed, may_see_course
from softmark.courses.queries import deadline_for, time_factor_of
from softmark.lessons import actions, authoring, marking, queries, results, unsent
from softmark.lessons.actions import Refused
from softmark.lessons.compiled import Unshowable, compiled
from softmark.lessons.models import Lesson, Prediction, Reading
from softmark.lessons.pages.class_said import class_said
from softmark.lessons.pages.ideas import ideas_of
from softmark.lessons.pages.inputs import posted_answer, posted_sure
from softmark.lessons.pages.lesson import Links, Page, later_parts, parts_of, preview_of
from softmark.lessons.pages.rail import rail_of
from softmark.lessons.pages.sent import Typed, repeats
from softmark.lessons.pages.tally import tally_of
from softmark.lessons.policies import may_begin, may_commit, may_read, may_try
from softmark.lessons.questions import Invalid
from softmark.lessons.standing import Answered

_BEFORE = "You have answered this question already, and the first answer counts. It is shown here."
_OVER = "Your time had run out before this came. What was in the form before counts, and is shown here."
_OVER_WITHOUT = "Your time had run out before this came, and what was in the form before was no answer."
_TICKED = "You had ticked the ideas in your answer before, and the first time counts."
_NOT_BEGUN = "You have not begun this lesson. Begin it, and answer its questions where they stand."


@require_safe
@course_view(may_see_course)
def lesson(request: CourseRequest, item: str) -> HttpResponse:
    """The lesson as far as it is open to whoever asks. Staff who were signed out in a trial come back to it."""
    found = _find(request, item)
    if not request.role.is_staff:
        return _page(request, found)
    reading = (
        queries.own_reading(found, request.user, request.role) if unsent.waits(request.session) else None
    )
    if reading is not None and unsent.waits_for(request.session, reading):
        return _see(request, found)
    return _preview(request, found)


@require_safe
@course_view(may_try)
def trial(request: CourseRequest, item: str) -> HttpResponse:
    """The lesson for staff who try it: what a student sees."""
    return _page(request, _find(request, item))


# What is sent to a lesson is looked at of everybody who sees it; the actions ask whether it is taken.


@course_form(may_see_course, "lessons:lesson", "course", "item")
def begin(request: CourseRequest, item: str) -> HttpResponse:
    """Of staff it begins a new trial, also where there is one."""
    found = _find(request, item)
    start = authoring.begin_trial if request.role.is_staff else actions.begin
    try:
        start(found, request.user, timezone.now())
    except Refused as refused:
        return _page(request, found, Typed("", (), None, refused.reason), status=409)
    return _see(request, found)


@course_form(may_see_course, "lessons:lesson", "course", "item", keep=unsent.keep)
def predict(request: CourseRequest, item: str, stop: str) -> HttpResponse:
    """Takes a prediction, and leads to what it opens; htmx gets just that."""
    now = timezone.now()
    found = _find(request, item)
    texts, sure = posted_answer(request.POST), posted_sure(request.POST)
    reading = queries.own_reading(found, request.user, request.role)
    problem, status = None, 200
    if reading is None:
        problem, status = Typed("", tuple(texts), sure, _NOT_BEGUN), 409
    else:
        try:
            done = actions.commit(reading, stop, texts, sure, now)
            if not (done.is_new or repeats(done.prediction, texts)):
                problem, status = Typed(stop, tuple(texts), sure, _what_counts(done.prediction)), 409
        except Invalid as invalid:
            problem, status = Typed(stop, tuple(texts), sure, str(invalid)), 422
        except Refused as refused:
            problem, status = Typed(stop, tuple(texts), sure, refused.reason), 409
    if request.headers.get("HX-Request"):
        return _ahead(request, found, stop, problem, status)
    if problem is not None:
        return _page(request, found, problem, status=status)
    return _see(request, found, f"#revealed-{stop}")


@told_when_signed_out
@course_form(may_see_course, "lessons:lesson", "course", "item")
def draft(request: CourseRequest, item: str, stop: str) -> HttpResponse:
    """Keeps what stands in the form of a stop: the page sends it by itself."""
    reading = queries.own_reading(_find(request, item), request.user, request.role)
    if reading is None:
        return JsonResponse({"error": _NOT_BEGUN}, status=409)
    try:
        kept = actions.save_draft(reading, stop, posted_answer(request.POST), timezone.now())
    except Refused as refused:
        return JsonResponse({"error": refused.reason}, status=409)
    return JsonResponse({"drafted_at": kept.drafted_at})


@reloads_when_signed_out
@course_form(may_see_course, "lessons:lesson", "course", "item")
def tick(request: CourseRequest, item: str, stop: str) -> HttpResponse:
    """Takes which ideas somebody found in their own free text."""
    found = _find(request, item)
    reading = queries.own_reading(found, request.user, request.role)
    if reading is None:
        return _page(request, found, Typed("", (), None, _NOT_BEGUN), status=409)
    in_place = "HX-Request" in request.headers
    try:
        done = marking.tick(reading, stop, request.POST.getlist("idea"), timezone.now())
    except (Invalid, Refused) as refused:
        if in_place:  # the page has become another one
            return HttpResponse(headers={"HX-Refresh": "true"})
        sentence, status = (refused.reason, 409) if isinstance(refused, Refused) else (str(refused), 422)
        return _page(request, found, Typed("", (), None, sentence), status=status)
    if in_place:
        answered = queries.standing(reading).answered(stop)
        context = {"course": request.course.slug, "item": item, "stop": answered, "ideas": ideas_of(answered)}
        return render(request, "lessons/ideas.html", context | {"swapped": True, "was_said": not done.is_new})
    if not done.is_new:
        messages.info(request, _TICKED)
    return _see(request, found, f"#ideas-{stop}")


def _what_counts(before: Prediction) -> str:
    if before.how != Prediction.How.TIME_LIMIT:
        return _BEFORE
    return _OVER_WITHOUT if before.response is None else _OVER


def _find(request: CourseRequest, slug: str) -> Lesson:
    """The lesson. A hidden one is there for the staff."""
    found = queries.lesson_in(request.course, slug)
    if found is None or not (found.item.visible or request.role.is_staff):
        raise Http404("no such lesson")
    return found


def _page(
    request: CourseRequest, lesson: Lesson, typed: Typed | None = None, *, status: int = 200
) -> HttpResponse:
    """What a student sees, and staff in a trial."""
    page = _gather(request, lesson, typed)
    context = {"page": page, "rail": rail_of(page.parts, page.version.stop_word)}
    return render(request, "lessons/lesson.html", context, status=status)


def _ahead(
    request: CourseRequest, lesson: Lesson, stop: str, problem: Typed | None, status: int
) -> HttpResponse:
    """What takes the place of the stop that waited and of all behind it."""
    page = _gather(request, lesson, problem)
    parts = page.parts_from(stop)
    if not parts:
        if problem is not None:
            messages.error(request, problem.sentence)
        return HttpResponse(headers={"HX-Refresh": "true"})
    context = {"page": page, "parts": parts, "rail": rail_of(page.parts, page.version.stop_word)}
    return render(request, "lessons/ahead.html", context, status=status)


def _gather(request: CourseRequest, lesson: Lesson, typed: Typed | None) -> Page:
    now = timezone.now()
    trial = request.role.is_staff
    reading = queries.own_reading(lesson, request.user, request.role)
    if typed is None and reading is not None:
        typed = _unsent(request, reading, now)
    around = queries.circumstances(lesson, request.user, reading, trial=trial)
    version = lesson.version if reading is None else reading.version
    decision = may_begin(around, now) if reading is None else may_commit(around, now)
    page = Page(
        lesson, version, around.deadline, decision, reading=reading, shown=may_read(around, now).allowed,
        failed=typed is not None and bool(typed.sentence), problem=typed, trial=trial, now=now,
    )  # fmt: skip
    if page.begins and lesson.time_limit is not None:
        page = replace(page, limit=said_limit(lesson.time_limit, time_factor_of(lesson.course, request.user)))
    if page.shown and reading is not None:
        page = _opened(page, now, linked_items(lesson.item, hidden=trial))
    return page


def _unsent(request: CourseRequest, reading: Reading, now: datetime) -> Typed | None:
    """What its reader sent while they were signed out: it becomes their draft."""
    typed = unsent.take(request.session, reading)
    if typed is None:
        return None
    try:
        actions.save_draft(reading, typed.stop, typed.texts, now)
    except Refused as refused:
        return replace(typed, sentence=refused.reason, returned=True)
    return typed


def _preview(request: CourseRequest, lesson: Lesson) -> HttpResponse:
    """What the staff see."""
    deadline = deadline_for(request.user, lesson.item)
    page = Page(lesson, lesson.version, deadline, Allowed(), is_staff=True)
    try:
        content = compiled(lesson.version)
        links = linked_items(lesson.item, hidden=True)
        page = replace(page, parts=preview_of(content, links), stops=len(content.questions))
    except Unshowable as unshowable:
        page = replace(page, trouble=str(unshowable))
    return render(
        request, "lessons/lesson.html", {"page": page, "rail": rail_of(page.parts, page.version.stop_word)}
    )


def _opened(page: Page, now: datetime, links: Links) -> Page:
    assert page.reading is not None, "somebody has begun"
    try:
        standing = actions.look(page.reading, now)
        content = compiled(page.reading.version)
        answered = [part.stop.id for part in standing.parts if isinstance(part.stop, Answered)]
        said = class_said(content, answered, results.answers_of_class(page.reading, answered))
        parts = parts_of(standing, page.decision.allowed, page.problem, links, said)
        locked = later_parts(content, parts)
    except Refused as refused:
        return replace(page, trouble=refused.reason)
    problem = page.problem
    if problem is not None and (
        (page.decision.allowed and problem.stop == standing.reached)  # told beside the input
        or (problem.stop in answered and not problem.returned)  # told there
    ):
        problem = None
    token = unsent.form_token(page.reading, standing.reached) if standing.reached else ""
    return replace(
        page, parts=parts, locked=locked, stops=standing.stops, tally=tally_of(standing), problem=problem, token=token,
    )  # fmt: skip


def _see(request: CourseRequest, lesson: Lesson, anchor: str = "") -> HttpResponse:
    page = "lessons:trial" if request.role.is_staff else "lessons:lesson"
    address = reverse(page, args=[request.course.slug, lesson.item.slug])
    return HttpResponseRedirect(address + anchor, status=303)
