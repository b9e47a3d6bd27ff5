"""Assignments: frozen versions of a folder, the place of one in a course, and uploads that may become one."""

from __future__ import annotations

from functools import cached_property
from typing import Any, ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q

from grader.assignment import Device
from softmark.courses.models import Course, Item
from softmark.coursework.routing import Queue


class AssignmentVersion(models.Model):
    """An assignment folder as it was imported. Never changed: what was graded by it stays explained by it.

    files:        {path: text}, all that grading needs.
    digest:       SHA-256 of the files, in hex; `version` is how the grader calls it, the first 12 digits.
    verification: the table mistake x check that let it be published, as grader.verify gave it.
    device:       where submissions run, and so which workers grade them.
    """

    slug = models.SlugField(max_length=60)
    version = models.CharField(max_length=12)
    digest = models.CharField(max_length=64)
    title = models.CharField(max_length=200)
    summary = models.TextField(blank=True)
    function = models.CharField(max_length=100)
    signature = models.CharField(max_length=300)
    points = models.DecimalField(max_digits=8, decimal_places=3)
    device = models.CharField(
        max_length=10, choices=[(str(device), str(device)) for device in Device], default=str(Device.CPU)
    )
    files: models.JSONField[dict[str, str], dict[str, str]] = models.JSONField()
    verification: models.JSONField[dict[str, Any], dict[str, Any]] = models.JSONField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("slug", "-id")
        constraints = (
            models.UniqueConstraint(fields=["slug", "digest"], name="version_once"),
            models.CheckConstraint(condition=models.Q(points__gt=0), name="version_points_positive"),
            models.CheckConstraint(
                condition=models.Q(device__in=[str(device) for device in Device]),
                name="version_device_is_known",
            ),
        )

    def __str__(self) -> str:
        return f"{self.slug} {self.version}"

    @property
    def runs_on_gpu(self) -> bool:
        return self.device == Device.CUDA

    @property
    def prompt(self) -> str:
        return self.files["prompt.md"]

    @property
    def starter(self) -> str:
        return self.files["starter.py"]


class Assignment(models.Model):
    """A code assignment in a course: which version is graded now, and how many attempts there are."""

    item = models.OneToOneField(Item, on_delete=models.CASCADE, related_name="assignment")
    version = models.ForeignKey(AssignmentVersion, on_delete=models.PROTECT, related_name="assignments")
    attempts = models.PositiveIntegerField(
        default=0, help_text="How many submissions of one student count. 0: as many as they like."
    )

    class Meta:
        ordering: ClassVar = ("item__position", "id")

    def __str__(self) -> str:
        return self.item.title

    @cached_property
    def course(self) -> Course:
        return self.item.course


class UploadStatus(models.TextChoices):
    """How far an upload has come."""

    UNUSABLE = "unusable", "cannot be used"
    WAITING = "waiting", "waits to be verified"
    RUNNING = "running", "is being verified"
    VERIFIED = "verified", "verified"
    FAILED = "failed", "could not be verified"

    @property
    def is_settled(self) -> bool:
        """True where nothing more happens by itself."""
        return self not in (UploadStatus.WAITING, UploadStatus.RUNNING)


