"""Every page, for everybody, wide and narrow, light and dark: WCAG 2.2 AA as far as axe can tell; and by keyboard."""

from __future__ import annotations

import os
from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect
from pytest_django.fixtures import Settings

from softmark.courses.models import Role
from tests.browser.looking import COLOURS, NARROW, THEMES, WIDE, axe, the_focus_is_seen, too_wide
from tests.browser.places import NOBODY, Place, load_demo, person, places
from tests.browser.steps import address, expect_graded, written
from tests.factories import PASSWORD, enrol, make_assignment, make_course, make_item, make_user


@pytest.mark.parametrize("group", ["students", "staff", "authors"])
@pytest.mark.usefixtures("no_worker")
def test_every_page(
    visit: Callable[..., Page], settings: Settings, expected_complaints: list[str], group: str
) -> None:
    """SHOTS=folder keeps a picture of each."""
    expected_complaints.append("the server responded with a status of 40[34]")
    load_demo(settings)
    shots = Path(os.environ["SHOTS"]) if "SHOTS" in os.environ else None
    browsers: dict[str, Page] = {}
    faults: list[str] = []
    for place in places():
        if place.group == group:
            if place.who not in browsers:
                browsers[place.who] = visit(None if place.who == NOBODY else person(place.who))
            faults += look(browsers[place.who], place, shots)
    assert not faults, "\n".join(faults)


def look(page: Page, place: Place, shots: Path | None) -> list[str]:
    """What is wrong there. A theme changes colours only, and a width all the rest; axe takes long."""
    page.emulate_media(color_scheme="light")
    page.set_viewport_size({"width": NARROW, "height": 900})
    page.goto(place.path)
    found = [f"narrow, {each}" for each in axe(page.locator("html")) + too_wide(page)]
    page.set_viewport_size({"width": WIDE, "height": 900})
    found += [f"wide, {each}" for each in too_wide(page)]
    page.emulate_media(color_scheme="dark")
    found += [f"dark, {each}" for each in axe(page.locator("html"), COLOURS)]
    for width, theme in product((WIDE, NARROW), THEMES) if shots else ():
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme=theme)
        page.screenshot(path=f"{shots}/{place}-{width}-{theme}.png", full_page=True)
    return [f"{place}: {each}" for each in found]


@pytest.mark.usefixtures("grading")
def test_by_keyboard_alone(visit: Callable[..., Page]) -> None:
    assignment = make_assignment()
    ada = enrol(assignment.course, make_user(password=PASSWORD))
    page = visit()
    press = page.keyboard.press
    page.goto(address(assignment))

    press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    expect(page.get_by_role("link", name="Skip to the content")).to_be_in_viewport()
    press("Enter")
    expect(page.locator("#main")).to_be_focused()
    press("Tab")
    expect(page.get_by_label("Email")).to_be_focused()
    the_focus_is_seen(page)
    page.keyboard.type(ada.email)
    press("Tab")
    page.keyboard.type(PASSWORD)
    press("Enter")

    page.wait_for_url("**" + address(assignment))
    code = page.get_by_role("textbox", name="Your code")
    expect(code).to_be_visible()
    tab_to(page, ".cm-content")
    the_focus_is_seen(page)
    press("ControlOrMeta+a")
    press("Backspace")
    page.keyboard.type("def attention(q, k, v):\nreturn v")  # the editor indents
    assert written(page) == "def attention(q, k, v):\n    return v"
    press("Tab")
    assert written(page) == "def attention(q, k, v):\n        return v"
    press("Shift+Tab")
    # Escape holds for two seconds; a busy machine may take longer to the next key, so they do not pass.
    page.evaluate("() => { const now = Date.now(); Date.now = () => now; }")
    press("Escape")
    press("Tab")
    expect(page.get_by_role("button", name="Submit for grading")).to_be_focused()
    the_focus_is_seen(page)
    press("Shift+Tab")
    expect(code).to_be_focused()
    press("ControlOrMeta+Enter")
    expect_graded(page, "of 10 points")

    # All that can be reached on the report is seen to be.
    page.reload()
    reached = []
    for _ in range(40):
        press("Tab")
        where = page.evaluate(
            "document.activeElement === document.body ? '' : document.activeElement.innerText"
        )
        if not where:
            break
        the_focus_is_seen(page)
        reached.append(where.strip())
    assert "Back to the assignment" in reached
    assert "Download" in reached


def tab_to(page: Page, selector: str) -> None:
    for _ in range(80):
        page.keyboard.press("Tab")
        if page.locator(selector).evaluate("element => element === document.activeElement"):
            return
        the_focus_is_seen(page)
    raise AssertionError(f"Tab never comes to {selector}")


@pytest.mark.usefixtures("no_worker")
def test_the_grid_by_arrow_keys(visit: Callable[..., Page]) -> None:
    course = make_course()
    for _ in range(2):
        make_item(course=course)
        enrol(course)
    page = visit(enrol(course, role=Role.INSTRUCTOR))
    page.goto(reverse("gradebook:grid", args=[course.slug]))
    tab_to(page, "tbody tr:first-child td:nth-child(3) a")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    expect(page.locator("tbody tr:nth-child(2) td:nth-child(4) a")).to_be_focused()
    the_focus_is_seen(page)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Set the points by hand")).to_be_visible()
