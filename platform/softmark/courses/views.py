"""Pages about a course that need nothing but the course."""

from __future__ import annotations

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_safe

from softmark.courses.access import CourseRequest, course_form, course_view
from softmark.courses.actions import accommodate, extend
from softmark.courses.extra_time import said_extensions, said_factor
from softmark.courses.forms import ExtensionForm, ExtraTimeForm
from softmark.courses.models import Enrolment, Role
from softmark.courses.policies import may_accommodate, may_see_people
from softmark.courses.queries import (
    accommodations_of,
    all_due,
    extended,
    extensions_of,
    people_of,
    time_factors,
)
from softmark.ui.words import shown_instant


@require_safe
@course_view(may_see_people)
def people(request: CourseRequest) -> HttpResponse:
    """Everybody who is enrolled, and who has more time than the others."""
    more_time = {user: said_factor(factor) for user, factor in time_factors(request.course).items()}
    for user, count in extended(request.course).items():
        more_time[user] = " and ".join(filter(None, (more_time.get(user), said_extensions(count))))
    rows = [(each, more_time.get(each.user_id, "")) for each in people_of(request.course)]
    may_change = may_accommodate(request.role).allowed
    context = {
        "course": request.course,
        "people": rows,
        "more_time": more_time,
        "may_accommodate": may_change,
    }
    return render(request, "courses/people.html", context)


@require_safe
@course_view(may_accommodate)
def extra_time(request: CourseRequest, user: int) -> HttpResponse:
    """How much time one student has, and since when. ?item= picks what to extend."""
    return _time_of(request, _student(request, user), picked=request.GET.get("item", ""))


@course_form(may_accommodate, "courses:extra_time", "course", "user")
def set_extra_time(request: CourseRequest, user: int) -> HttpResponse:
    """How many times as long their time limits are."""
    student = _student(request, user)
    form = ExtraTimeForm(request.POST)
    if form.is_valid():
        factor, reason = form.cleaned_data["time_factor"], form.cleaned_data["reason"]
        try:
            accommodate(
                request.course, student.user, factor, reason=reason, by=request.user, at=timezone.now()
            )
        except ValidationError as error:
            form.add_error(None, error)
        else:
            messages.success(request, f"{student.user} has {said_factor(factor)} in this course from now on.")
            return redirect("courses:people", request.course.slug)
    return _time_of(request, student, limits=form)


@course_form(may_accommodate, "courses:extra_time", "course", "user")
def set_extension(request: CourseRequest, user: int) -> HttpResponse:
    """A later due date of one item, or none any more."""
    student = _student(request, user)
    form = ExtensionForm(
        request.course, [each.item for each in all_due(request.course, student.user)], request.POST
    )
    if form.is_valid():
        item, due_at, reason = (form.cleaned_data[name] for name in ("item", "due_at", "reason"))
        try:
            extend(item, student.user, due_at, reason=reason, by=request.user)
        except ValidationError as error:
            form.add_error(None, error)
        else:
            at = due_at and shown_instant(due_at.astimezone(request.course.zone))
            until = f"until {at}" if at else "as long as the others"
            messages.success(request, f"{student.user} has {until} for “{item}”.")
            return redirect("courses:extra_time", request.course.slug, student.user_id)
    return _time_of(request, student, extension=form)


def _student(request: CourseRequest, user: int) -> Enrolment:
    found = request.course.enrolments.filter(user=user, role=Role.STUDENT).select_related("user").first()
    if found is None:
        raise Http404("no such student in this course")
    return found


def _time_of(
    request: CourseRequest, student: Enrolment, *, limits: ExtraTimeForm | None = None,
    extension: ExtensionForm | None = None, picked: str = "",
) -> HttpResponse:  # fmt: skip
    """The page; with a form that was sent, and why nothing was changed."""
    course, failed = request.course, limits or extension
    due = all_due(course, student.user)
    granted = [(each, said_factor(each.time_factor)) for each in accommodations_of(course, student.user)]
    context = {
        "course": course,
        "student": student,
        "granted": granted,
        "due": due,
        "given": extensions_of(course, student.user),
        "limits": limits or ExtraTimeForm(),
        "extension": extension or ExtensionForm(course, [each.item for each in due], picked=picked),
        "failed": failed,
    }
    return render(request, "courses/extra_time.html", context, status=422 if failed else 200)
