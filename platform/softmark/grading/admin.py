"""Runs and workers in the administration pages: to be read, never changed."""

from __future__ import annotations

from django.contrib import admin

from softmark.grading.models import Run, Worker
from softmark.ui.admin import ReadOnly


@admin.register(Run)
class RunAdmin(ReadOnly):
    list_display = (
        "submission",
        "claim_no",
        "verdict",
        "points",
        "max_points",
        "seconds",
        "finished_at",
        "worker",
    )
    list_filter = ("verdict", "submission__assignment__item__course")
    list_select_related = ("submission__assignment__item", "submission__student")
    search_fields = ("submission__student__name", "submission__student__email", "worker")
    date_hierarchy = "finished_at"


@admin.register(Worker)
class WorkerAdmin(ReadOnly):
    list_display = ("name", "queue", "rung", "seen_at", "trouble")
    list_filter = ("queue",)
