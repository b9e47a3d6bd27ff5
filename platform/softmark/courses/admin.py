"""Courses in the administration pages. Schedules and extensions are added, never changed."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from softmark.courses.models import Accommodation, Course, Enrolment, Extension, Item, Schedule, Section


class AppendOnly(admin.ModelAdmin):
    """May be added and read."""

    exclude = ("created_by",)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        obj.created_by = request.user
        super().save_model(request, obj, form, change)


class SectionInline(admin.TabularInline):
    model = Section
    extra = 0


@admin.register(Course)
class CourseAdmin(admin.ModelAdmin):
    list_display = ("title", "slug", "time_zone")
    prepopulated_fields = {"slug": ("title",)}  # noqa: RUF012 -- as Django's own are
    inlines = (SectionInline,)


@admin.register(Enrolment)
class EnrolmentAdmin(admin.ModelAdmin):
    list_display = ("user", "course", "role", "section", "active")
    list_filter = ("course", "role", "active")
    search_fields = ("user__name", "user__email")
    autocomplete_fields = ("user",)

    def get_readonly_fields(self, request: HttpRequest, obj: Enrolment | None = None) -> tuple[str, ...]:
        """Work and grades belong to this person in this course."""
        return ("user", "course") if obj else ()

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Who has left is made inactive."""
        return False


@admin.register(Item)
class ItemAdmin(admin.ModelAdmin):
    list_display = ("title", "course", "points", "visible", "released", "position")
    list_filter = ("course",)
    search_fields = ("title",)

    def get_readonly_fields(self, request: HttpRequest, obj: Item | None = None) -> tuple[str, ...]:
        """Its grades belong to its course, and its page to its kind; the gradebook releases and hides the grades, so
        that it is known who did.
        """
        return ("course", "kind", "released") if obj else ()


@admin.register(Schedule)
class ScheduleAdmin(AppendOnly):
    list_display = ("item", "opens_at", "due_at", "closes_at", "created_at", "created_by")
    list_filter = ("item__course",)


@admin.register(Extension)
class ExtensionAdmin(AppendOnly):
    list_display = ("item", "user", "due_at", "created_at", "created_by")
    list_filter = ("item__course",)
    autocomplete_fields = ("user", "item")


@admin.register(Accommodation)
class AccommodationAdmin(AppendOnly):
    """To read: granted on the page of the course's people, where time that runs already is prolonged as well."""

    list_display = ("course", "user", "time_factor", "created_at", "created_by")
    list_filter = ("course",)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False
