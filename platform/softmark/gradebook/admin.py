"""The events of grades in the administration pages: to read. The gradebook's own pages add to them."""

from __future__ import annotations

from django.contrib import admin

from softmark.gradebook.models import Event
from softmark.ui.admin import ReadOnly


@admin.register(Event)
class EventAdmin(ReadOnly):
    list_display = ("id", "at", "kind", "item", "student", "points", "actor")
    list_filter = ("kind", "course")
    list_select_related = ("item", "student", "actor")
    search_fields = ("student__name", "student__email", "reason")
    show_full_result_count = False
