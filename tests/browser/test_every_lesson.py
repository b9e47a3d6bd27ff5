"""Every lesson of the demo course, read from its first word to its last by keyboard alone.

All of it takes minutes, so two are always read, each in another look, and with EVERY_LESSON=1 all, each in all four.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from itertools import product

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from softmark.courses.models import Role
from softmark.lessons.importing import bring
from softmark.lessons.models import Draw, Prediction, Reading
from softmark.lessons.queries import standing
from softmark.lessons.standing import Asked
from tests.browser.looking import NARROW, THEMES, WIDE, Theme, axe, too_wide
from tests.browser.steps import settled
from tests.factories import ROOT, enrol, make_course, shipped_lessons
from tests.lessons.learner import right

LESSONS = ROOT / "fixtures" / "lessons"
ALWAYS = (("query-key-value", WIDE, "light"), ("quiz-attention-basics", NARROW, "dark"))
EVERY = list(product([path.stem for path in sorted(LESSONS.glob("*.md"))], (WIDE, NARROW), THEMES))
FAR = 80  # presses of Tab from anywhere to anywhere


@pytest.mark.parametrize(("name", "width", "theme"), EVERY if "EVERY_LESSON" in os.environ else ALWAYS)
def test_by_keyboard_alone(
    visit: Callable[..., Page], site: object, name: str, width: int, theme: Theme
) -> None:
    """SHOTS=folder keeps pictures of the whole."""
    course = make_course()
    (lesson,) = (each.lesson for each in bring(course, shipped_lessons()) if each.lesson.item.slug == name)
    learner = enrol(course)
    page = visit(learner, width=width, color_scheme=theme)
    page.goto(reverse("lessons:lesson", args=[course.slug, name]))
    tab_to(page, "button", "Begin")
    page.keyboard.press("Enter")
    expect(page.locator("form[data-stop]")).to_be_visible()
    settled(page)
    page.evaluate("window.stays = true")
    reading = Reading.objects.get(lesson=lesson, learner=learner)
    while isinstance(asked := standing(reading).parts[-1].stop, Asked):
        answer(page, asked, right(asked, reading))
        tab_to(page, f"form[data-stop={asked.id}] button", "Commit")
        page.keyboard.press("Enter")
        expect(page.locator(f"#revealed-{asked.id}")).to_be_focused()
    assert page.evaluate("window.stays"), "the page was never loaded again"
    stops = Draw.objects.filter(reading=reading).count()
    expect(page.get_by_text(f"{stops} of {stops} ").first).to_be_visible()
    assert not Prediction.objects.exclude(share=1).exists()
    if "SHOTS" in os.environ:
        page.screenshot(path=f"{os.environ['SHOTS']}/{name}-{width}-{theme}.png", full_page=True)
    found = axe(page.locator("html"))
    for each in (WIDE, NARROW):
        page.set_viewport_size({"width": each, "height": 900})
        found += too_wide(page)
    assert found == []


def test_no_number_is_broken_on_a_phone(visit: Callable[..., Page], no_worker: object) -> None:
    """Half a number is another number. The staff see all that a lesson holds."""
    course = make_course()
    page = visit(enrol(course, role=Role.TA), width=NARROW)
    broken = {}
    for each in bring(course, shipped_lessons()):
        page.goto(reverse("lessons:lesson", args=[course.slug, each.lesson.item.slug]))
        page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
        broken[each.lesson.item.slug] = page.evaluate(_BROKEN_IN_CELLS)
    assert set(broken) == {path.stem for path in LESSONS.glob("*.md")}
    assert not any(broken.values()), broken


# Words and vectors that stand on more than one line of their cell.
_BROKEN_IN_CELLS = """() => {
    const broken = [];
    for (const cell of document.querySelectorAll(".lesson :is(td, th)")) {
        const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
        for (let text = texts.nextNode(); text; text = texts.nextNode()) {
            for (const word of text.data.matchAll(/\\[[^\\[\\]\\p{L}]*\\]|[^\\s-]+/gu)) {
                const range = new Range();
                range.setStart(text, word.index);
                range.setEnd(text, word.index + word[0].length);
                const lines = new Set([...range.getClientRects()].map(({bottom}) => Math.round(bottom)));
                if (lines.size > 1) broken.push(word[0]);
            }
        }
    }
    return broken;
}"""


def answer(page: Page, asked: Asked, texts: Sequence[str]) -> None:
    form = f"form[data-stop={asked.id}]"
    press, type = page.keyboard.press, page.keyboard.type
    match asked.type:
        case "vector" | "matrix":
            tab_to(page, f"{form} [name=answer]")
            for text in texts:
                type(text)
                press("Enter")
        case "choice" | "token":
            tab_to(page, f"{form} [name=answer]")
            press("Space")
            for _ in range(FAR):
                if page.evaluate("document.activeElement.value") == texts[0]:
                    break
                press("ArrowDown")
        case "choices":
            for _ in range(len(asked.settings.options)):
                tab_to(page, f"{form} [name=answer]")
                if page.evaluate("document.activeElement.value") in texts:
                    press("Space")
        case "order":
            names = {each.id: each.text for each in asked.settings.items}
            for text in texts:
                tab_to(page, f"{form} button", f"Put {plain(names[text])} into the order")
                press("Enter")
        case _:
            tab_to(page, f"{form} [name=answer]")
            type(texts[0])


def plain(markdown: str) -> str:
    return re.sub(r"[*`]|\{\w\}\[([^\]]*)\]", r"\1", markdown)


def tab_to(page: Page, what: str, called: str = "") -> None:
    """Presses Tab until the focus is on such an element, by its text or label."""
    for _ in range(FAR):
        page.keyboard.press("Tab")
        if page.evaluate(_IS_THERE, [what, called]):
            return
    raise AssertionError(f"no way by keyboard to {what} {called}")


_IS_THERE = """([what, called]) => {
    const here = document.activeElement;
    return here.matches(what) && (here.getAttribute("aria-label") ?? here.textContent).trim().startsWith(called);
}"""
