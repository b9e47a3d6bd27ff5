"""What an address names."""

from __future__ import annotations

from django.http import Http404

from softmark.courses.access import CourseRequest
from softmark.lessons import queries
from softmark.lessons.models import Lesson


def lesson_or_404(request: CourseRequest, slug: str) -> Lesson:
    """For staff: hidden or not."""
    found = queries.lesson_in(request.course, slug)
    if found is None:
        raise Http404("no such lesson")
    return found
