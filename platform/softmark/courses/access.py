"""The way into every page of a course: signed in, enrolled, allowed."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
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
from django.views.decorators.cache import never_cache

from softmark.accounts.models import User
from softmark.courses.models import Course, Enrolment, Role
from softmark.courses.policies import Decision
from softmark.courses.queries import enrolment_in
from softmark.ui.typed import typed_texts

P = ParamSpec("P")


class CourseRequest(HttpRequest):
    """A request of somebody who may be here."""

    user: User
    enrolment: Enrolment
    course: Course
    role: Role


def course_view(
    policy: Callable[[Role], Decision],
) -> Callable[[Callable[Concatenate[CourseRequest, P], HttpResponseBase]], Callable[..., HttpResponseBase]]:
    """Hands the view a CourseRequest. Who is not enrolled gets a 404: a course's name is nobody else's business;
    who is, and may not, gets the reason. No browser keeps the page for whoever sits there next.
    """

    def decorate(
        view: Callable[Concatenate[CourseRequest, P], HttpResponseBase],
    ) -> Callable[..., HttpResponseBase]:
        @wraps(view)
        def guarded(
            request: CourseRequest, course: str, *args: P.args, **kwargs: P.kwargs
        ) -> HttpResponseBase:
            enter_course(request, course, policy)
            return view(request, *args, **kwargs)

        return never_cache(login_required(guarded))

    return decorate


def course_form(
    policy: Callable[[Role], Decision],
    page: str,
    *names: str,
    keep: Callable[[HttpRequest], bool] | None = None,
) -> Callable[[Callable[Concatenate[CourseRequest, P], HttpResponseBase]], Callable[..., HttpResponseBase]]:
    """A course_view for what a form sends. `page` is the name of the page that it stands on, and `names` are those of
    the view's arguments that the page has as well.

    Who has been signed out gets back what they typed; or `keep` keeps it until they are back, where it can. Who does
    not come from the form, but from signing in or from the browser's history, is sent to the page.
    """

    def decorate(
        view: Callable[Concatenate[CourseRequest, P], HttpResponseBase],
    ) -> Callable[..., HttpResponseBase]:
        guarded = course_view(policy)(view)

        @wraps(view)
        def posted(request: HttpRequest, **arguments: object) -> HttpResponseBase:
            address = reverse(page, kwargs={name: arguments[name] for name in names})
            if request.method != "POST":
                return HttpResponseRedirect(address, status=303)
            if not request.user.is_authenticated:
                return _signed_out(request, address, kept=keep is not None and keep(request))
            return guarded(request, **arguments)

        return posted

    return decorate


def _signed_out(request: HttpRequest, address: str, *, kept: bool) -> HttpResponse:
    """The answer to a form. Only whole pages lead to signing in, so htmx is sent to it."""
    if kept:
        messages.warning(
            request, "You had been signed out. What you sent is kept: sign in, and it is in its form again."
        )
    if request.headers.get("HX-Request"):
        sign_in = redirect_to_login(address).url
        return HttpResponse(status=401, headers={"HX-Redirect": sign_in})
    context = {"typed": typed_texts(request), "kept": kept, "next": address}
    return render(request, "401.html", context, status=401)


def reloads_when_signed_out(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """A part of a page must not become a sign-in form: the whole page is to be asked for again, which leads there."""

    @wraps(view)
    def wrapped(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponseBase:
        if not request.user.is_authenticated and request.headers.get("HX-Request"):
            return HttpResponse(headers={"HX-Refresh": "true"})
        return view(request, *args, **kwargs)

    return wrapped


def told_when_signed_out(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """A script that saves something by itself is told, as JSON, instead of being sent to sign in."""

    @wraps(view)
    def wrapped(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponseBase:
        if request.method == "POST" and not request.user.is_authenticated:
            return JsonResponse({"error": "You are signed out."}, status=401)
        return view(request, *args, **kwargs)

    return wrapped


def enter_course(request: CourseRequest, slug: str, policy: Callable[[Role], Decision]) -> None:
    """Sets request.enrolment, request.course and request.role. Raises Http404 or PermissionDenied."""
    enrolment = enrolment_in(request.user, slug)
    if enrolment is None:
        raise Http404("no such course, or not enrolled in it")
    decision = policy(Role(enrolment.role))
    if not decision.allowed:
        raise PermissionDenied(decision.reason)
    enrolment.user = request.user  # not to be asked for again
    request.enrolment, request.course, request.role = enrolment, enrolment.course, Role(enrolment.role)
