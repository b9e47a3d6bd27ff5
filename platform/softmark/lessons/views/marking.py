"""Staff read what students predicted, and mark it."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse, HttpResponseRedirect, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from softmark.courses.access import CourseRequest, course_form, course_view
from softmark.lessons import marking, marking_queries
from softmark.lessons.actions import Refused
from softmark.lessons.compiled import Unshowable
from softmark.lessons.forms import MarkForm
from softmark.lessons.marking import Conflict, Marking
from softmark.lessons.pages.marking import Desk, ListFilter, asked_in
from softmark.lessons.policies import may_mark
from softmark.lessons.views.finding import lesson_or_404
from softmark.lessons.words import percent

_STALE = (
    "This page was too old to take back a mark from it. Look at the marks that there are now, and try again."
)


def _with_a_desk(
    view: Callable[[CourseRequest, str, int], HttpResponse],
) -> Callable[[CourseRequest, str, int], HttpResponse]:
    """Leads back to the list where the site cannot show the version of a prediction."""

    @wraps(view)
    def shown(request: CourseRequest, item: str, prediction: int) -> HttpResponse:
        try:
            return view(request, item, prediction)
        except Unshowable as unshowable:
            messages.warning(request, str(unshowable))
            return _see(request, item, asked_in(request.GET))

    return shown


@require_safe
@course_view(may_mark)
def predictions(request: CourseRequest, item: str) -> HttpResponse:
    """The free texts of a lesson, or with `all=1` all predictions."""
    page = marking_queries.marking_page(
        lesson_or_404(request, item), asked_in(request.GET), request.GET.get("page", "1")
    )
    return render(request, "lessons/marking.html", {"page": page})


@require_safe
@course_view(may_mark)
@_with_a_desk
def mark(request: CourseRequest, item: str, prediction: int) -> HttpResponse:
    """One prediction, and what it is worth."""
    return _show(request, _desk(request, item, prediction))


@course_form(may_mark, "lessons:mark", "course", "item", "prediction")
@_with_a_desk
def save_mark(request: CourseRequest, item: str, prediction: int) -> HttpResponse:
    """Marks it, and leads to the next that nobody has read; or shows why not, with what was typed still there."""
    desk = _desk(request, item, prediction)
    form = _form(desk, request.POST)
    if not form.is_valid():
        return _show(request, desk, form, status=422)
    data = form.cleaned_data
    try:
        marking.mark(
            Marking(desk.prediction, request.user, data["seen"]),
            data["share"],
            data["comment"],
            timezone.now(),
        )
    except Conflict:
        return _show(request, _desk(request, item, prediction), form, since=data["seen"], status=409)
    except Refused as refused:
        form.add_error(None, refused.reason)
        return _show(request, desk, form, status=409)
    messages.success(request, f"Marked: {percent(data['share'])}.")
    following = marking_queries.next_to_read(desk.lesson, desk.prediction, desk.asked)
    if following is None:
        return _see(request, item, desk.asked)
    return _see(request, item, desk.asked, following, "#answer")


@course_form(may_mark, "lessons:mark", "course", "item", "prediction")
@_with_a_desk
def take_back(request: CourseRequest, item: str, prediction: int) -> HttpResponse:
    """Undoes the staff's mark: the prediction is worth again what it was before."""
    desk = _desk(request, item, prediction)
    seen = request.POST.get("seen", "")
    try:
        if not (seen.isascii() and seen.isdigit() and len(seen) < 19):
            raise Conflict
        marking.take_back(Marking(desk.prediction, request.user, int(seen)), timezone.now())
    except Conflict:
        messages.warning(request, _STALE)
    except Refused as refused:
        messages.warning(request, refused.reason)
    else:
        messages.success(request, "Taken back: it is worth again what it was before.")
    return _see(request, item, desk.asked, prediction, "#marks")


def _desk(request: CourseRequest, item: str, prediction: int) -> Desk:
    desk = marking_queries.desk(lesson_or_404(request, item), prediction, asked_in(request.GET))
    if desk is None:
        raise Http404("no such prediction of a student in this lesson")
    return desk


def _form(desk: Desk, data: QueryDict | None = None) -> MarkForm:
    """What was sent; or, where nothing was, the mark that counts."""
    return MarkForm(len(desk.ideas.each) if desk.ideas else 0, desk.counts, data)


def _show(
    request: CourseRequest,
    desk: Desk,
    form: MarkForm | None = None,
    *,
    since: int | None = None,
    status: int = 200,
) -> HttpResponse:
    """since: the newest mark that somebody knew of who was not the quickest."""
    context: dict[str, Any] = {"desk": desk, "form": form or _form(desk), "failed": form is not None}
    if since is not None:
        context["since"] = desk.since(since)
    return render(request, "lessons/marking_desk.html", context, status=status)


def _see(
    request: CourseRequest, item: str, asked: ListFilter, prediction: int | None = None, anchor: str = ""
) -> HttpResponse:
    names = [request.course.slug, item]
    if prediction is None:
        address = reverse("lessons:marking", args=names)
    else:
        address = reverse("lessons:mark", args=[*names, prediction])
    query = f"?{asked.query}" if asked.query else ""
    return HttpResponseRedirect(address + query + anchor, status=303)
