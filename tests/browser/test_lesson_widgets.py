"""The widgets of lessons, each in its own: by keyboard, by mouse, linked, narrow, in both themes, without a script."""

from __future__ import annotations

import os
import re
from collections.abc import Callable

import pytest
from django.urls import reverse
from playwright.sync_api import Locator, Page, expect

from softmark.courses.models import Role
from softmark.lessons.variants.costs import MODELS
from tests.browser.looking import axe, the_focus_is_seen, too_wide
from tests.factories import ROOT, enrol, make_lesson, make_lesson_version

FOLDER = ROOT / "fixtures" / "lessons"
pytestmark = pytest.mark.usefixtures("no_worker")


def opened(visit: Callable[..., Page], name: str) -> Page:
    """The lesson as staff see it: whole."""
    files = {path.name: path.read_bytes() for path in FOLDER.glob("*.json")}
    text = (FOLDER / f"{name}.md").read_text()
    lesson = make_lesson(
        version=make_lesson_version(text, {file: files[file] for file in files if file in text})
    )
    page = visit(enrol(lesson.course, role=Role.TA))
    page.goto(reverse("lessons:lesson", args=[lesson.item.course.slug, lesson.item.slug]))
    return page


def expect_well_made(widget: Locator, *settings: str) -> None:
    """As it stands now: its setting is in the address; axe, in both themes; no wider than a phone. It stays narrow."""
    page = widget.page
    expect(page).to_have_url(
        re.compile("&".join(rf"w\.[a-z]+-\w+={re.escape(setting)}" for setting in settings))
    )
    for width, colours in ((1280, "light"), (390, "light"), (390, "dark")):
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme=colours)
        if "SHOTS" in os.environ:
            figure = widget.locator("xpath=ancestor::figure")
            figure.screenshot(path=f"{os.environ['SHOTS']}/widget-{settings[0]}-{width}-{colours}.png")
        assert axe(widget) + too_wide(page) == []


def without_script(page: Page) -> Page:
    """The same address and person in a browser without JavaScript."""
    assert page.context.browser is not None
    context = page.context.browser.new_context(java_script_enabled=False)
    context.add_cookies([{**each} for each in page.context.cookies()])  # type: ignore[list-item]
    plain = context.new_page()
    plain.goto(page.url)
    return plain


def cell(widget: Locator, row: str, column: int) -> Locator:
    return widget.get_by_role("row", name=row).locator("td").nth(column)


def test_numbers(visit: Callable[..., Page]) -> None:
    page = opened(visit, "query-key-value")
    press = page.keyboard.press
    widget = page.locator("softmark-numbers")
    said = widget.locator(".widget-said")
    inputs = widget.get_by_role("textbox")
    expect(widget.get_by_role("columnheader")).to_have_text(["Token", "k Key", "v Value"])

    # Step by step, by keyboard.
    widget.get_by_role("button", name="Next step: Score").focus()
    press("Enter")
    expect(said).to_contain_text("the query times the key")
    for head in ("÷ √d", "exp", "Share"):
        expect(widget.get_by_role("button", name=f"Next step: {head}")).to_be_focused()
        press("Enter")
    expect(cell(widget, "river", 5)).to_have_text("0.47")
    expect(inputs).to_have_count(0)
    press("Space")
    expect(inputs).to_have_count(4)
    expect(widget.get_by_role("button", name="Hide the steps")).to_be_focused()

    # From cell to cell by arrow keys; each says where it comes from, and marks it.
    cell(widget, "the", 0).focus()
    press("ArrowDown")
    for _ in range(5):
        press("ArrowRight")
    expect(cell(widget, "river", 5)).to_be_focused()
    the_focus_is_seen(page)
    expect(said).to_have_text("0.47 = 7.39 / (1 + 7.39 + 7.39)")
    expect(widget.locator(".is-source")).to_have_text(["1", "7.39", "7.39"])
    cell(widget, "bank", 2).hover()
    expect(said).to_have_text("4 = 2 · 1 + 2 · 1")

    # What is typed is judged at once: by the rounded numbers that are shown, too.
    press("ArrowRight")
    expect(widget.get_by_role("textbox", name="Part of the blend of river")).to_be_focused()
    page.keyboard.type("1.88, 0")
    expect(cell(widget, "river", 6)).to_contain_text("Right")
    page.mouse.move(0, 0)
    expect(said).to_have_text("[1.87, 0] = 0.47 · [4, 0]")
    press("ArrowDown")
    page.keyboard.type("[0, 2]")
    press("Enter")
    expect(cell(widget, "bank", 6)).to_contain_text("Not yet")
    expect(inputs.nth(2)).to_have_attribute("aria-invalid", "true")
    press("Tab")
    page.keyboard.type("one")
    press("Enter")
    expect(said).to_have_text("“one” cannot be read here. Type 2 numbers, like 1, 0.5.")

    # All of it is there again, from the address alone and without it.
    expect_well_made(widget, "5_*1.88%2C+0*%5B0%2C+2%5D*one")
    for address in (page.url, page.url.partition("?")[0]):
        page.goto(address)
        expect(inputs.nth(1)).to_have_value("1.88, 0")
        expect(inputs.nth(3)).to_have_value("one")
        expect(cell(widget, "river", 6)).to_contain_text("Right")
        expect(cell(widget, "bank", 6)).to_contain_text("Not yet")

    # The newest column is seen where there is no room for all; the sum is what the shares were divided by.
    scroller = widget.locator(".table-scroll")
    assert scroller.evaluate(
        "box => box.scrollLeft > 0 && box.scrollLeft + box.clientWidth > box.scrollWidth - 2"
    )
    expect(widget.get_by_role("row", name="Sum").locator("td").nth(4)).to_have_text("15.78")

    widget.get_by_role("button", name="Show the column Part of the blend").click()
    expect(widget.get_by_role("row", name="Sum")).to_contain_text("[1.87, 1.87]You typed one")
    expect(cell(widget, "the", 6)).to_be_focused()
    expect(inputs).to_have_count(1)  # it was right, and stays

    plain = without_script(page).locator("figure[data-widget=numbers]")
    expect(plain.get_by_role("row", name="river").first).to_have_text("river[2, 0][4, 0]427.390.47")
    plain.get_by_text("Worked out: Part of the blend").click()
    expect(plain.get_by_role("row", name="Sum")).to_have_text(["Sum15.781", "Sum[1.87, 1.87]"])
    plain.page.context.close()


