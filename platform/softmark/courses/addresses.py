"""The page of an item, whatever kind it is: these pages belong to apps above this one."""

from __future__ import annotations

from django.urls import reverse

from softmark.courses.models import Course, Item

_PAGES = {Item.Kind.ASSIGNMENT: "submissions:assignment", Item.Kind.LESSON: "lessons:lesson"}


def address_of(course: Course, item: Item) -> str:
    return reverse(_PAGES[Item.Kind(item.kind)], args=[course.slug, item.slug])


def linked_items(page: Item, *, hidden: bool) -> dict[str, str]:
    """By name the addresses of the other items of its course, for the text of an item that links to them.

    hidden: also of those that are hidden from students.
    """
    course = page.course
    items = course.items.exclude(pk=page.pk)
    if not hidden:
        items = items.filter(visible=True)
    return {item.slug: address_of(course, item) for item in items}
