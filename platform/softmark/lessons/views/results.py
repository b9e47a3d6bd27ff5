"""What a class predicted, for its staff; and for a learner how sure they were against how often they were right."""

from __future__ import annotations

from dataclasses import replace

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from softmark.courses.access import CourseRequest, course_view
from softmark.courses.queries import students_of
from softmark.lessons import export, results
from softmark.lessons.calibration import calibrated
from softmark.lessons.compiled import Unshowable, compiled
from softmark.lessons.pages.calibration import calibration_page
from softmark.lessons.pages.results import ResultsPage, answers_page, class_sure, question_results
from softmark.lessons.policies import may_see_calibration, may_see_results
from softmark.lessons.results import Read
from softmark.lessons.views.finding import lesson_or_404


@require_safe
@course_view(may_see_calibration)
def calibration(request: CourseRequest) -> HttpResponse:
    """A student's own, over the lessons of a course."""
    found = calibrated(results.said_by(request.user, request.course))
    return render(request, "lessons/calibration.html", {"page": calibration_page(request.course, found)})


@require_safe
@course_view(may_see_results)
def lesson(request: CourseRequest, item: str) -> HttpResponse:
    """Everybody's predictions in a lesson, question by question."""
    found = lesson_or_404(request, item)
    versions = results.versions_read(found)
    read = _asked(request, versions)
    page = ResultsPage(found, students_of(request.course).count(), read, tuple(versions))
    try:
        content = compiled(read.version)
    except Unshowable as unshowable:
        page = replace(page, trouble=str(unshowable))
    else:
        answers = results.answers_in(found, read.version)
        page = replace(page, questions=question_results(content, answers), sure=class_sure(answers))
    return render(request, "lessons/results.html", {"page": page})


@require_safe
@course_view(may_see_results)
def answers(request: CourseRequest, item: str, stop: str) -> HttpResponse:
    """Everybody's answer to one question."""
    found = lesson_or_404(request, item)
    read = _asked(request, results.versions_read(found))
    try:
        content = compiled(read.version)
    except Unshowable as unshowable:
        raise Http404("a version that cannot be shown") from unshowable
    if stop not in content.questions:
        raise Http404("no such question in this version")
    rows = results.answers_at(found, read.version, stop)
    return render(request, "lessons/answers.html", {"page": answers_page(found, read, content, stop, rows)})


@require_safe
@course_view(may_see_results)
def csv(request: CourseRequest, item: str) -> HttpResponse:
    """All predictions in a lesson, as a file."""
    found = lesson_or_404(request, item)
    questions = {}
    for read in results.versions_read(found):
        try:
            questions[read.version.digest] = compiled(read.version).questions
        except Unshowable:  # its answers are written as they are kept
            continue
    day = timezone.now().astimezone(request.course.zone)
    name = f"predictions-{request.course.slug}-{found.item.slug}-{day:%Y-%m-%d}.csv"
    return HttpResponse(
        export.csv(results.all_rows(found), questions),
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


def _asked(request: CourseRequest, versions: list[Read]) -> Read:
    """The version that is asked for; what makes no sense asks for the current one."""
    asked = request.GET.get("version", "")
    return next((each for each in versions if each.version.called == asked), versions[0])
