"""All that the page of an upload shows, read with few queries."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import cached_property
from itertools import groupby
from typing import Any

from django.utils import timezone

from softmark.courses.models import Course
from softmark.courses.policies import Decision
from softmark.courses.queries import current_schedule
from softmark.coursework import queries
from softmark.coursework.forms import PublishForm
from softmark.coursework.models import Assignment, Upload, UploadStatus
from softmark.coursework.policies import may_publish, may_verify_again
from softmark.coursework.routing import Queue
from softmark.coursework.table import Table, shown_table
from softmark.ui.polling import next_look

_LONG = timedelta(seconds=60)  # for a worker to come: it hears a bell every ten


class UploadPage:
    """One upload for an instructor. Everything beyond the upload is read when a template asks for it."""

    def __init__(self, upload: Upload, course: Course, form: PublishForm | None = None) -> None:
        """form: as it was sent, where it could not be taken."""
        self.upload = upload
        self.course = course
        self.now: datetime = timezone.now()
        self.sent = form

    @property
    def title(self) -> str:
        return self.upload.title or self.upload.filename or "A folder"

    # -- until it is settled

    @property
    def is_settled(self) -> bool:
        return self.upload.state.is_settled

    @property
    def needs_gpu(self) -> bool:
        return self.upload.queue == Queue.GPU

    @property
    def has_begun(self) -> bool:
        return self.upload.state is UploadStatus.RUNNING or self.upload.done > 0

    @property
    def next_name(self) -> str:
        """The file that is graded now, or next."""
        return self.upload.names[self.upload.done] if self.upload.done < len(self.upload.names) else ""

    @property
    def waiting(self) -> timedelta | None:
        """Since when no grader came for it, where that is long."""
        if self.upload.state is not UploadStatus.WAITING:
            return None
        since = max(filter(None, (self.upload.queued_at, self.upload.claimed_at)))
        return self.now - since if self.now - since > _LONG else None

    @property
    def next_look(self) -> float:
        """Seconds until the page asks again."""
        return next_look(self.now - self.upload.queued_at)

    # -- once it is

    @cached_property
    def table(self) -> Table:
        return shown_table(self.upload.verification, [] if self.is_settled else self.upload.names)

    @property
    def by_file(self) -> Iterator[tuple[str, list[dict[str, Any]]]]:
        """What is wrong with the folder, file by file."""
        for file, problems in groupby(self.upload.problems, key=lambda problem: problem["file"]):
            yield file, list(problems)

    @property
    def may_publish(self) -> Decision:
        return may_publish(self.upload)

    @property
    def may_verify_again(self) -> Decision:
        return may_verify_again(self.upload)

    @cached_property
    def placed(self) -> list[Assignment]:
        """The assignments of the course that are a version of this folder."""
        return list(queries.assignments_from(self.course, self.upload.slug)) if self.upload.slug else []

    @property
    def here(self) -> list[Assignment]:
        """Those that are exactly this version."""
        return [each for each in self.placed if each.version.digest == self.upload.digest]

    @property
    def replaces(self) -> Assignment | None:
        """The assignment that this would be a new version of."""
        return self.placed[0] if self.placed else None

    @cached_property
    def handed_in(self) -> int:
        """How many submissions the assignment has that this would be a new version of."""
        return self.replaces.submissions.count() if self.replaces else 0

    @cached_property
    def form(self) -> PublishForm:
        return self.sent or publish_form(self.upload, self.course, self.replaces)

    # -- in one sentence

    @property
    def standing(self) -> str:
        """Read aloud whenever it changes, so it holds nothing that changes with every look."""
        if self.upload.state is UploadStatus.VERIFIED:
            if self.may_publish.allowed:
                return "Nothing is missing."
            missing = len(self.table.missing)
            return "One thing is missing." if missing == 1 else f"{missing} things are missing."
        if self.upload.state is UploadStatus.UNUSABLE:
            count = len(self.upload.problems)
            return "The folder has one problem." if count == 1 else f"The folder has {count} problems."
        if self.upload.state is UploadStatus.FAILED:
            return "It could not be verified."
        if self.has_begun:
            return "Its files are being graded."
        return "It waits for a grader with a GPU." if self.needs_gpu else "It waits for a grader."


def publish_form(
    upload: Upload, course: Course, replaces: Assignment | None, data: Any = None
) -> PublishForm:
    schedule = current_schedule(replaces.item) if replaces else None
    return PublishForm(upload, course, replaces, schedule, data)
