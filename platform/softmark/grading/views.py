"""The report of a submission, and its progress until there is one."""

from __future__ import annotations

from collections.abc import Callable

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from softmark.courses.access import CourseRequest, course_form, course_view, reloads_when_signed_out
from softmark.courses.policies import may_see_course
from softmark.grading import actions
from softmark.grading.page import ReportPage, submission_in
from softmark.grading.policies import may_decide_held, may_see_report
from softmark.submissions.models import Submission


@require_safe
@course_view(may_see_course)
def report(request: CourseRequest, pk: int) -> HttpResponse:
    """The page."""
    return render(request, "grading/report.html", {"page": _page(request, pk)})


@require_safe
@never_cache
@reloads_when_signed_out
@course_view(may_see_course)
def progress(request: CourseRequest, pk: int) -> HttpResponse:
    """How far it is, for the page to take over; the whole report once there is one."""
    page = _page(request, pk)
    if not request.headers.get("HX-Request"):
        return redirect("grading:report", request.course.slug, pk)
    return render(request, "grading/progress.html", {"page": page})


@require_safe
@course_view(may_see_course)
def code(request: CourseRequest, pk: int) -> HttpResponse:
    """The code that was handed in, as a file."""
    submission = _submission(request, pk)
    name = f"{submission.assignment.item.slug}-{submission.number}.py"
    return HttpResponse(
        submission.text.encode("utf-8", "replace"),
        content_type="text/plain; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


@course_form(may_see_course, "grading:report", "course", "pk")
def regrade(request: CourseRequest, pk: int) -> HttpResponse:
    """A held submission goes back into its queue."""
    return _decide(request, pk, actions.regrade_held, "It is in the queue again.")


@course_form(may_see_course, "grading:report", "course", "pk")
def give_back(request: CourseRequest, pk: int) -> HttpResponse:
    """The attempt of a held submission does not count."""
    return _decide(request, pk, actions.return_attempt, "The attempt is given back: it does not count.")


def _decide(request: CourseRequest, pk: int, action: Callable[..., None], done: str) -> HttpResponse:
    submission = _submission(request, pk)
    decision = may_decide_held(request.role)
    if not decision.allowed:
        raise PermissionDenied(decision.reason)
    try:
        action(submission, by=request.user)
    except actions.NotHeld:
        messages.warning(request, "Somebody has decided about this submission already. Nothing was changed.")
    else:
        messages.success(request, done)
    return redirect("grading:report", request.course.slug, pk)


def _page(request: CourseRequest, pk: int) -> ReportPage:
    return ReportPage(_submission(request, pk), request.course, request.user, request.role)


def _submission(request: CourseRequest, pk: int) -> Submission:
    """Who may not see it learns nothing, not even that it is there."""
    submission = submission_in(request.course, pk)
    if submission is not None:
        own, visible = submission.student_id == request.user.pk, submission.assignment.item.visible
        if may_see_report(request.role, own=own, visible=visible).allowed:
            return submission
    raise Http404("no such submission, or not theirs to see")
