"""The first page of the site, and the first page of a course."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from softmark.accounts.models import User
from softmark.courses.access import CourseRequest, course_view
from softmark.courses.models import Role
from softmark.courses.policies import may_see_course
from softmark.courses.queries import enrolments_of
from softmark.home import staff, student
from softmark.home.demo_people import PASSWORD, demo_people
from softmark.home.lessons import all_lessons


@require_safe
@never_cache
def home(request: HttpRequest) -> HttpResponse:
    """What waits for whoever is signed in; for everybody else what this is."""
    if not isinstance(request.user, User):
        return render(request, "home/landing.html", _demo())
    now = timezone.now()
    enrolments = list(enrolments_of(request.user))
    attended = [student.student_course(each, now) for each in enrolments if each.role == Role.STUDENT]
    run = [staff.glance(each, now) for each in enrolments if each.role != Role.STUDENT]
    context = {
        "now": now,
        "attended": attended,
        "run": run,
        "next_due": student.next_due(attended, now),
        "overdue": student.overdue(attended, now),
        "back": student.newest_back(attended),
        "held": sorted((each for glance in run for each in glance.held), key=lambda each: each.received_at),
        "faults": [each for glance in run for each in glance.faults],
        "to_read": [each for glance in run for each in glance.to_read],
        "weeks": [
            (each, staff.week(each.course, now)) for each in run if each.enrolment.role == Role.INSTRUCTOR
        ],
    }
    return render(request, "home/home.html", context)


@require_safe
@course_view(may_see_course)
def course(request: CourseRequest) -> HttpResponse:
    """A course: its lessons and assignments, and what there is to do. Students and staff see different pages."""
    now = timezone.now()
    enrolment = request.enrolment
    context: dict[str, Any] = {"course": request.course, "enrolment": enrolment, "now": now}
    if request.role.is_staff:
        context |= {
            "glance": staff.glance(enrolment, now),
            "week": staff.week(request.course, now),
            "lines": staff.lines(request.course),
            "lessons": all_lessons(request.course),
        }
        return render(request, "home/course_staff.html", context)
    attended = student.student_course(enrolment, now)
    context |= {
        "attended": attended,
        "lessons": attended.lessons,
        "next_due": student.next_due([attended], now),
        "overdue": student.overdue([attended], now),
        "back": attended.back,
    }
    return render(request, "home/course_student.html", context)


def _demo() -> dict[str, Any]:
    if not settings.DEMO:
        return {}
    return {"demo_people": demo_people(), "demo_password": PASSWORD}
