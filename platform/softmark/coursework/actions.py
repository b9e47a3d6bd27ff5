"""Writing assignments: taking an upload, publishing a version, putting it into a course."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import metadata
from typing import Any

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from grader.assignment import Assignment as Folder
from grader.assignment import AssignmentError, assignment_from_texts, digest_of
from grader.verify import Verification
from softmark.accounts.history import record
from softmark.accounts.models import User
from softmark.courses.actions import Terms, held_course, reschedule
from softmark.courses.models import Course, Item, Schedule
from softmark.courses.policies import Decision
from softmark.coursework.importing import published
from softmark.coursework.models import Assignment, AssignmentVersion, Upload, UploadStatus
from softmark.coursework.policies import may_publish, may_verify_again
from softmark.coursework.reading import Brought
from softmark.coursework.routing import queue_of_uploads
from softmark.coursework.signals import awaits_verification
from softmark.coursework.verifying import names_of


class NotFit(Exception):
    """The assignment did not pass the publish gate; `problems` says why, in sentences."""

    def __init__(self, problems: tuple[str, ...]) -> None:
        super().__init__(problems)
        self.problems = problems


class Misplaced(Exception):
    """The item is taken by something else. Holds a sentence."""


@dataclass
class Refused(Exception):
    """It is not to be done now. The reason is a sentence for whoever asked."""

    reason: str


@dataclass(frozen=True)
class Placed:
    """What putting a version into a course did."""

    assignment: Assignment
    is_new: bool
    moved_from: AssignmentVersion | None
    schedule: Schedule | None
    rescheduled: bool


@transaction.atomic
def publish(verification: Verification) -> AssignmentVersion:
    """Freezes a folder that passed the gate. One with the same files is there once. Raises NotFit."""
    return _freeze(verification.assignment, as_json(verification))


def _freeze(folder: Folder, verification: dict[str, Any]) -> AssignmentVersion:
    if verification["problems"]:
        raise NotFit(tuple(verification["problems"]))
    version, _ = AssignmentVersion.objects.get_or_create(
        slug=folder.slug,
        digest=digest_of(folder.files),
        defaults={
            "version": folder.version,
            "title": folder.title,
            "summary": folder.summary,
            "function": folder.function,
            "signature": folder.signature,
            "points": folder.points,
            "device": folder.device,
            "files": dict(folder.files),
            "verification": verification,
        },
    )
    return version


def as_json(verification: Verification) -> dict[str, Any]:
    """The table mistake x check, as it is kept with a version."""
    return {
        "grader": metadata.version("softmark"),
        "at": timezone.now().isoformat(timespec="seconds"),
        "checks": [check.id for check in verification.assignment.checks],
        "table": [
            {
                "name": row.name,
                "kind": str(row.kind),
                "marks": [str(mark) for mark in row.marks],
                "result": row.result,
            }
            for row in verification.table
        ],
        "problems": list(verification.problems),
        "notes": list(verification.notes),
    }


@transaction.atomic
def place(
    course: Course, version: AssignmentVersion, *, item_slug: str | None = None, attempts: int | None = None,
    terms: Terms | None = None,
) -> Placed:  # fmt: skip
    """Puts a version into a course, or moves the assignment that is there to it: submissions keep theirs.

    Full marks and title are the version's at first, and the course's own from then on. The course's row is locked,
    so that two imports at once do not both make the item. Raises Misplaced, or ValidationError by the schedule.
    """
    held_course(course)
    item_slug = item_slug or version.slug
    item = Item.objects.filter(course=course, slug=item_slug).first()
    assignment = Assignment.objects.filter(item=item).select_related("version").first() if item else None
    was = assignment.version if assignment else None
    if was is not None and was.slug != version.slug:
        raise Misplaced(
            f"The item “{item_slug}” of {course} is the assignment {was.slug}, which {version.slug} cannot replace: "
            "its submissions would belong to another task. Choose another name for the item."
        )
    if item is None:
        last = course.items.aggregate(last=Max("position"))["last"]
        item = Item.objects.create(
            course=course,
            slug=item_slug,
            title=version.title,
            points=version.points,
            position=(last or 0) + 1,
        )
    if assignment is None:
        assignment = Assignment.objects.create(item=item, version=version, attempts=attempts or 0)
    elif was != version or attempts not in (None, assignment.attempts):
        assignment.version = version
        assignment.attempts = assignment.attempts if attempts is None else attempts
        assignment.save()
    schedule, rescheduled = reschedule(item, terms or {})
    return Placed(
        assignment=assignment,
        is_new=was is None,
        moved_from=was if was != version else None,
        schedule=schedule,
        rescheduled=rescheduled,
    )


# -- uploads


@transaction.atomic
def receive(course: Course, by: User, brought: Brought) -> tuple[Upload, bool]:
    """Takes an uploaded folder, and says whether it is new: the same content is there once in a course.

    One that can be used waits to be verified, unless exactly that was published before.
    """
    now = timezone.now()
    fields: dict[str, Any] = {"uploaded_by": by, "filename": brought.filename, "queued_at": now}
    folder = brought.folder
    if folder is None:
        problems = [finding.as_json() for finding in brought.findings]
        unusable = {"status": UploadStatus.UNUSABLE, "problems": problems, "finished_at": now}
        return Upload.objects.create(course=course, **fields, **unusable), True
    fields |= {
        "slug": folder.slug, "title": folder.title, "files": dict(folder.files), "names": names_of(folder),
        "queue": queue_of_uploads(folder.device),
    }  # fmt: skip
    version = published(folder)
    if version is not None:
        fields |= {
            "status": UploadStatus.VERIFIED, "version": version, "finished_at": now,
            "verification": {"table": [], **version.verification, "problems": []},
        }  # fmt: skip
    upload, is_new = Upload.objects.get_or_create(
        course=course, digest=digest_of(folder.files), defaults=fields
    )
    if is_new and version is None:
        awaits_verification.send(sender=Upload, upload=upload)
    return upload, is_new


@transaction.atomic
def verify_again(upload: Upload, by: User) -> None:
    """Lets all of it be graded once more. Locks the upload; raises Refused."""
    locked = Upload.objects.select_for_update().get(pk=upload.pk)
    _refuse_unless(may_verify_again(locked))
    locked.status, locked.queued_at = UploadStatus.WAITING, timezone.now()
    locked.reports, locked.verification, locked.seconds = {}, None, 0
    locked.trouble, locked.deaths, locked.finished_at = "", 0, None
    locked.save()
    record(locked, str(locked), by, "To be verified again.")
    awaits_verification.send(sender=Upload, upload=locked)


@transaction.atomic
def publish_upload(
    upload: Upload, by: User, *, item_slug: str, attempts: int | None = None, terms: Terms | None = None
) -> Placed:
    """Freezes a verified upload as a version, once, and puts it into its course.

    Locks the upload, then the course. Raises Refused, Misplaced, or ValidationError by the schedule.
    """
    locked = (
        Upload.objects.select_for_update(of=("self",)).select_related("course", "version").get(pk=upload.pk)
    )
    _refuse_unless(may_publish(locked))
    assert locked.verification is not None
    if locked.version is None:
        try:
            locked.version = _freeze(assignment_from_texts(locked.files), locked.verification)
        except AssignmentError as error:  # what is asked of a folder has changed since
            raise Refused(f"The folder cannot be used any more: {error.problems[0]}") from None
        locked.save(update_fields=["version"])
    placed = place(locked.course, locked.version, item_slug=item_slug, attempts=attempts, terms=terms)
    record(
        locked,
        str(locked),
        by,
        f"Published as version {locked.version.version}, in the course as {item_slug}.",
    )
    return placed


def _refuse_unless(decision: Decision) -> None:
    if not decision.allowed:
        raise Refused(decision.reason)
