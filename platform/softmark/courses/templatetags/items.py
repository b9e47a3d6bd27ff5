"""`{% item_url course item %}`: the page of an item, whatever kind it is. The pages belong to apps above this one."""

from __future__ import annotations

from django import template
from django.urls import reverse

from softmark.courses.models import Course, Item

register = template.Library()

_PAGES = {Item.Kind.ASSIGNMENT: "submissions:assignment", Item.Kind.LESSON: "lessons:lesson"}


@register.simple_tag
def item_url(course: Course, item: Item) -> str:
    return reverse(_PAGES[Item.Kind(item.kind)], args=[course.slug, item.slug])