class Upload(models.Model):
    """An assignment folder that an instructor brought to a course, and what verifying it gave so far.

    One file of it is graded at a time: claimed, graded, kept. The row is the truth about that, as a submission's is.

    files:        {path: text}; empty where the folder cannot be used.
    digest:       of the files; a course has the same content once.
    problems:     what is wrong with the folder: [{file, line or null, sentence, text of that line}].
    queue:        of the workers that grade it.
    names:        what is graded, in this order: the solution, the starter, the known mistakes.
    reports:      {SHA-256 of a file: its report}, of what has been graded; emptied when all of it has been.
    verification: the table mistake x check as far as it has come, as a version keeps it.
    seconds:      what grading took so far, without waiting.
    trouble:      why it failed; while it waits, what keeps graders from it.
    claim_no:     counts the claims; what was graded is only taken from the newest one.
    deaths:       claims that ended because their worker died or hung.
    queued_at:    when verifying began to wait.
    version:      what it was published as, or had been before.
    """

    course = models.ForeignKey(Course, on_delete=models.CASCADE, related_name="uploads")
    uploaded_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    uploaded_at = models.DateTimeField(auto_now_add=True)
    filename = models.CharField(max_length=200, blank=True)
    slug = models.SlugField(max_length=60, blank=True)
    title = models.CharField(max_length=200, blank=True)
    files: models.JSONField[dict[str, str], dict[str, str]] = models.JSONField(default=dict)
    digest = models.CharField(max_length=64, blank=True)
    problems: models.JSONField[list[dict[str, Any]], list[dict[str, Any]]] = models.JSONField(default=list)
    status = models.CharField(max_length=20, choices=UploadStatus.choices, default=UploadStatus.WAITING)
    queue = models.CharField(max_length=20, choices=Queue.choices, default=Queue.BATCH)
    names: models.JSONField[list[str], list[str]] = models.JSONField(default=list)
    reports: models.JSONField[dict[str, Any], dict[str, Any]] = models.JSONField(default=dict)
    verification: models.JSONField[dict[str, Any] | None, dict[str, Any] | None] = models.JSONField(null=True)
    seconds = models.FloatField(default=0)
    trouble = models.TextField(blank=True)
    queued_at = models.DateTimeField()
    claim_no = models.PositiveIntegerField(default=0)
    claimed_at = models.DateTimeField(null=True)
    worker = models.CharField(max_length=120, blank=True)
    lease_until = models.DateTimeField(null=True)
    deaths = models.PositiveSmallIntegerField(default=0)
    finished_at = models.DateTimeField(null=True)
    version = models.ForeignKey(
        AssignmentVersion, on_delete=models.PROTECT, null=True, related_name="uploads"
    )

    class Meta:
        ordering: ClassVar = ("-id",)
        constraints = (
            models.UniqueConstraint(
                fields=["course", "digest"], condition=~Q(digest=""), name="upload_once_in_a_course"
            ),
            models.CheckConstraint(
                condition=Q(status__in=UploadStatus.values), name="upload_status_is_known"
            ),
            models.CheckConstraint(
                condition=Q(queue__in=[Queue.BATCH, Queue.GPU]), name="upload_queue_verifies"
            ),
            models.CheckConstraint(
                condition=Q(status=UploadStatus.UNUSABLE, digest="", files={}) & ~Q(problems=[])
                | ~Q(status=UploadStatus.UNUSABLE) & ~Q(digest="") & Q(problems=[]),
                name="upload_unusable_says_why",
            ),
            models.CheckConstraint(
                condition=Q(status=UploadStatus.RUNNING, lease_until__isnull=False, claimed_at__isnull=False)
                | (~Q(status=UploadStatus.RUNNING) & Q(lease_until__isnull=True)),
                name="upload_leased_while_running",
            ),
            models.CheckConstraint(
                condition=~Q(status=UploadStatus.VERIFIED)
                | Q(verification__isnull=False, verification__has_keys=["table", "problems"]),
                name="upload_verified_has_its_table",
            ),
            models.CheckConstraint(
                condition=~Q(status=UploadStatus.FAILED) | ~Q(trouble=""), name="upload_failed_says_why"
            ),
            models.CheckConstraint(
                condition=Q(version__isnull=True)
                | Q(status=UploadStatus.VERIFIED, verification__problems=[]),
                name="upload_published_is_whole",
            ),
        )
        indexes = (
            models.Index(
                fields=["claimed_at", "id"], condition=Q(status=UploadStatus.WAITING), name="upload_waiting"
            ),
            models.Index(
                fields=["lease_until"], condition=Q(status=UploadStatus.RUNNING), name="upload_running"
            ),
        )

    def __str__(self) -> str:
        return f"upload {self.pk} of {self.title or self.filename or 'a folder'}"

    @property
    def state(self) -> UploadStatus:
        return UploadStatus(self.status)

    @property
    def called(self) -> str:
        """The version that it is, or would be."""
        return self.digest[:12]

    @property
    def done(self) -> int:
        """How many of its files have been graded."""
        return len(self.verification["table"]) if self.verification else 0
