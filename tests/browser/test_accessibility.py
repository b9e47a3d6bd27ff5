"""Every page, for everybody, wide and narrow, light and dark: WCAG 2.2 AA as far as axe can tell; and by keyboard."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from pytest_django.fixtures import Settings

from tests.browser.places import INSTRUCTOR, NOBODY, Place, load_demo, person, places
from tests.browser.steps import address, expect_graded, written
from tests.factories import PASSWORD, ROOT, enrol, make_assignment, make_user

AXE = ROOT / "frontend" / "node_modules" / "axe-core" / "axe.min.js"
ALL = {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22a", "wcag22aa"]}
COLOURS = {
    "type": "rule",
    "values": ["color-contrast", "link-in-text-block"],
}  # all that the theme can change
WIDTHS = (1280, 390)
_RUN = """what => axe.run(document, {runOnly: what, resultTypes: ["violations"]}).then(({violations}) => violations.map(
    ({id, help, nodes}) => `${id}: ${help}: ` + nodes.map(node => node.html.slice(0, 160)).slice(0, 3).join(" | ")))"""
_OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


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
    """What is wrong there."""
    faults = []
    for colours, rules in (("light", ALL), ("dark", COLOURS)):
        page.emulate_media(color_scheme=colours)
        page.set_viewport_size({"width": WIDTHS[0], "height": 900})
        page.goto(place.path)
        page.evaluate(AXE.read_text())
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            if shots:
                page.screenshot(path=shots / f"{place}-{width}-{colours}.png", full_page=True)
            found = page.evaluate(_RUN, rules)
            if (more := page.evaluate(_OVERFLOW)) > 0:
                found.append(f"the page is {more} pixels wider than the window")
            faults += [f"{place} ({width}, {colours}) {each}" for each in found]
    return faults


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
    for _ in range(30):
        page.keyboard.press("Tab")
        if page.locator(selector).evaluate("element => element === document.activeElement"):
            return
        the_focus_is_seen(page)
    raise AssertionError(f"Tab never comes to {selector}")


def the_focus_is_seen(page: Page) -> None:
    """Whatever has it, or something around it, has an outline, inside the window; at the next frame at the latest."""
    script = """() => {
        let one = document.activeElement;
        const box = one.getBoundingClientRect();
        if (box.bottom < 0 || box.top > innerHeight) return "outside: " + one.outerHTML.slice(0, 200);
        for (let depth = 0; one && depth < 4; depth += 1, one = one.parentElement) {
            const style = getComputedStyle(one);
            if (style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 1) return "";
        }
        return "no outline: " + document.activeElement.outerHTML.slice(0, 200);
    }"""
    until = time.monotonic() + 5
    while seen := page.evaluate(script):
        assert time.monotonic() < until, seen
        page.wait_for_timeout(50)


@pytest.mark.usefixtures("no_worker")
def test_the_grid_by_arrow_keys(visit: Callable[..., Page], settings: Settings) -> None:
    load_demo(settings)
    page = visit(person(INSTRUCTOR))
    page.goto("/courses/attention/gradebook/")
    tab_to(page, "tbody tr:first-child td:nth-child(3) a")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    expect(page.locator("tbody tr:nth-child(2) td:nth-child(4) a")).to_be_focused()
    the_focus_is_seen(page)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Set the points by hand")).to_be_visible()
