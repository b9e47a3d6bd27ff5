"""What students hand in. A row here is the truth about a submission; the queue is only a bell."""

from __future__ import annotations

import uuid
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q

from softmark.coursework.models import Assignment, AssignmentVersion
from softmark.coursework.routing import Queue


class Work(models.Model):
    """One student's work on one assignment: the draft, and the row that is locked while an attempt is counted."""

    assignment = models.ForeignKey(Assignment, on_delete=models.CASCADE, related_name="works")
    student = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="works")
    draft = models.TextField(blank=True)
    drafted_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = (models.UniqueConstraint(fields=["assignment", "student"], name="one_work_each"),)

    def __str__(self) -> str:
        return f"{self.student}'s work on {self.assignment}"


class Status(models.TextChoices):
    """Where a submission stands."""

    WAITING = "waiting", "waiting"
    RUNNING = "running", "running"
    GRADED = "graded", "graded"
    FAULT = "fault", "not graded: a fault of the assignment"
    HELD = "held", "held for the staff"

    @property
    def is_settled(self) -> bool:
        """True where nothing more happens by itself."""
        return self not in (Status.WAITING, Status.RUNNING)


class Submission(models.Model):
    """One attempt: what was handed in, when, and where it stands.

    token:       names the form it came from, so that a form sent twice is one submission.
    claim_no:    counts the claims; a result is only taken from the newest one.
    worker:      the process that claimed it last.
    lease_until: when a claim that was not renewed ends.
    deaths:      claims that ended that way: workers that died or hung while grading it.
    returned:    the attempt does not count (a fault that was not the student's).
    """

    assignment = models.ForeignKey(Assignment, on_delete=models.CASCADE, related_name="submissions")
    version = models.ForeignKey(AssignmentVersion, on_delete=models.PROTECT, related_name="submissions")
    student = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="submissions"
    )
    number = models.PositiveIntegerField()
    token = models.UUIDField(unique=True, default=uuid.uuid4)
    received_at = models.DateTimeField()
    filename = models.CharField(max_length=200, blank=True, help_text="Empty: written in the editor.")
    text = models.TextField()
    cells: models.JSONField[list[int], list[int]] = models.JSONField(default=list)
    notes: models.JSONField[list[str], list[str]] = models.JSONField(default=list)
    queue = models.CharField(max_length=20, choices=Queue.choices, default=Queue.CPU)
    status = models.CharField(max_length=20, choices=Status.choices, default=Status.WAITING)
    claim_no = models.PositiveIntegerField(default=0)
    claimed_at = models.DateTimeField(null=True, blank=True)
    worker = models.CharField(max_length=120, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    deaths = models.PositiveSmallIntegerField(default=0)
    returned = models.BooleanField("attempt given back", default=False)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ("-received_at", "-id")
        constraints = (
            models.UniqueConstraint(
                fields=["assignment", "student", "number"], name="one_submission_a_number"
            ),
            models.CheckConstraint(condition=Q(number__gte=1), name="submission_number_from_one"),
            models.CheckConstraint(condition=Q(status__in=Status.values), name="submission_status_is_known"),
            models.CheckConstraint(
                condition=Q(status=Status.RUNNING, lease_until__isnull=False, claimed_at__isnull=False)
                | (~Q(status=Status.RUNNING) & Q(lease_until__isnull=True)),
                name="submission_leased_while_running",
            ),
        )
        indexes = (
            models.Index(
                fields=["queue", "student", "received_at"], condition=Q(status=Status.WAITING),
                name="submission_waiting",
            ),
            models.Index(
                fields=["lease_until"], condition=Q(status=Status.RUNNING), name="submission_running"
            ),
            models.Index(
                fields=["student", "queue", "-claimed_at"], condition=Q(claimed_at__isnull=False),
                name="submission_last_served",
            ),
            models.Index(fields=["assignment", "student", "received_at"], name="submission_of_student"),
        )  # fmt: skip

    def __str__(self) -> str:
        return f"submission {self.number} of {self.assignment} by {self.student}"

    @property
    def state(self) -> Status:
        return Status(self.status)
