"""Runs and workers in the administration pages: to be read, never changed."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from softmark.grading.models import Run, Worker


class ReadOnly(admin.ModelAdmin):
    """May be read."""

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


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
