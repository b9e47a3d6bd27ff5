"""Reading assignments and uploads."""

from __future__ import annotations

from django.db.models import QuerySet

from softmark.courses.models import Course
from softmark.coursework.models import Assignment, Upload

_LARGE = ("files", "reports", "version__files", "version__verification")


def uploads_of(course: Course) -> QuerySet[Upload]:
    """Those of a course, newest first, without their large texts."""
    return (
        Upload.objects.filter(course=course)
        .select_related("uploaded_by", "version")
        .defer(*_LARGE)
        .order_by("-id")
    )


def upload_in(course: Course, pk: int) -> Upload | None:
    return uploads_of(course).filter(pk=pk).first()


def assignments_from(course: Course, slug: str) -> QuerySet[Assignment]:
    """The assignments of a course that are a version of this folder."""
    return (
        Assignment.objects.filter(item__course=course, version__slug=slug)
        .select_related("item", "version")
        .defer("version__files", "version__verification")
        .order_by("item__position", "pk")
    )


def assignment_called(course: Course, item: str) -> Assignment | None:
    """With its version's table, and without its files."""
    return (
        Assignment.objects.filter(item__course=course, item__slug=item)
        .select_related("item", "version")
        .defer("version__files")
        .first()
    )
