"""Assignments in the administration pages. A version is read, never changed: it comes from a folder."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.forms import ModelChoiceField, ModelForm
from django.http import HttpRequest
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from softmark.coursework.models import Assignment, AssignmentVersion, Upload
from softmark.ui.admin import ReadOnly


@admin.register(AssignmentVersion)
class AssignmentVersionAdmin(ReadOnly):
    list_display = ("title", "slug", "version", "points", "device", "created_at")
    list_filter = ("device", "slug")
    search_fields = ("slug", "title", "version")
    fields = (
        "title", "summary", "slug", "version", "digest", "signature", "points", "device", "created_at", "folder",
        "mistakes",
    )  # fmt: skip
    readonly_fields = ("folder", "mistakes")

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
    autocomplete_fields = ("item",)

    def get_readonly_fields(self, request: HttpRequest, obj: Assignment | None = None) -> tuple[str, ...]:
        """What was handed in is graded in this column."""
        return ("item",) if obj else ()

    def get_form(
        self, request: HttpRequest, obj: Assignment | None = None, change: bool = False, **kwargs: Any
    ) -> type[ModelForm[Assignment]]:
        """Another version of the same folder may follow. Another folder may not: its checks are for another task."""
        form = super().get_form(request, obj, change, **kwargs)
        versions = AssignmentVersion.objects.defer("files", "verification")
        version = form.base_fields["version"]
        assert isinstance(version, ModelChoiceField)
        version.queryset = versions.filter(slug=obj.version.slug) if obj else versions
        return form

    @admin.display(ordering="item__course")
    def course(self, assignment: Assignment) -> str:
        return str(assignment.course)


@admin.register(Upload)
class UploadAdmin(ReadOnly):
    list_display = (
        "title",
        "filename",
        "course",
        "uploaded_by",
        "uploaded_at",
        "status",
        "version",
        "deaths",
    )
    list_filter = ("status", "course")
    list_select_related = ("course", "uploaded_by", "version")
    search_fields = ("title", "slug", "filename")
    fields = (
        "title", "slug", "course", "uploaded_by", "uploaded_at", "filename", "digest", "status", "queue", "trouble",
        "seconds", "claim_no", "claimed_at", "worker", "lease_until", "deaths", "finished_at", "version",
    )  # fmt: skip
