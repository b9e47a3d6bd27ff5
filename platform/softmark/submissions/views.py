"""The page of an assignment, and what is sent from it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from functools import wraps
from typing import cast

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    HttpResponseRedirect,
    JsonResponse,
)
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_safe

from softmark.courses.access import CourseRequest, course_view, enter_course
from softmark.courses.models import Role
from softmark.courses.policies import Decision, may_see_course
from softmark.coursework.models import Assignment
from softmark.coursework.source import SourceError
from softmark.submissions import actions, form_token, queries, reading, rescue
from softmark.submissions.actions import Refused
from softmark.submissions.form_token import FormToken
from softmark.submissions.page import Problem, gather
from softmark.submissions.policies import may_draft

_TOO_LARGE = (
    "What you sent is larger than anything that can be graded, so it was not read. A Python file may have 1 MB and a "
    "notebook 20 MB: remove the output of your notebook's cells, or hand in only the code that is asked for."
)
_NOT_THERE = (
    "There is no such assignment for you any more: it was taken away, or you are not enrolled in its course now. If "
    "you think that you should be, write to the staff of your course."
)
_OLD_FORM = (
    "This page was opened by somebody else or for another assignment. It is up to date now: submit once more."
)


@require_safe
@course_view(may_see_course)
def assignment(request: CourseRequest, item: str) -> HttpResponse:
    """Statement, editor, results."""
    return _page(request, _find(request, item))


View = Callable[[HttpRequest, str, str], HttpResponseBase]


def _posted(view: View) -> View:
    """Sends to the page who comes in another way, perhaps from the browser's history."""

    @wraps(view)
    def guarded(request: HttpRequest, course: str, item: str) -> HttpResponseBase:
        return view(request, course, item) if request.method == "POST" else _see(_address(course, item))

    return guarded


_SLOW = timedelta(seconds=60)


# The token against forgery is checked in _submit. Until then nothing has read the body: so the instant of receipt is
# when its first bytes were there, and a body that is too large gets a page that says so. One that takes very long may
# still be written while it is sent, and is received when all of it is there.
@csrf_exempt
@_posted
def submit(request: HttpRequest, course: str, item: str) -> HttpResponseBase:
    """Takes the text of the editor, or one file."""
    received_at = timezone.now()
    if not reading.parse_body(request):
        return _too_large(request, course, item)
    now = timezone.now()
    if now - received_at > _SLOW:
        received_at = now
    return _submit(request, course, item, received_at)


@csrf_protect
def _submit(request: HttpRequest, course: str, item: str, received_at: datetime) -> HttpResponseBase:
    token = form_token.read(request.POST.get("form", ""))
    if not request.user.is_authenticated:
        return _sign_in_first(request, course, item, token)
    try:
        request = _enter(request, course, may_see_course)
        assignment = _find(request, item, token)
    except Http404:
        if token is None or token.user != request.user.pk:
            raise
        return _handed_back(request, "Not submitted", _NOT_THERE, 404)
    if token is None or not token.is_for(request.user.pk, assignment.pk):
        return _refused(request, assignment, _OLD_FORM, keep=False)
    try:
        brought = reading.read_form(request)
        submission = actions.submit(
            assignment, request.user, brought.source, brought.filename, token.form, received_at
        )
    except SourceError as error:
        return _refused(request, assignment, error.sentence, status=422)
    except Refused as refused:
        return _refused(request, assignment, refused.reason)
    rescue.forget(request.session, request.user, assignment.pk)
    return _see(reverse("grading:report", args=[course, submission.pk]))


