"""After a free text: its author ticks ideas without leaving the page, and staff mark it by keyboard alone."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from softmark.courses.models import Role
from softmark.lessons.models import SelfReview
from tests.browser.steps import settled
from tests.factories import enrol, make_lesson, make_lesson_version, make_reading
from tests.lessons.db.steps import NOON, read_to_the_end
from tests.lessons.small_lesson import small_lesson


@pytest.mark.usefixtures("site")
def test_ideas_are_ticked_in_place_and_staff_mark_by_keyboard(visit: Callable[..., Page]) -> None:
    lesson = make_lesson(version=make_lesson_version(small_lesson(extra=True)))
    course, item = lesson.course.slug, lesson.item.slug
    ada, ben = (
        make_reading(lesson, enrol(lesson.course, name=name), started_at=NOON) for name in ("Ada", "Ben")
    )
    texts = [read_to_the_end(each)[-1] for each in (ada, ben)]

    page = visit(ada.learner)
    page.goto(reverse("lessons:lesson", args=[course, item]))
    page.evaluate("window.unchanged = true")
    page.get_by_role("checkbox", name="another idea").focus()
    page.keyboard.press("Space")
    page.keyboard.press("Enter")
    told = page.get_by_text("You found 1 of these 3 ideas in yours")
    expect(told).to_be_focused()
    assert page.evaluate("window.unchanged"), "the page was not loaded anew"
    assert SelfReview.objects.get().ideas == [1]

    staff = visit(enrol(lesson.course, role=Role.TA, name="Tom"))
    staff.goto(reverse("lessons:marking", args=[course, item]))
    staff.get_by_role("link", name="It is a matter of listening").first.press("Enter")
    expect(staff.get_by_role("heading", name="Ada")).to_be_visible()
    settled(staff)
    staff.get_by_role("radio", name="0", exact=False).first.focus()
    for _ in range(2):  # from nothing to a third, and to a half
        staff.keyboard.press("ArrowDown")
    expect(staff.get_by_role("radio", name="50")).to_be_checked()
    staff.keyboard.press("Tab")
    staff.keyboard.type("You say what, and not yet why.")
    staff.keyboard.press("Tab")
    staff.keyboard.press("Enter")
    expect(staff.get_by_role("heading", name="Ben")).to_be_visible()
    expect(staff.locator("#answer")).to_be_focused()  # where the address leads
    staff.keyboard.press("Tab")
    expect(staff.get_by_role("radio").first).to_be_focused()
    assert [each.staff_marks.count() for each in texts] == [1, 0]

    page.reload()
    expect(page.get_by_text("Marked by staff: 50")).to_be_visible()
    expect(page.get_by_text("You say what, and not yet why.")).to_be_visible()
