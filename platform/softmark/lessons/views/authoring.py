"""The pages of those who set lessons up."""

from __future__ import annotations

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.html import format_html
from django.views.decorators.http import require_safe

from softmark.courses.access import CourseRequest, course_form, course_view
from softmark.courses.addresses import linked_items
from softmark.courses.queries import current_schedule
from softmark.lessons import authoring, library
from softmark.lessons.actions import Refused
from softmark.lessons.compiled import Unshowable, compiled
from softmark.lessons.forms import SettingsForm
from softmark.lessons.models import Lesson
from softmark.lessons.pages.authoring import offer_line, target_of, variants_of
from softmark.lessons.policies import may_author, may_try
from softmark.lessons.views.finding import lesson_or_404

_NO_COURSE = "The course that was picked is none that you teach. Pick one from the list."
_NO_LESSON = "The lesson that was picked is none of those that can be added. Pick one from the list."


# -- its variants


@require_safe
@course_view(may_try)
def variants(request: CourseRequest, item: str) -> HttpResponse:
    """One variant of one stop: ?stop=...&variant=7; by default the first of the first."""
    found = lesson_or_404(request, item)
    context = {"lesson": found, "course": request.course}
    try:
        content = compiled(found.version)
    except Unshowable as unshowable:
        return render(request, "lessons/variants.html", context | {"trouble": str(unshowable)})
    stop = request.GET.get("stop") or next(iter(content.questions))
    said = request.GET.get("variant", "1")
    number = int(said) if said.isascii() and said.isdigit() and len(said) < 5 else 0
    page = variants_of(found, content, stop, number, linked_items(found.item, hidden=True))
    if page is None:
        raise Http404("no such stop or variant in this lesson")
    return render(request, "lessons/variants.html", context | {"page": page})


# -- into another course


@require_safe
@course_view(may_author)
def copy(request: CourseRequest, item: str) -> HttpResponse:
    """The courses that the lesson could be copied to."""
    return _targets(request, lesson_or_404(request, item))


@course_form(may_author, "lessons:copy", "course", "item")
def copy_to(request: CourseRequest, item: str) -> HttpResponse:
    found = lesson_or_404(request, item)
    courses = library.taught_courses(request.user, but=request.course)
    course = next((each for each in courses if each.slug == request.POST.get("to")), None)
    if course is None:
        return _targets(request, found, _NO_COURSE, 422)
    try:
        made = authoring.add_to(course, found.version, request.user, like=found)
    except Refused as refused:
        return _targets(request, found, refused.reason, 409)
    messages.success(
        request,
        format_html(
            "“{}” is now in {} as well, hidden from students. <a href=\"{}\">Set it up there</a>.",
            made.item, course, reverse("lessons:settings", args=[course.slug, made.item.slug]),
        ),
    )  # fmt: skip
    return redirect("lessons:copy", request.course.slug, found.item.slug)


def _targets(request: CourseRequest, lesson: Lesson, problem: str = "", status: int = 200) -> HttpResponse:
    courses = library.taught_courses(request.user, but=request.course)
    holdings = library.holdings(courses)
    context = {
        "lesson": lesson, "course": request.course, "problem": problem,
        "targets": [target_of(lesson.version, holdings[each.pk]) for each in courses],
    }  # fmt: skip
    return render(request, "lessons/copy.html", context, status=status)


@require_safe
@course_view(may_author)
def add(request: CourseRequest) -> HttpResponse:
    """The lessons that the course could take."""
    return _offers(request)


@course_form(may_author, "lessons:add", "course")
def take(request: CourseRequest) -> HttpResponse:
    """Takes one of them: `lesson` of another course, or `version` of those that come with the site."""
    of_courses, of_site = _offered(request)
    picked = {f"lesson {each.lesson.pk}": each for each in of_courses if each.lesson is not None}
    picked |= {f"version {each.version.pk}": each for each in of_site}
    offer = picked.get(request.POST.get("offer", ""))
    if offer is None:
        return _offers(request, _NO_LESSON, 422)
    try:
        made = authoring.add_to(request.course, offer.version, request.user, like=offer.lesson)
    except Refused as refused:
        return _offers(request, refused.reason, 409)
    messages.success(
        request, f"“{made.item}” is in the course, hidden from students. Set it up here, and show it when you like."
    )  # fmt: skip
    return redirect("lessons:settings", request.course.slug, made.item.slug)


def _offered(request: CourseRequest) -> tuple[list[library.Offer], list[library.Offer]]:
    """Of the other courses that they teach, and of the site."""
    courses = library.taught_courses(request.user, but=request.course)
    return library.taught_lessons(courses), library.shipped()


def _offers(request: CourseRequest, problem: str = "", status: int = 200) -> HttpResponse:
    of_courses, of_site = _offered(request)
    holds = library.holdings([request.course])[request.course.pk]
    context = {
        "course": request.course, "problem": problem,
        "of_courses": [offer_line(each, holds) for each in of_courses],
        "of_site": [offer_line(each, holds) for each in of_site],
    }  # fmt: skip
    return render(request, "lessons/add.html", context, status=status)


# -- how it is set up


@require_safe
@course_view(may_author)
def settings(request: CourseRequest, item: str) -> HttpResponse:
    found = lesson_or_404(request, item)
    return _settings(request, found, SettingsForm(found, current_schedule(found.item)))


@course_form(may_author, "lessons:settings", "course", "item")
def set_up(request: CourseRequest, item: str) -> HttpResponse:
    """Saves what was changed; or shows why not, with what was typed still there."""
    found = lesson_or_404(request, item)
    form = SettingsForm(found, current_schedule(found.item), request.POST)
    if not form.is_valid():
        return _settings(request, found, form, 422)
    try:
        authoring.set_up(found, request.user, form.changes, form.terms)
    except ValidationError as invalid:
        form.add_error(None, invalid)
        return _settings(request, found, form, 422)
    messages.success(request, "Saved." if form.changes or form.terms else "Nothing was changed.")
    address = reverse("lessons:settings", args=[request.course.slug, found.item.slug])
    return HttpResponseRedirect(address, status=303)


def _settings(request: CourseRequest, lesson: Lesson, form: SettingsForm, status: int = 200) -> HttpResponse:
    context = {"lesson": lesson, "course": request.course, "form": form}
    return render(request, "lessons/settings.html", context, status=status)
