"""All that a report's page shows to one reader, read with few queries."""

from __future__ import annotations

from datetime import datetime
from functools import cached_property, lru_cache

from django.db.models import QuerySet
from django.utils import timezone

from grader.assignment import AssignmentError, CheckSpec, assignment_from_texts
from softmark.accounts.models import User
from softmark.courses.deadlines import Deadline
from softmark.courses.late_policy import Lateness, lateness
from softmark.courses.late_words import percent
from softmark.courses.models import Course, Item, Role
from softmark.courses.queries import deadline_for
from softmark.coursework.models import AssignmentVersion
from softmark.coursework.routing import Queue
from softmark.grading import progress, queries, wording
from softmark.grading.arithmetic import Arithmetic, arithmetic
from softmark.grading.live import Progress, progress_of
from softmark.grading.models import Run
from softmark.grading.visible import ShownReport, line_of, report_for
from softmark.submissions.models import Status, Submission
from softmark.submissions.queries import attempts_used
from softmark.ui.polling import LATEST, next_look
from softmark.ui.words import shown_points

MOST_CODE = 100_000  # characters that are shown; all of it can be downloaded


def submission_in(course: Course, pk: int) -> Submission | None:
    """A submission of this course, without the large texts, which a page that asks again and again does not need."""
    return (
        Submission.objects.filter(assignment__item__course=course, pk=pk)
        .select_related("assignment__item__course", "version", "student")
        .defer("text", "cells", "notes", "version__files", "version__verification")
        .first()
    )


