"""The page of questions that come back, and what is sent from it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

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

from softmark.courses.access import CourseRequest, course_form, course_view, told_when_signed_out
from softmark.courses.addresses import linked_items
from softmark.lessons import revisit_queries, revisiting, unsent
from softmark.lessons.actions import Refused
from softmark.lessons.compiled import Unshowable, compiled
from softmark.lessons.models import Draw, Reading, Revisit
from softmark.lessons.pages.inputs import posted_answer, posted_sure
from softmark.lessons.pages.lesson import stop_alone
from softmark.lessons.pages.revisits import CameBackPage, LeftOut
from softmark.lessons.pages.sent import Typed, repeats
from softmark.lessons.policies import has_revisits
from softmark.lessons.questions import Invalid
from softmark.lessons.standing import came_back

_BEFORE = "You have answered this already, and the first answer stays. It is shown here."


@require_safe
@course_view(has_revisits)
def revisits(request: CourseRequest) -> HttpResponse:
    """The question that waits longest, with numbers of its own; or when the next one comes back."""
    return _page(request)


@require_safe
@course_view(has_revisits)
def revisited(request: CourseRequest, draw: int) -> HttpResponse:
    """What the commit opened."""
    found = _find(request, draw)
    if not found.reading.lesson.item.visible:
        raise Http404("the lesson is hidden")
    if found.made is None:
        return HttpResponseRedirect(reverse("lessons:revisits", args=[request.course.slug]), status=303)
    return _page(request, found)


@course_form(has_revisits, "lessons:revisits", "course", keep=unsent.keep)
def revisit(request: CourseRequest, draw: int) -> HttpResponse:
    """Takes a prediction for practice, and leads to what it opens."""
    now = timezone.now()
    found = _find(request, draw)
    texts, sure = posted_answer(request.POST), posted_sure(request.POST)
    try:
        done = revisiting.commit(found, texts, sure, now)
    except Invalid as invalid:
        return _page(request, found, Typed(found.question, tuple(texts), sure, str(invalid)), status=422)
    except Refused as refused:
        return _page(request, found, Typed(found.question, tuple(texts), sure, refused.reason), status=409)
    if not (done.is_new or repeats(done.prediction, texts)):
        found = _find(request, draw)  # with its prediction
        return _page(request, found, Typed(found.question, tuple(texts), sure, _BEFORE), status=409)
    address = reverse("lessons:revisited", args=[request.course.slug, found.pk])
    return HttpResponseRedirect(f"{address}#revealed-{found.question}", status=303)


@told_when_signed_out
@course_form(has_revisits, "lessons:revisits", "course")
def draft(request: CourseRequest, draw: int) -> HttpResponse:
    """Keeps what stands in the form: the page sends it by itself."""
    found = _find(request, draw)
    try:
        kept = revisiting.save_draft(found, posted_answer(request.POST), timezone.now())
    except Refused as refused:
        return JsonResponse({"error": refused.reason}, status=409)
    return JsonResponse({"drafted_at": kept.drafted_at})


def _find(request: CourseRequest, pk: int) -> Draw:
    found = revisit_queries.later_draw(request.course, request.user, pk)
    if found is None:
        raise Http404("no such question that came back")
    return found


def _page(
    request: CourseRequest, draw: Draw | None = None, typed: Typed | None = None, *, status: int = 200
) -> HttpResponse:
    """With this draw, or with the one that is to be answered now."""
    now = timezone.now()
    revisits = revisit_queries.revisits_of(request.course, request.user)
    planned = revisit_queries.planned(revisits, now)
    page = CameBackPage(request.course, planned.due, planned.next_at, failed=typed is not None, problem=typed)
    if draw is None:
        page = _first(request, page, revisit_queries.due_one_by_one(revisits, now))
    elif draw.reading.lesson.item.visible:
        page = _shown(request, page, draw.reading, draw)
        its = revisits.filter(reading=draw.reading, question=draw.question)
        page = replace(page, again_at=its.values_list("due_at", flat=True).first())
    return render(request, "lessons/revisits.html", {"page": page}, status=status)


def _first(request: CourseRequest, page: CameBackPage, due: Iterable[Revisit]) -> CameBackPage:
    """With the first of those that can be shown, and with what its learner sent while they were signed out."""
    now = timezone.now()
    for each in due:
        try:
            draw = revisiting.look(each, now)
            typed = unsent.take_revisit(request.session, draw) if draw else None
            if draw and typed:
                revisiting.save_draft(draw, typed.texts, now)
                page = replace(page, problem=typed)
        except Refused as refused:
            out = LeftOut(each.reading.lesson.item.title, refused.reason)
            page = replace(page, due=page.due - 1, left_out=(*page.left_out, out))
            continue
        if draw is not None:
            page = _shown(request, page, each.reading, draw)
            if page.stop is not None:
                return page
            page = replace(page, due=page.due - 1)
    return page


def _shown(request: CourseRequest, page: CameBackPage, reading: Reading, draw: Draw) -> CameBackPage:
    item = reading.lesson.item
    try:
        came = came_back(reading, compiled(reading.version), draw, draw.made)
    except Unshowable as unshowable:
        return replace(page, left_out=(*page.left_out, LeftOut(item.title, str(unshowable))))
    stop = stop_alone(came, page.problem, linked_items(item, hidden=False))
    told = stop.form is not None or stop.not_taken is not None
    return replace(
        page,
        draw=draw.pk,
        token=unsent.revisit_token(draw.pk),
        item=item,
        stop=stop,
        problem=None if told else page.problem,
    )
