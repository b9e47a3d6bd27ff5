"""Bringing an assignment into a course: a zip, what verifying it gave, and publishing it."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_safe

from softmark.courses.access import CourseRequest, course_form, course_view, reloads_when_signed_out
from softmark.coursework import actions, queries
from softmark.coursework.actions import Misplaced, Refused
from softmark.coursework.forms import PublishForm, ZipForm
from softmark.coursework.models import Upload
from softmark.coursework.page import UploadPage, publish_form
from softmark.coursework.policies import may_add_assignments
from softmark.coursework.table import shown_table
from softmark.coursework.words import what_was_done
from softmark.coursework.zip_folder import MAX_ZIP_BYTES, TOO_LARGE
from softmark.ui import body

_MOST_LISTED = 20
_MAX_BODY_BYTES = MAX_ZIP_BYTES + (1 << 20)


@require_safe
@course_view(may_add_assignments)
def uploads(request: CourseRequest) -> HttpResponse:
    """The form, and what was uploaded before."""
    return _uploads(request, ZipForm())


# The token against forgery is checked once the body is read: a body that is too large gets a page that says so.
@csrf_exempt
def add(request: HttpRequest, course: str) -> HttpResponseBase:
    """Takes the zip of a folder."""
    if request.method == "POST" and not body.parse(request, _MAX_BODY_BYTES):
        return _too_large(request, course=course)
    return _add(request, course=course)


@csrf_protect
@course_form(may_add_assignments, "coursework:uploads", "course")
def _add(request: CourseRequest) -> HttpResponse:
    form = ZipForm(request.POST, request.FILES)
    if not form.is_valid():
        return _uploads(request, form, status=422)
    upload, is_new = actions.receive(request.course, request.user, form.brought)
    if not is_new:
        messages.info(
            request,
            "Exactly these files were uploaded before. This is that upload: nothing is verified twice.",
        )
    return redirect("coursework:upload", request.course.slug, upload.pk)


def _too_large(request: HttpRequest, course: str) -> HttpResponseBase:
    if not request.user.is_authenticated:
        return redirect_to_login(reverse("coursework:uploads", args=[course]))
    return _told_too_large(request, course=course)


@course_view(may_add_assignments)
def _told_too_large(request: CourseRequest) -> HttpResponse:
    form = ZipForm({})
    form.errors.clear()
    form.add_error("zip", TOO_LARGE)
    return _uploads(request, form, status=413)


def _uploads(request: CourseRequest, form: ZipForm, status: int = 200) -> HttpResponse:
    context = {
        "course": request.course,
        "form": form,
        "uploads": queries.uploads_of(request.course)[:_MOST_LISTED],
    }
    return render(request, "coursework/uploads.html", context, status=status)


@require_safe
@course_view(may_add_assignments)
def upload(request: CourseRequest, upload: int) -> HttpResponse:
    """One upload: what is wrong with it, how far it is, the table, and the form that publishes it."""
    return _page(request, _upload(request, upload))


@require_safe
@never_cache
@reloads_when_signed_out
@course_view(may_add_assignments)
def progress(request: CourseRequest, upload: int) -> HttpResponse:
    """How far it is, for the page to take over; all of it once it is settled."""
    found = _upload(request, upload)
    if not request.headers.get("HX-Request"):
        return redirect("coursework:upload", request.course.slug, upload)
    return render(request, "coursework/progress.html", {"page": UploadPage(found, request.course)})


@course_form(may_add_assignments, "coursework:upload", "course", "upload")
def again(request: CourseRequest, upload: int) -> HttpResponse:
    """Verifies it once more."""
    try:
        actions.verify_again(_upload(request, upload), request.user)
    except Refused as refused:
        messages.warning(request, f"Nothing was changed. {refused.reason}")
    return redirect("coursework:upload", request.course.slug, upload)


@course_form(may_add_assignments, "coursework:upload", "course", "upload")
def publish(request: CourseRequest, upload: int) -> HttpResponse:
    """Publishes it, and puts it into the course; or shows why not, with what was typed still there."""
    found = _upload(request, upload)
    form = publish_form(found, request.course, UploadPage(found, request.course).replaces, request.POST)
    if not form.is_valid():
        return _page(request, found, form, status=422)
    try:
        placed = actions.publish_upload(
            found, request.user, item_slug=form.cleaned_data["item_slug"], attempts=form.attempts_to_set,
            terms=form.terms,
        )  # fmt: skip
    except Refused as refused:
        form.add_error(None, f"Nothing was published. {refused.reason}")
        return _page(request, found, form, status=409)
    except Misplaced as misplaced:
        form.add_error("item_slug", str(misplaced))
        return _page(request, found, form, status=422)
    except ValidationError as invalid:
        form.add_error(None, invalid)
        return _page(request, found, form, status=422)
    messages.success(request, " ".join(what_was_done(request.course, placed.assignment.version, placed)))
    return redirect("submissions:assignment", request.course.slug, placed.assignment.item.slug)


@require_safe
@course_view(may_add_assignments)
def verification(request: CourseRequest, item: str) -> HttpResponse:
    """The table that let an assignment's version be published."""
    assignment = queries.assignment_called(request.course, item)
    if assignment is None:
        raise Http404("no such assignment in this course")
    table = shown_table(assignment.version.verification)
    context = {"course": request.course, "assignment": assignment, "table": table}
    return render(request, "coursework/verification.html", context)


def _page(
    request: CourseRequest, upload: Upload, form: PublishForm | None = None, status: int = 200
) -> HttpResponse:
    page = UploadPage(upload, request.course, form)
    return render(request, "coursework/upload.html", {"page": page}, status=status)


def _upload(request: CourseRequest, pk: int) -> Upload:
    found = queries.upload_in(request.course, pk)
    if found is None:
        raise Http404("no such upload in this course")
    return found