class ReportPage:
    """One submission for one reader. Everything beyond the submission is read when a template asks for it."""

    def __init__(self, submission: Submission, course: Course, reader: User, role: Role) -> None:
        self.submission = submission
        self.course = course
        self.item: Item = submission.assignment.item
        self.is_own = submission.student_id == reader.pk
        self.for_staff = role.is_staff
        self.now: datetime = timezone.now()

    @property
    def state(self) -> Status:
        return self.submission.state

    @property
    def is_settled(self) -> bool:
        return self.state.is_settled

    @cached_property
    def deadline(self) -> Deadline:
        """That of whoever handed it in."""
        return deadline_for(self.submission.student, self.item)

    @cached_property
    def lateness(self) -> Lateness:
        deadline = self.deadline
        return lateness(deadline.due_at, deadline.late_policy, self.submission.received_at, self.course.zone)

    @property
    def percent_lost(self) -> str:
        return percent(self.lateness.percent_lost)

    @property
    def past_due(self) -> bool:
        return not self.for_staff and self.deadline.is_past_due(self.now)

    @property
    def received_at_clock(self) -> str:
        """To the second, as a receipt says it."""
        return f"{self.submission.received_at.astimezone(self.course.zone):%H:%M:%S}"

    @property
    def shows_points(self) -> bool:
        """Until the grades are released, a student sees what the checks say, and no points."""
        return self.for_staff or self.item.shows_grades

    # -- until it is settled

    @property
    def needs_gpu(self) -> bool:
        return self.submission.queue == Queue.GPU

    @cached_property
    def place(self) -> queries.Place | None:
        return queries.place(self.submission) if self.state is Status.WAITING else None

    @cached_property
    def progress(self) -> Progress | None:
        if self.state is not Status.RUNNING:
            return None
        announced = checks_of(self.submission.version.digest)
        told = progress.read(self.submission)
        return progress_of(announced, told, self.for_staff, self.past_due)

    @property
    def next_look(self) -> float:
        """Seconds until the page asks again."""
        if self.place is not None:
            return next_look(self.place.waiting) if self.place.worker_is_there else LATEST
        return next_look(self.now - (self.submission.claimed_at or self.now))

    # -- once it is

    @cached_property
    def run(self) -> Run | None:
        """The newest, where it is the result."""
        if self.state not in (Status.GRADED, Status.FAULT):
            return None
        return Run.objects.filter(submission=self.submission).order_by("-claim_no").first()

    @cached_property
    def report(self) -> ShownReport | None:
        if self.run is None:
            return None
        return report_for(self.run.report, self.for_staff, self.past_due, self.shows_points)

    @property
    def outcome(self) -> str:
        """The whole in plain words; what to do about it is for whoever handed it in."""
        return wording.outcome(self.report, advise=self.is_own) if self.report else ""

    @cached_property
    def arithmetic(self) -> Arithmetic | None:
        """None where there are no points to tell."""
        if (
            self.run is None
            or self.state is not Status.GRADED
            or not self.run.max_points
            or not self.shows_points
        ):
            return None
        return arithmetic(self.run.points, self.run.max_points, self.lateness, self.item.points)

    @cached_property
    def runs(self) -> QuerySet[Run]:
        """All of them, for staff."""
        return Run.objects.filter(submission=self.submission).defer("report").order_by("-claim_no")

    @cached_property
    def handed_in(self) -> Submission:
        """The submission with its large texts."""
        self.submission.refresh_from_db(fields=["text", "cells", "notes"])
        return self.submission

    @cached_property
    def code(self) -> str:
        """As much of the text as is shown, in whole lines."""
        text = self.handed_in.text
        if len(text) <= MOST_CODE:
            return text
        return text[: text.rfind("\n", 0, MOST_CODE) + 1] or text[:MOST_CODE]

    @property
    def code_is_cut(self) -> bool:
        return len(self.code) < len(self.handed_in.text)

    @property
    def marked_line(self) -> int | None:
        failure = self.report.first_failure if self.report else None
        return line_of(failure, self.handed_in.cells)

    @cached_property
    def attempts_left(self) -> int | None:
        """None: as many as they like."""
        assignment = self.submission.assignment
        if not assignment.attempts:
            return None
        return max(0, assignment.attempts - attempts_used(assignment, self.submission.student))

    @property
    def is_closed(self) -> bool:
        return self.deadline.is_closed(self.now)

    @property
    def all_right(self) -> bool:
        return self.run is not None and self.run.points == self.run.max_points

    # -- in one sentence

    @property
    def standing(self) -> str:
        """Read aloud whenever it changes, so it holds nothing that changes with every look."""
        if self.place is not None:
            if not self.place.worker_is_there:
                return _NO_GPU_WORKER if self.needs_gpu else "No grader is at work at the moment."
            ahead = self.place.ahead
            whom = " of you" if self.is_own else ""
            return f"{ahead} ahead{whom} in the queue." if ahead else "Next in the queue."
        if self.progress is not None:
            done, total = self.progress.done, self.progress.total
            return f"{done} of {total} checks done." if total else "The checks are running."
        if self.state is Status.GRADED and not self.shows_points:
            return "The grade is not released yet."
        if self.state is Status.GRADED and self.run is not None:
            points, most = shown_points(self.run.points, self.run.max_points)
            late = f", less {self.percent_lost} for being late" if self.lateness.percent_lost else ""
            return f"{points} of {most} points{late}."
        if self.state is Status.HELD and self.submission.returned:
            return "Not graded: the attempt was given back."
        return _SETTLED.get(self.state, "")


_NO_GPU_WORKER = "No GPU worker is connected."
_SETTLED = {
    Status.FAULT: "Not graded: the assignment's own checks failed.",
    Status.HELD: "Not graded yet: it waits for a decision of the course staff.",
}


@lru_cache(maxsize=64)
def checks_of(digest: str) -> tuple[CheckSpec, ...]:
    """The checks that a version announces. Its digest stands for its content, so nothing here grows old."""
    files = AssignmentVersion.objects.filter(digest=digest).values_list("files", flat=True).first()
    try:
        return assignment_from_texts(files).checks if files else ()
    except AssignmentError:  # of an older format: do without the list
        return ()
