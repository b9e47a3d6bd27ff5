"""What grading a submission gave: one row for each run that came to its end."""

from __future__ import annotations

from typing import Any, ClassVar

from django.db import models

from softmark.submissions.models import Submission


class Run(models.Model):
    """A finished run and its report.

    report: as grader.report.Report.to_dict() gives it, whole; what a student may see of it is grading/visible.py's
    business. Points are the grader's, before anything late costs.
    """

    submission = models.ForeignKey(Submission, on_delete=models.PROTECT, related_name="runs")
    claim_no = models.PositiveIntegerField()
    started_at = models.DateTimeField()
    finished_at = models.DateTimeField()
    verdict = models.CharField(max_length=30)
    points = models.DecimalField(max_digits=8, decimal_places=3)
    max_points = models.DecimalField(max_digits=8, decimal_places=3)
    seconds = models.FloatField(help_text="What the grader took, without queue and database.")
    worker = models.CharField(max_length=100)
    report: models.JSONField[dict[str, Any], dict[str, Any]] = models.JSONField()
    staff_told_at = models.DateTimeField(null=True, blank=True, help_text="Of a fault of the assignment.")

    class Meta:
        ordering: ClassVar = ("-id",)
        indexes = (
            models.Index(
                fields=["finished_at"], condition=models.Q(verdict="assignment fault"), name="run_fault"
            ),
        )
        constraints = (
            models.UniqueConstraint(fields=["submission", "claim_no"], name="one_run_a_claim"),
            models.CheckConstraint(
                condition=models.Q(points__gte=0) & models.Q(points__lte=models.F("max_points")),
                name="run_points_within_maximum",
            ),
        )

    def __str__(self) -> str:
        return f"run {self.claim_no} of {self.submission}"


class Worker(models.Model):
    """A process that was heard of on a queue: it started, or it answered the bell.

    rung: of its sandbox; null where it has none and cannot grade, and `trouble` says why.
    """

    name = models.CharField(max_length=120)
    queue = models.CharField(max_length=20)
    rung = models.PositiveSmallIntegerField(null=True)
    trouble = models.TextField(blank=True)
    seen_at = models.DateTimeField()

    class Meta:
        ordering: ClassVar = ("-seen_at",)
        constraints = (models.UniqueConstraint(fields=["name", "queue"], name="one_worker_a_queue"),)

    def __str__(self) -> str:
        return f"{self.name} on {self.queue}"
