"""Submissions in the administration pages: to look at, not to change. What may be done is on their own pages."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from softmark.submissions.models import Submission


@admin.register(Submission)
class SubmissionAdmin(admin.ModelAdmin):
    list_display = ("assignment", "student", "number", "status", "received_at", "queue", "deaths", "returned")
    list_filter = ("status", "queue", "returned", "assignment__item__course")
    list_select_related = ("assignment__item", "student")
    search_fields = ("student__name", "student__email")
    date_hierarchy = "received_at"

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
