"""Assignments in the administration pages. A version is read, never changed: the import command makes them."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from softmark.coursework.models import Assignment, AssignmentVersion


@admin.register(AssignmentVersion)
class AssignmentVersionAdmin(admin.ModelAdmin):
    list_display = ("title", "slug", "version", "points", "created_at")
    list_filter = ("slug",)
    search_fields = ("slug", "title", "version")
    fields = (
        "title", "summary", "slug", "version", "digest", "signature", "points", "created_at", "folder", "mistakes",
    )  # fmt: skip
    readonly_fields = ("folder", "mistakes")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    @admin.display(description="files")
    def folder(self, version: AssignmentVersion) -> SafeString:
        return format_html_join("", "{}<br>", ((path,) for path in sorted(version.files)))

    @admin.display(description="known mistakes")
    def mistakes(self, version: AssignmentVersion) -> SafeString:
        rows = version.verification.get("table", [])
        if not rows:
            return format_html("{}", "none")
        return format_html_join("", "{}: {}<br>", ((row["name"], row["result"]) for row in rows))


@admin.register(Assignment)
class AssignmentAdmin(admin.ModelAdmin):
    list_display = ("item", "course", "version", "attempts")
    list_filter = ("item__course",)
    list_select_related = ("item__course", "version")
    autocomplete_fields = ("item", "version")

    @admin.display(ordering="item__course")
    def course(self, assignment: Assignment) -> str:
        return str(assignment.course)
