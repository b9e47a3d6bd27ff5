"""Lessons in the administration pages. A version is read, never changed: it comes from a folder."""

from __future__ import annotations

from django.contrib import admin
from django.http import HttpRequest

from softmark.lessons.models import Lesson, LessonVersion
from softmark.ui.admin import ReadOnly


@admin.register(LessonVersion)
class LessonVersionAdmin(ReadOnly):
    list_display = ("title", "slug", "kind", "called", "minutes", "created_at")
    list_filter = ("slug",)
    search_fields = ("slug", "title", "digest")
    fields = ("title", "kind", "summary", "slug", "digest", "minutes", "created_at", "text")


@admin.register(Lesson)
class LessonAdmin(admin.ModelAdmin):
    """How its predictions count may be changed here; its place and its version come by an import."""

    list_display = ("item", "course", "version", "counts", "time_limit")
    list_filter = ("item__course",)
    list_select_related = ("item__course", "version")
    fields = ("item", "version", "counts", "time_limit")
    readonly_fields = ("item", "version")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    @admin.display(ordering="item__course")
    def course(self, lesson: Lesson) -> str:
        return str(lesson.course)
