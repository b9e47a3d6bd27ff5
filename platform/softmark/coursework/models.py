"""Assignments: frozen versions of a folder, and the place of one in a course."""

from __future__ import annotations

from functools import cached_property
from typing import Any, ClassVar

from django.db import models

from softmark.courses.models import Course, Item


class AssignmentVersion(models.Model):
    """An assignment folder as it was imported. Never changed: what was graded by it stays explained by it.

    files:        {path: text}, all that grading needs.
    digest:       SHA-256 of the files, in hex; `version` is how the grader calls it, the first 12 digits.
    verification: the table mistake x check that let it be published, as grader.verify gave it.
    """

    slug = models.SlugField(max_length=60)
    version = models.CharField(max_length=12)
    digest = models.CharField(max_length=64)
    title = models.CharField(max_length=200)
    summary = models.TextField(blank=True)
    function = models.CharField(max_length=100)
    signature = models.CharField(max_length=300)
    points = models.DecimalField(max_digits=8, decimal_places=3)
    files: models.JSONField[dict[str, str], dict[str, str]] = models.JSONField()
    verification: models.JSONField[dict[str, Any], dict[str, Any]] = models.JSONField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("slug", "-id")
        constraints = (
            models.UniqueConstraint(fields=["slug", "digest"], name="version_once"),
            models.CheckConstraint(condition=models.Q(points__gt=0), name="version_points_positive"),
        )

    def __str__(self) -> str:
        return f"{self.slug} {self.version}"

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
