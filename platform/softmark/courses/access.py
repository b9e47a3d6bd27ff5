"""The way into every page of a course: signed in, enrolled, allowed."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec

from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponseBase

from softmark.accounts.models import User
from softmark.courses.models import Course, Enrolment, Role
from softmark.courses.policies import Decision
from softmark.courses.queries import enrolment_in

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
    who is, and may not, gets the reason.
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

        return login_required(guarded)

    return decorate


def enter_course(request: CourseRequest, slug: str, policy: Callable[[Role], Decision]) -> None:
    """Sets request.enrolment, request.course and request.role. Raises Http404 or PermissionDenied."""
    enrolment = enrolment_in(request.user, slug)
    if enrolment is None:
        raise Http404("no such course, or not enrolled in it")
    decision = policy(Role(enrolment.role))
    if not decision.allowed:
        raise PermissionDenied(decision.reason)
    request.enrolment, request.course, request.role = enrolment, enrolment.course, Role(enrolment.role)