def test_arcs(visit: Callable[..., Page]) -> None:
    page = opened(visit, "attention-on-a-sentence")
    press = page.keyboard.press
    page.emulate_media(reduced_motion="no-preference")
    widget = page.locator("softmark-arcs").nth(1)  # layer 3, head 1
    said = widget.locator(".widget-said")
    arcs, words = widget.locator(".arcs-arc"), widget.get_by_role("group", name="Look from the word")
    expect(words.get_by_role("radio")).to_have_count(16)
    expect(words.get_by_role("radio", name="it")).to_be_checked()
    expect(said).to_contain_text("“it” (with “tired”) looks most at: animal 0.68")
    assert width(arcs.nth(2)) > 3 * width(arcs.nth(8))
    numbers = widget.locator(".arcs-number")
    expect(numbers.nth(2)).to_have_css("opacity", "1")
    expect(numbers.nth(13)).to_have_css("opacity", "0")  # too small for a number

    # In words it would tell what there is to find, so that is on demand.
    words_of_it = page.locator("figure[data-widget=arcs]").nth(1).locator("figcaption")
    expect(words_of_it).to_have_text(re.compile("^In words"))
    expect(words_of_it.locator("p")).to_be_hidden()
    words_of_it.get_by_text("In words").click()
    expect(words_of_it.locator("p")).to_be_visible()

    # The switch moves the same arcs, unless movement is not wanted.
    arcs.nth(2).evaluate("arc => arc.setAttribute('data-same', 'yes')")
    assert arcs.nth(2).evaluate("arc => getComputedStyle(arc).transitionDuration").startswith("0.45s")
    widget.get_by_role("radio", name="wide").click()
    expect(said).to_contain_text("[CLS] 0.33, animal 0.28")
    expect(arcs.nth(2)).to_have_attribute("data-same", "yes")
    expect(numbers.nth(2)).to_have_text("0.28")
    page.emulate_media(reduced_motion="reduce")
    assert arcs.nth(2).evaluate("arc => parseFloat(getComputedStyle(arc).transitionDuration)") < 0.001
    press("ArrowLeft")
    expect(said).to_contain_text("with “tired”")

    # Words by arrow keys, and by mouse.
    press("Tab")
    expect(words.get_by_role("radio", name="it")).to_be_focused()
    the_focus_is_seen_around(words.get_by_role("radio", name="it"))
    press("ArrowRight")
    expect(said).to_contain_text("“was”")
    words.get_by_role("radio", name="cross").click()
    expect(said).to_contain_text("“cross” (with “tired”) looks most at: street 0.60")
    widget.get_by_text("Where “cross” looks: all weights").click()
    expect(widget.get_by_role("row", name="street").first).to_have_text("street0.600.57")
    expect(widget.get_by_text("Weights of all-MiniLM-L6-v2, layer 3, head 1")).to_be_visible()

    # Linked, beside another widget's setting and an anchor; on a phone it is a column.
    page.locator("softmark-arcs").first.get_by_role("radio", name="wide").focus()
    press("Space")
    expect_well_made(widget, "6_0", "10_1")
    page.goto(page.url)
    expect(page.locator("figure[data-widget=arcs]").first).to_be_in_viewport()  # to where the link leads
    assert page.evaluate("scrollY > 1000 && document.activeElement === document.body")
    page.goto(page.url + "#main")
    expect(said).to_contain_text("“cross” (with “tired”)")
    side = page.locator("softmark-arcs").first.get_by_role("group", name="The sentence with")
    expect(side.get_by_role("radio", name="wide")).to_be_checked()
    expect(widget.locator(".is-column")).to_have_count(1)
    words.get_by_role("radio", name="it", exact=True).click()
    expect(page).to_have_url(re.compile("=10_0&.*=10_1#main$"))

    plain = without_script(page).locator("figure[data-widget=arcs]").nth(1)
    expect(plain.get_by_role("row", name="animal").first).to_have_text("animal0.680.28")
    expect(plain.locator("figcaption p")).to_be_visible()
    plain.page.context.close()


