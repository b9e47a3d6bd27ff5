"""The gradebook for staff, one grade of it, and a student's own grades."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from softmark.courses.access import CourseRequest, course_form, course_view
from softmark.courses.models import Item
from softmark.courses.policies import (
    may_accommodate,
    may_change_grades,
    may_see_gradebook,
    may_see_own_grades,
)
from softmark.gradebook import actions, export, queries
from softmark.gradebook.actions import Change, Conflict
from softmark.gradebook.forms import CellForm, CommentForm, ExcuseForm, PointsForm, TakeBackForm
from softmark.gradebook.grade import State
from softmark.gradebook.models import Event
from softmark.gradebook.page import CellPage, GridFilter, cell_page, grid_page, own_page


@require_safe
@course_view(may_see_gradebook)
def grid(request: CourseRequest) -> HttpResponse:
    """Everybody's grades."""
    may_change = may_change_grades(request.role).allowed
    page = grid_page(request.course, timezone.now(), _asked(request), may_change)
    return render(request, "gradebook/grid.html", {"page": page})


@require_safe
@course_view(may_see_gradebook)
def export_csv(request: CourseRequest) -> HttpResponse:
    """Everybody's grades, as a file."""
    now = timezone.now()
    name = f"gradebook-{request.course.slug}-{now.astimezone(request.course.zone):%Y-%m-%d}.csv"
    return HttpResponse(
        export.csv(queries.grid(request.course, now)),
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


@require_safe
@course_view(may_see_own_grades)
def mine(request: CourseRequest) -> HttpResponse:
    """A student's own grades."""
    return render(request, "gradebook/mine.html", {"page": own_page(request.enrolment, timezone.now())})


@course_form(may_change_grades, "gradebook:grid", "course")
def release(request: CourseRequest, item: str) -> HttpResponse:
    """Shows the grades of an item to students, or hides them."""
    found = _item(request, item)
    released = request.POST.get("released") == "1"
    if actions.set_released(found, released, request.user):
        now = (
            "released: students see them"
            if released
            else "hidden: students do not see them, nor in their totals"
        )
        messages.success(request, f"The grades of “{found}” are {now}.")
    return redirect(
        f"{reverse('gradebook:grid', args=[request.course.slug])}?{request.POST.get('query', '')}"
    )


# -- one grade


@require_safe
@course_view(may_see_gradebook)
def cell(request: CourseRequest, item: str, user: int) -> HttpResponse:
    """One grade of one student, with all that led to it."""
    return _show(request, _page(request, item, user))


@course_form(may_change_grades, "gradebook:cell", "course", "item", "user")
def set_points(request: CourseRequest, item: str, user: int) -> HttpResponse:
    return _change(
        request, item, user, PointsForm(request.POST), "The points are set.",
        lambda change, data: actions.set_points(change, data["points"], data["reason"]),
    )  # fmt: skip


@course_form(may_change_grades, "gradebook:cell", "course", "item", "user")
def excuse(request: CourseRequest, item: str, user: int) -> HttpResponse:
    return _change(
        request, item, user, ExcuseForm(request.POST), "Excused: the item is in no total of this student.",
        lambda change, data: actions.excuse(change, data["reason"]),
    )  # fmt: skip


@course_form(may_change_grades, "gradebook:cell", "course", "item", "user")
def comment(request: CourseRequest, item: str, user: int) -> HttpResponse:
    return _change(
        request, item, user, CommentForm(request.POST), "The comment is added.",
        lambda change, data: actions.comment(change, data["reason"]),
    )  # fmt: skip


@course_form(may_change_grades, "gradebook:cell", "course", "item", "user")
def take_back(request: CourseRequest, item: str, user: int) -> HttpResponse:
    return _change(
        request, item, user, TakeBackForm(request.POST), "Taken back.",
        lambda change, data: actions.take_back(change, data["event"], data["reason"]),
    )  # fmt: skip


@dataclass(frozen=True)
class Trouble:
    """Why a change was not made. since: what happened to the cell meanwhile; typed: what was to be set."""

    page: CellPage
    form: CellForm
    conflict: bool = False

    @property
    def since(self) -> list[Any]:
        return self.page.since(self.form.cleaned_data["seen"])[::-1] if self.conflict else []

    @property
    def points(self) -> Any:
        return self.form.cleaned_data.get("points") if self.conflict else None


def _change(
    request: CourseRequest, item: str, user: int, form: CellForm, done: str,
    act: Callable[[Change, dict[str, Any]], Event],
) -> HttpResponse:  # fmt: skip
    """Makes a change and goes back to the grade; or shows why not, with what was typed still there."""
    page = _page(request, item, user)
    conflict = False
    if form.is_valid():
        change = Change(page.item, page.enrolment.user, request.user, form.cleaned_data["seen"])
        try:
            act(change, form.cleaned_data)
        except Conflict:
            conflict, page = True, _page(request, item, user)
        except ValidationError as error:
            form.add_error(None, error)
        else:
            messages.success(request, done)
            return redirect("gradebook:cell", request.course.slug, item, user)
    return _show(request, page, Trouble(page, form, conflict))


def _show(request: CourseRequest, page: CellPage, trouble: Trouble | None = None) -> HttpResponse:
    kept = trouble.form if trouble else None
    forms: dict[str, type[CellForm]] = {
        "points_form": PointsForm,
        "excuse_form": ExcuseForm,
        "comment_form": CommentForm,
    }
    context: dict[str, Any] = {
        "page": page,
        "trouble": trouble,
        "may_extend": page.grade.deadline.can_be_later and may_accommodate(request.role).allowed,
    }
    for name, kind in forms.items():
        context[name] = kept if isinstance(kept, kind) else kind(auto_id=f"{name}_%s")
    status = 200 if trouble is None else 409 if trouble.conflict else 422
    return render(request, "gradebook/cell.html", context, status=status)


def _page(request: CourseRequest, item: str, user: int) -> CellPage:
    enrolment = queries.student_in(request.course, user)
    if enrolment is None:
        raise Http404("no such student in this course")
    enrolment.course = request.course
    return cell_page(_item(request, item), enrolment, timezone.now(), may_change_grades(request.role))


def _item(request: CourseRequest, slug: str) -> Item:
    found = queries.graded_items(request.course).filter(slug=slug).first()
    if found is None:
        raise Http404("no such item in this course")
    return found


def _asked(request: CourseRequest) -> GridFilter:
    """What the grid shall show. What makes no sense filters nothing."""
    section, state = request.GET.get("section", ""), request.GET.get("state", "")
    return GridFilter(
        int(section) if section.isascii() and section.isdigit() and len(section) < 10 else None,
        State(state) if state in set(State) else None,
        request.GET.get("page", "1"),
        "means" in request.GET,
    )
