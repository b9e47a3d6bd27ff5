"""Writing what students hand in."""

from __future__ import annotations

import hashlib
import uuid
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from softmark.accounts.models import User
from softmark.courses.queries import role_in
from softmark.coursework.models import Assignment
from softmark.coursework.routing import queue_of_submissions
from softmark.coursework.source import Source
from softmark.submissions import queries, signals
from softmark.submissions.models import Submission, Work
from softmark.submissions.policies import may_submit
from softmark.submissions.text import storable

_FILENAME_LENGTH = 200  # of Submission.filename


@dataclass
class Refused(Exception):
    """It was not taken. The reason is a sentence for the student."""

    reason: str


@transaction.atomic
def submit(
    assignment: Assignment, student: User, source: Source, filename: str, token: uuid.UUID, now: datetime
) -> Submission:
    """Takes a submission that was received at the instant `now`. Raises Refused.

    `token` names the form that it came from and `filename` the file; none for what was written in the editor.
    The same text from the same form is the same submission. Another text from it is another one: somebody went
    back to the page and went on.

    Holds the lock on the student's Work row, so whatever comes for this assignment at the same time waits here,
    and is counted.
    """
    work = locked_work(assignment, student)
    source, filename = _as_stored(source), _short(storable(filename))
    seen = _from_form(token, assignment, student)
    if seen is not None and (seen.filename, seen.text) != (filename, source.text):
        token = _token_of_other(token, filename, source.text)
        seen = _from_form(token, assignment, student)
    if seen is not None:
        return seen
    assignment = queries.assignment_now(assignment)
    used, last = queries.attempts_used_and_last(assignment, student)
    role, recent = role_in(student, assignment.course), queries.received_lately(student, now)
    decision = may_submit(queries.standing_of(assignment, student, role, used, recent), now)
    if not decision.allowed:
        raise Refused(decision.reason)
    submission = Submission.objects.create(
        assignment=assignment,
        version_id=assignment.version_id,
        student=student,
        number=last + 1,
        token=token,
        received_at=now,
        filename=filename,
        text=source.text,
        cells=list(source.cells),
        notes=list(source.notes),
        queue=queue_of_submissions(assignment.version.device),
    )
    if not filename and work.draft:  # an upload leaves alone what stands in the editor
        work.draft, work.drafted_at = "", None
        work.save(update_fields=["draft", "drafted_at"])
    signals.submitted.send(sender=Submission, submission=submission)
    return submission


@transaction.atomic
def save_draft(assignment: Assignment, student: User, text: str, now: datetime) -> datetime | None:
    """Keeps what stands in the editor. Of two tabs the last one wins.

    Returns when the draft that this one replaces had been saved, if there was one. Holds the lock on the Work row.
    """
    work = locked_work(assignment, student)
    replaced = work.drafted_at
    work.draft, work.drafted_at = storable(text), now
    newest = queries.newest(assignment, student)
    if (
        newest is not None and newest.text == work.draft
    ):  # the editor's last words, overtaken by its own submission
        work.draft, work.drafted_at = "", None
    work.save(update_fields=["draft", "drafted_at"])
    return replaced


# One statement for all three: whoever hands in waits for each of them. The update changes nothing, and locks the row.
_LOCKED_WORK = """
INSERT INTO submissions_work (assignment_id, student_id, draft) VALUES (%s, %s, '')
ON CONFLICT ON CONSTRAINT one_work_each DO UPDATE SET assignment_id = EXCLUDED.assignment_id
RETURNING *
"""


def locked_work(assignment: Assignment, student: User) -> Work:
    """The student's Work row, made where there is none, and locked until the transaction ends."""
    (work,) = Work.objects.raw(_LOCKED_WORK, [assignment.pk, student.pk])
    return work


def _from_form(token: uuid.UUID, assignment: Assignment, student: User) -> Submission | None:
    """What came from this form before. Raises Refused where the form is not theirs."""
    seen = Submission.objects.filter(token=token).first()
    if seen is not None and (seen.assignment_id, seen.student_id) != (assignment.pk, student.pk):
        raise Refused(
            "This form belongs to another submission. Open the page of the assignment and submit there."
        )
    return seen


def _token_of_other(token: uuid.UUID, filename: str, text: str) -> uuid.UUID:
    """The name of the same form with this in it, so that it can be sent twice as well."""
    return uuid.uuid5(token, hashlib.sha256(f"{filename}\0{text}".encode()).hexdigest())


def _as_stored(source: Source) -> Source:
    return Source(storable(source.text), tuple(map(storable, source.notes)), source.cells)


def _short(filename: str) -> str:
    """A name that fits its column, its end kept: it says what kind of file it is."""
    if len(filename) <= _FILENAME_LENGTH:
        return filename
    return "…" + filename[1 - _FILENAME_LENGTH :]