def width(arc: Locator) -> float:
    return float(arc.evaluate("arc => parseFloat(getComputedStyle(arc).strokeWidth)"))


def the_focus_is_seen_around(radio: Locator) -> None:
    """A radio button that is the word itself: its label has the outline."""
    style = radio.evaluate("input => getComputedStyle(input.closest('label')).outlineStyle")
    assert style == "solid"


def test_cost(visit: Callable[..., Page]) -> None:
    page = opened(visit, "long-context-cost")
    press = page.keyboard.press
    widget = page.locator("softmark-cost")
    box, slider = widget.get_by_role("spinbutton", name="Tokens"), widget.get_by_role("slider")

    def value(quantity: str) -> Locator:
        return widget.locator(".cost-readout").get_by_role("row", name=quantity).locator("td")

    expect(box).to_have_value("32768")
    expect(value("Attention's share")).to_have_text("38 %")
    llama = MODELS["llama-3.1-8b"]
    for n, cache, share in (
        (4_096, "537 MB (512 MiB)", "7 %"), (8_192, "1.07 GB (1 GiB)", "13 %"), (53_248, "6.98 GB (6.5 GiB)", "50 %"),
        (131_072, "17.2 GB (16 GiB)", "71 %"), (1_000_000, "131 GB (122 GiB)", "95 %"),
    ):  # fmt: skip
        box.fill(str(n))
        expect(value("Cache in all")).to_have_text(cache)
        expect(value("Attention's share")).to_have_text(share)
        mantissa = f"{llama.attention_flops(n):.2e}".partition("e")[0]
        expect(value("Operations of attention")).to_contain_text(f"{mantissa} × 10")
        mantissa = f"{llama.other_flops(n):.2e}".partition("e")[0]
        expect(value("Operations of everything else")).to_contain_text(f"{mantissa} × 10")
        beyond = widget.get_by_text("arithmetic, not a supported context")
        expect(beyond).to_have_count(int(n > 131_072))
    expect(value("Cache for each token")).to_have_text("131 072 bytes")
    expect(value("Both cost the same at")).to_have_text("53 248 tokens")
    expect(widget.locator(".cost-chart")).to_contain_text("equal at 53 248")

    # By keyboard: a page doubles or halves, a step is a sixteenth of that.
    slider.focus()
    the_focus_is_seen(page)
    press("PageDown")
    expect(box).to_have_value("500000")
    press("Home")
    expect(box).to_have_value("512")
    for _ in range(16):
        press("ArrowRight")
    expect(box).to_have_value("1024")
    expect(slider).to_have_attribute("aria-valuetext", "1024 tokens")
    box.fill("5")
    press("Tab")
    expect(
        widget.get_by_text("Type a whole number from 512 to 1 000 000. Shown is still 1024.")
    ).to_be_visible()
    widget.locator(".cost-chart").click(position={"x": 400, "y": 200})
    expect(box).not_to_have_value("1024")
    box.fill("200000")

    # The switches.
    widget.get_by_role("radio", name="8, shared").focus()
    press("ArrowRight")
    expect(value("Cache for each token")).to_have_text("524 288 bytes")
    widget.get_by_role("radio", name="GPT-2 small").click()
    expect(value("Cache for each token")).to_have_text("36 864 bytes")
    expect(widget.get_by_text("12, one for each head of queries")).to_be_visible()
    expect(widget.get_by_text("GPT-2 small is made for 1024 tokens")).to_be_visible()

    expect_well_made(widget, "200000_gpt-2-small_all")
    page.goto(page.url)
    expect(box).to_have_value("200000")
    expect(value("Both cost the same at")).to_have_text("9216 tokens")
    widget.get_by_role("radio", name="Llama-3.1-8B").click()
    expect(value("Cache for each token")).to_have_text("524 288 bytes")

    plain = without_script(page).locator("figure[data-widget=cost]")
    expect(plain.get_by_role("row", name="Attention's share")).to_contain_text("38 %")
    plain.page.context.close()
