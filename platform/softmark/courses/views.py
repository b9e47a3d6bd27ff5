"""Pages about a course that need nothing but the course."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from softmark.courses.access import CourseRequest, course_view
from softmark.courses.policies import may_see_people
from softmark.courses.queries import people_of


@require_safe
@course_view(may_see_people)
def people(request: CourseRequest) -> HttpResponse:
    """Everybody who is enrolled."""
    return render(
        request, "courses/people.html", {"course": request.course, "people": people_of(request.course)}
    )
