"""Submissions in the administration pages: to look at, not to change. What may be done is on their own pages."""

from __future__ import annotations

from django.contrib import admin

from softmark.submissions.models import Submission
from softmark.ui.admin import ReadOnly


@admin.register(Submission)
class SubmissionAdmin(ReadOnly):
    list_display = ("assignment", "student", "number", "status", "received_at", "queue", "deaths", "returned")
    list_filter = ("status", "queue", "returned", "assignment__item__course")
    list_select_related = ("assignment__item", "student")
    search_fields = ("student__name", "student__email")
    date_hierarchy = "received_at"