@_posted
def draft(request: HttpRequest, course: str, item: str) -> HttpResponseBase:
    """Keeps what is in the editor: the editor sends it by itself, and a button does where there is no script."""
    by_button = "by_button" in request.POST
    if not request.user.is_authenticated:
        if by_button:
            return _sign_in_first(request, course, item, form_token.read(request.POST.get("form", "")))
        return JsonResponse({"error": "You are signed out."}, status=401)
    try:
        request = _enter(request, course, may_draft)
        assignment = _find(request, item)
    except Http404:
        token = form_token.read(request.POST.get("form", ""))
        if token is None or token.user != request.user.pk:
            raise
        return _handed_back(request, "Not saved", _NOT_THERE, 404)
    text = reading.typed_text(request)
    if text is None:
        return JsonResponse({"error": "There is no text in this request."}, status=400)
    if reading.is_too_long(text):
        sentence = "A draft may have 1 MB of text. This one is longer: shorten it, and save it again."
        if by_button:
            return _page(
                request, assignment, refused=text, problem=Problem(sentence, "Not saved"), status=413
            )
        return JsonResponse({"error": sentence}, status=413)
    now = timezone.now()
    replaced = actions.save_draft(assignment, request.user, text, now)
    rescue.forget(request.session, request.user, assignment.pk)
    if by_button:
        messages.success(request, "Your draft is saved.")
        return _see(_address(course, item))
    return JsonResponse({"saved_at": now, "drafted_at": replaced})


def _enter(request: HttpRequest, course: str, policy: Callable[[Role], Decision]) -> CourseRequest:
    """What course_view does, for a view that has something to do before."""
    entered = cast(CourseRequest, request)
    enter_course(entered, course, policy)
    return entered


def _find(request: CourseRequest, slug: str, token: FormToken | None = None) -> Assignment:
    """The assignment. A hidden one is there for the staff, and for the answer to a form from when it was not."""
    found = queries.assignment_in(request.course, slug)
    if found is not None and (found.item.visible or request.role.is_staff):
        return found
    if found is not None and token is not None and token.is_for(request.user.pk, found.pk):
        return found
    raise Http404("no such assignment")


def _page(
    request: CourseRequest, assignment: Assignment, *, refused: str | None = None, problem: Problem | None = None,
    status: int = 200,
) -> HttpResponse:  # fmt: skip
    page = gather(
        assignment, request.user, request.role, timezone.now(),
        rescued=rescue.find(request.session, request.user, assignment.pk), refused=refused, problem=problem,
    )  # fmt: skip
    return render(request, "submissions/assignment.html", {"page": page}, status=status)


def _refused(
    request: CourseRequest, assignment: Assignment, sentence: str, *, status: int = 409, keep: bool = True
) -> HttpResponse:
    """The page with the reason, and with what was typed: in the editor, and kept as the draft."""
    text = reading.typed_text(request)
    if text and keep and request.role is Role.STUDENT and not reading.is_too_long(text):
        actions.save_draft(assignment, request.user, text, timezone.now())
    if not assignment.item.visible and not request.role.is_staff:
        return _handed_back(request, "Not submitted", sentence, status)
    problem = Problem(sentence, of_upload=text is None)
    return _page(request, assignment, refused=text, problem=problem, status=status)


def _handed_back(request: HttpRequest, title: str, sentence: str, status: int) -> HttpResponse:
    """What was typed, where there is no page any more to put it into."""
    text = reading.typed_text(request)
    context = {"title": title, "sentence": sentence, "typed": [text] if text else []}
    return render(request, "submissions/handed_back.html", context, status=status)


def _too_large(request: HttpRequest, course: str, item: str) -> HttpResponseBase:
    if not request.user.is_authenticated:
        return redirect_to_login(_address(course, item))
    request = _enter(request, course, may_see_course)
    return _page(request, _find(request, item), problem=Problem(_TOO_LARGE), status=413)


def _sign_in_first(request: HttpRequest, course: str, item: str, token: FormToken | None) -> HttpResponseBase:
    """Keeps what was sent until its author is back."""
    text = reading.text_to_rescue(request)
    if text and (token is None or reading.is_too_long(text)):
        return render(request, "csrf.html", {"typed": [text]}, status=403)
    if token is not None:
        rescue.keep(request.session, token, text)
        if text:
            messages.warning(
                request, "You had been signed out. Your code is kept: sign in, and it is in the editor again."
            )
    return redirect_to_login(_address(course, item))


def _address(course: str, item: str) -> str:
    return reverse("submissions:assignment", args=[course, item])


def _see(address: str) -> HttpResponse:
    """Sends the browser there by GET, whatever it came with."""
    return HttpResponseRedirect(address, status=303)
