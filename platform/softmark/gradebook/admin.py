"""The events of grades in the administration pages: to read. The gradebook's own pages add to them."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from softmark.gradebook.models import Event


@admin.register(Event)
class EventAdmin(admin.ModelAdmin):
    list_display = ("id", "at", "kind", "item", "student", "points", "actor")
    list_filter = ("kind", "course")
    list_select_related = ("item", "student", "actor")
    search_fields = ("student__name", "student__email", "reason")
    show_full_result_count = False

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
