"""What is wrong with a page as it is shown: WCAG 2.2 AA as far as axe can tell, its width, whether focus is seen."""

from __future__ import annotations

import time
from typing import Literal

from playwright.sync_api import Locator, Page

from tests.browser.steps import PATIENCE
from tests.factories import ROOT

Theme = Literal["light", "dark"]
THEMES: tuple[Theme, ...] = ("light", "dark")
WIDE, NARROW = 1280, 390

ALL = {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22a", "wcag22aa"]}
COLOURS = {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}  # all that a theme can change

_AXE = (ROOT / "frontend" / "node_modules" / "axe-core" / "axe.min.js").read_text
_RUN = """async (part, what) => {
    const frame = () => new Promise(requestAnimationFrame);
    const moving = document.getAnimations().filter((each) => each instanceof CSSTransition);
    if (moving.length) return [`${moving.length} things move, though these browsers ask for less motion`];
    await frame().then(frame); // a theme that was just switched is drawn by then
    const {violations} = await axe.run(part, {runOnly: what, resultTypes: ["violations"]});
    return violations.map(({id, help, nodes}) =>
        `${id}: ${help}: ` + nodes.map(node => node.html.slice(0, 160)).slice(0, 3).join(" | ") +
        `; of the first: ${nodes[0].failureSummary}`);
}"""
_OVERFLOW = """async () => {
    const frame = () => new Promise(requestAnimationFrame);
    await frame().then(frame); // figures that are drawn for the width of the page are drawn anew by then
    return document.documentElement.scrollWidth - document.documentElement.clientWidth;
}"""


def axe(part: Locator, rules: dict[str, object] | None = None) -> list[str]:
    """What it finds in a part of a page, in the theme that it has now."""
    if not part.page.evaluate("'axe' in window"):
        part.page.evaluate(_AXE())
    found: list[str] = part.evaluate(_RUN, rules or ALL)
    return found


def too_wide(page: Page) -> list[str]:
    more = page.evaluate(_OVERFLOW)
    return [f"the page is {more} pixels wider than the window"] if more > 0 else []


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
    until = time.monotonic() + PATIENCE / 1000
    while seen := page.evaluate(script):
        assert time.monotonic() < until, seen
        page.wait_for_timeout(50)
